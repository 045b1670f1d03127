import { type Market, marketBound, type TradeType } from '@fairway/engine';
import { replayLegs } from '../replay.ts';
import { median } from '../measuring/statistics.ts';
import { type Claim, FULL_WIDTH, requestOf, type Router } from './routers.ts';
import type { RoutingQuery } from './queries.ts';

/** The result of one router for one query. */
export type Measured = {
  /** The median of the timed calls. */
  readonly ms: number;
  /** Legs of the answer, if a replay gave exactly what it claims; undefined otherwise. */
  readonly legs: number | undefined;
  /** Whether there was an answer that the replay refuted. */
  readonly refuted: boolean;
  /** How far the answer is from the whole market's bound; undefined where one of the two is missing. */
  readonly gapBps: number | undefined;
  /** The router's own bound: how far it is from the best route over the pools it considered. */
  readonly provenGapBps: number | undefined;
  /** How far the answer is from the best answer of all routers. */
  readonly behindBps: number | undefined;
};

/** The results of all routers for all queries, in the order of routers and queries. */
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

/** Whether the legs execute as claimed, and to what was asked. */
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

/** The number to compare: more is better for both trade types. */
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
