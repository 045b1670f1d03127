import {
  type Address,
  type Amount,
  createMarket,
  type Market,
  type Pool,
  quote,
  type QuoteRequest,
  toAddress,
} from '@fairway/engine';
import { createChainRpc, venueGas } from '@fairway/evm';
import { startSandboxChain } from '@fairway/sandbox';
import type { Benchmark, Progress, Row } from './benchmark.ts';
import { createNumbers } from './measuring/numbers.ts';
import { followSandbox } from './sandboxFollower.ts';
import { median, percentile, short } from './measuring/statistics.ts';
import { syntheticMarket } from './syntheticMarket.ts';
import { nanosecondsPerCall } from './measuring/timing.ts';

const WEI_PER_GAS = 1_000_000_000n;
const SYNTHETIC_SEED = 42;
const SYNTHETIC_QUERIES = 36;

type SandboxMarket = { readonly pools: readonly Pool[]; readonly wrappedNative: Address };

/** The time of a whole quote, in this process. */
export const engineQuotes: Benchmark = {
  name: 'quotes',
  title: 'quote(), in process',
  run: async (progress) => {
    progress('reading the sandbox market');
    const sandbox = await readSandboxMarket();
    const rows = sandboxRows(sandbox, progress);
    for (const poolCount of [200, 1000]) rows.push(...syntheticRows(poolCount, progress));
    return rows;
  },
};

async function readSandboxMarket(): Promise<SandboxMarket> {
  const chain = await startSandboxChain({ log: () => {} });
  const rpc = createChainRpc([chain.ipcPath ?? chain.wsUrl], 5000);
  try {
    const follower = await followSandbox(chain, rpc);
    const pools = [...follower.market.pools()];
    await follower.close();
    return { pools, wrappedNative: toAddress(chain.contracts.weth9) };
  } finally {
    rpc.close();
    await chain.close();
  }
}

function sandboxRows({ pools, wrappedNative }: SandboxMarket, progress: Progress): Row[] {
  const market = createMarket(pools);
  const rows: Row[] = [];
  for (const maxHops of [1, 2, 3]) {
    for (const tradeType of ['EXACT_IN', 'EXACT_OUT'] as const) {
      progress(`sandbox market, at most ${maxHops} hops, ${tradeType}`);
      const requests = answerable(market, pairRequests(market, wrappedNative, maxHops, tradeType));
      const warmUs = timePerRequest(market, requests);
      rows.push({
        what: `sandbox, ${pools.length} pools, at most ${maxHops} hops, ${tradeType}`,
        measured: `${short(warmUs)} µs`,
        note: `mean of ${requests.length} pairs of tokens, about 1 ETH each`,
      });
    }
  }
  progress('sandbox market, after a change');
  const requests = answerable(market, pairRequests(market, wrappedNative, 3, 'EXACT_IN'));
  const changed = (howMany: number) =>
    nanosecondsPerCall((turn) => {
      for (let index = 0; index < howMany; index += 1) {
        const pool = pools[(turn + index) % pools.length];
        if (pool !== undefined) market.put({ ...pool });
      }
      return quote(market, requests[turn % requests.length] ?? neverAsked);
    }) / 1000;
  rows.push(
    { what: 'the same, first after one pool changed', measured: `${short(changed(1))} µs` },
    { what: 'the same, first after every pool changed', measured: `${short(changed(pools.length))} µs` },
  );
  return rows;
}

function timePerRequest(market: Market, requests: readonly QuoteRequest[]): number {
  return nanosecondsPerCall((turn) => quote(market, requests[turn % requests.length] ?? neverAsked)) / 1000;
}

/** Every ordered pair of tokens, with what one ETH buys of the exact side as the amount. */
function pairRequests(
  market: Market,
  wrappedNative: Address,
  maxHops: number,
  tradeType: QuoteRequest['tradeType'],
): QuoteRequest[] {
  const tokens = [...market.tokens()];
  const worth = new Map<Address, Amount>([[wrappedNative, (10n ** 18n) as Amount]]);
  for (const tokenOut of tokens) {
    if (worth.has(tokenOut)) continue;
    const request = requestOf(wrappedNative, tokenOut, 10n ** 18n, wrappedNative);
    const answer = quote(market, request);
    if (answer.ok) worth.set(tokenOut, answer.quote.amountOut);
  }
  return tokens.flatMap((tokenIn) =>
    tokens
      .filter((tokenOut) => tokenOut !== tokenIn)
      .map((tokenOut) => ({
        ...requestOf(
          tokenIn,
          tokenOut,
          worth.get(tradeType === 'EXACT_IN' ? tokenIn : tokenOut) ?? 1n,
          wrappedNative,
        ),
        maxHops,
        tradeType,
      })),
  );
}

function answerable(market: Market, requests: readonly QuoteRequest[]): QuoteRequest[] {
  return requests.filter((request) => quote(market, request).ok);
}

function requestOf(
  tokenIn: Address,
  tokenOut: Address,
  amount: bigint,
  wrappedNative: Address,
): QuoteRequest {
  return {
    tokenIn,
    tokenOut,
    tradeType: 'EXACT_IN',
    amount: amount as Amount,
    maxHops: 3,
    maxSplits: 4,
    excludeSources: new Set(),
    gasPrice: { weiPerGas: WEI_PER_GAS, wrappedNative },
    venueGas: venueGas('SWAP_ROUTER_02'),
  };
}

const nobody = toAddress(`0x${'0'.repeat(40)}`);
const neverAsked = requestOf(nobody, nobody, 1n, nobody);

function syntheticRows(poolCount: number, progress: Progress): Row[] {
  progress(`synthetic market of ${poolCount} pools`);
  const { market, tokens } = syntheticMarket(poolCount, SYNTHETIC_SEED);
  const numbers = createNumbers(SYNTHETIC_SEED);
  const wrappedNative = tokens[0]?.address ?? nobody;
  const requests: QuoteRequest[] = [];
  while (requests.length < SYNTHETIC_QUERIES) {
    const [from, to] = [tokens[numbers.below(tokens.length)], tokens[numbers.below(tokens.length)]];
    if (from === undefined || to === undefined || from === to) continue;
    const amount = BigInt(Math.floor((10 ** (2 + numbers.fraction() * 2) / from.dollars) * 1e18));
    const request = requestOf(from.address, to.address, amount, wrappedNative);
    if (quote(market, request).ok) requests.push(request);
  }
  const eachUs = requests.map((request) => timeOnce(market, request));
  return [
    {
      what: `synthetic, ${market.poolCount} pools, at most 3 hops, EXACT_IN`,
      measured: `${short(median(eachUs))} µs`,
      note: `median of ${requests.length} queries, $100 to $10,000; p90 ${short(percentile(eachUs, 0.9))} µs`,
    },
  ];
}

/** Time of one request in microseconds, warm: the median of some repetitions. */
function timeOnce(market: Market, request: QuoteRequest): number {
  const times = Array.from({ length: 31 }, () => {
    const startedAt = performance.now();
    quote(market, request);
    return (performance.now() - startedAt) * 1000;
  });
  return median(times.slice(10));
}
