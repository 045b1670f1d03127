import { type Market, marketBound, type TradeType } from '@fairway/engine';
import { replayLegs } from '../replay.ts';
import { median } from '../statistics.ts';
import { type Claim, FULL_WIDTH, requestOf, type Router } from './routers.ts';
import type { RoutingQuery } from './routingQueries.ts';

/** What one router did with one query. */
export type Measured = {
  /** The median of the timed calls. */
  readonly ms: number;
  /** Legs of the answer, once a replay gave exactly what it claims; undefined where there is none to count. */
  readonly legs: number | undefined;
  /** Whether there was an answer that the replay refuted. */
  readonly refuted: boolean;
  /** How far the answer is from the whole market's bound; undefined where one of the two is missing. */
  readonly gapBps: number | undefined;
  /** How far the router itself says it is from the best over the pools it considered. */
  readonly provenGapBps: number | undefined;
  /** How far it is behind the best answer of any router asked. */
  readonly behindBps: number | undefined;
};

/** What every router did with the queries, in the order of the routers and of the queries. */
export async function measureRouters(
  market: Market,
  routers: readonly Router[],
  queries: readonly RoutingQuery[],
  tradeType: TradeType,
): Promise<Measured[][]> {
  const asked: Asked[][] = [];
  for (const router of routers) asked.push(await askAll(market, router, queries, tradeType));
  const best = queries.map((_, index) => Math.max(0, ...asked.map((row) => row[index]?.worth ?? 0)));
  const bounds = queries.map((query) => boundWorth(market, query, tradeType));
  return asked.map((row) =>
    row.map(({ worth, ...measured }, index) => ({
      ...measured,
      gapBps: distanceBps(worth, bounds[index]),
      behindBps: distanceBps(worth, best[index]),
    })),
  );
}

type Asked = Omit<Measured, 'gapBps' | 'behindBps'> & { readonly worth: number | undefined };

async function askAll(
  market: Market,
  router: Router,
  queries: readonly RoutingQuery[],
  tradeType: TradeType,
): Promise<Asked[]> {
  const asked: Asked[] = [];
  const ready = queries.map((query) => router.prepare(query, tradeType));
  const [first] = ready;
  await first?.();
  for (const [index, ask] of ready.entries()) {
    let claim = router.repeats > 1 ? await ask() : undefined;
    const times: number[] = [];
    for (let repeat = 0; repeat < router.repeats; repeat += 1) {
      const startedMs = performance.now();
      const answer = ask();
      claim = answer instanceof Promise ? await answer : answer;
      times.push(performance.now() - startedMs);
    }
    const query = queries[index];
    const stands = claim !== undefined && query !== undefined && holds(market, claim, query, tradeType);
    asked.push({
      ms: median(times),
      legs: stands ? claim?.legs.length : undefined,
      refuted: claim !== undefined && !stands,
      provenGapBps: stands ? claim?.provenGapBps : undefined,
      worth: stands && claim !== undefined ? worthOf(claim, tradeType) : undefined,
    });
  }
  return asked;
}

/** Whether the legs execute to what is claimed, and that is what was asked. */
function holds(market: Market, claim: Claim, query: RoutingQuery, tradeType: TradeType): boolean {
  const replayed = replayLegs((address) => market.get(address), claim.legs, tradeType);
  if ('failedLeg' in replayed) return false;
  const expected = new Map([
    [query.tokenIn, 0n - claim.amountIn],
    [query.tokenOut, claim.amountOut],
  ]);
  for (const [token, balance] of replayed.balances) if (balance !== (expected.get(token) ?? 0n)) return false;
  const asked = query.amounts[tradeType];
  return tradeType === 'EXACT_IN' ? claim.amountIn === asked : claim.amountOut >= asked;
}

/** What is compared: more is better for either trade type. */
function worthOf(
  { amountIn, amountOut }: Pick<Claim, 'amountIn' | 'amountOut'>,
  tradeType: TradeType,
): number {
  return tradeType === 'EXACT_IN' ? Number(amountOut) : 1 / Number(amountIn);
}

function boundWorth(market: Market, query: RoutingQuery, tradeType: TradeType): number | undefined {
  const bound = marketBound(market, requestOf(query, tradeType, FULL_WIDTH));
  return bound === undefined || bound === 0n
    ? undefined
    : worthOf({ amountIn: bound, amountOut: bound }, tradeType);
}

function distanceBps(worth: number | undefined, most: number | undefined): number | undefined {
  return worth === undefined || most === undefined ? undefined : Math.max(0, 1 - worth / most) * 1e4;
}
