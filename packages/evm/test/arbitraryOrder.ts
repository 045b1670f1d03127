import {
  type Address,
  type Amount,
  type Leg,
  type Path,
  type Pool,
  type Quote,
  toAddress,
} from '@fairway/engine';
import fc from 'fast-check';
import type { SwapOrder } from '../src/types.ts';
import { routedPoolAddress } from '../src/venues/swapRouter02/routedKinds.ts';
import { venueOfTest } from './testVenue.ts';

const contracts = {
  router: numbered(0xf0),
  wrappedNative: numbered(0xf1),
  v2Factory: numbered(0xf2),
  v3Factory: numbered(0xf3),
};

/** A router, its contracts and its venue, for tests that need no chain. */
export const deployment = { ...contracts, venue: venueOfTest(contracts) };

/** An address that looks like a deployed contract's, with its number at both ends. */
export function numbered(number: number): Address {
  const byte = number.toString(16).padStart(2, '0');
  return toAddress(`0x${byte}${'a1b2c3d4e5'.repeat(4).slice(0, 36)}${byte}`);
}

const FEES = [100, 500, 3000, 10_000];

function poolBetween(a: Address, b: Address, kind: Pool['kind'], feePips: number): Pool {
  const identity = { address: numbered(0), source: 'test', tokens: a < b ? [a, b] : [b, a] };
  const draft =
    kind === 'UNISWAP_V2'
      ? { ...identity, kind, feePips: 3000, reserve0: 1n, reserve1: 1n }
      : {
          ...identity,
          kind,
          feePips,
          tickSpacing: 1,
          sqrtPriceX96: 1n,
          tick: 0,
          liquidity: 1n,
          ticks: { indexes: [], liquidityNet: [] },
        };
  const pool = draft as unknown as Pool;
  return { ...pool, address: routedPoolAddress(deployment, pool) ?? numbered(0) };
}

type LegShape = { readonly v3: boolean; readonly feeIndex: number };

type PathShape = { readonly legs: readonly LegShape[]; readonly amounts: readonly bigint[] };

/** A path through its own tokens, so that no two paths share a token. Amounts need not be what the pools would pay. */
function pathOf(shape: PathShape, number: number, tokenIn: Address, tokenOut: Address): Path {
  const { legs: shapes, amounts } = shape;
  const tokens = shapes.slice(1).map((_, index) => numbered(0x40 + number * 8 + index));
  const stops = [tokenIn, ...tokens, tokenOut];
  const legs = shapes.map(({ v3, feeIndex }, index): Leg => {
    const from = stops[index] ?? tokenIn;
    const to = stops[index + 1] ?? tokenOut;
    return {
      pool: poolBetween(from, to, v3 ? 'UNISWAP_V3' : 'UNISWAP_V2', FEES[feeIndex] ?? 500),
      tokenIn: from,
      tokenOut: to,
      amountIn: (amounts[index] ?? 1n) as Amount,
      amountOut: (amounts[index + 1] ?? 1n) as Amount,
    };
  });
  const amountIn = legs[0]?.amountIn ?? (1n as Amount);
  return { legs, amountIn, amountOut: legs.at(-1)?.amountOut ?? (1n as Amount) };
}

const amount = fc.bigInt({ min: 1n, max: 2n ** 100n });

const pathShape = fc.record({
  legs: fc.array(fc.record({ v3: fc.boolean(), feeIndex: fc.integer({ min: 0, max: 3 }) }), {
    minLength: 1,
    maxLength: 4,
  }),
  amounts: fc.array(amount, { minLength: 5, maxLength: 5 }),
});

/** An EXACT_OUT path uses pools of one version. */
function uniform(shape: PathShape): PathShape {
  const v3 = shape.legs[0]?.v3 ?? true;
  return { ...shape, legs: shape.legs.map((leg) => ({ ...leg, v3 })) };
}

function total(amounts: readonly bigint[]): Amount {
  return amounts.reduce((sum, next) => sum + next, 0n) as Amount;
}

const account = fc.constantFrom(numbered(0x11), numbered(0x12), undefined);

/** Orders over one to three paths of one to four pools, with every combination of parties and native sides. */
export const arbitraryRouteOrder: fc.Arbitrary<SwapOrder & { subject: { kind: 'ROUTE' } }> = fc
  .record({
    tradeType: fc.constantFrom('EXACT_IN' as const, 'EXACT_OUT' as const),
    paths: fc.array(pathShape, { minLength: 1, maxLength: 3 }),
    native: fc.constantFrom('IN', 'OUT', 'NONE'),
    slippageBps: fc.integer({ min: 0, max: 5000 }),
    recipient: account,
    sender: account,
    deadlineSeconds: fc.bigInt({ min: 0n, max: 2n ** 40n }),
  })
  .map(({ tradeType, paths: shapes, native, slippageBps, recipient, sender, deadlineSeconds }) => {
    const nativeIn = native === 'IN';
    const nativeOut = native === 'OUT';
    const tokenIn = nativeIn ? deployment.wrappedNative : numbered(0x21);
    const tokenOut = nativeOut ? deployment.wrappedNative : numbered(0x22);
    const paths = shapes.map((shape, index) =>
      pathOf(tradeType === 'EXACT_OUT' ? uniform(shape) : shape, index, tokenIn, tokenOut),
    );
    const [first] = paths;
    const overV2 = tradeType === 'EXACT_OUT' && first?.legs[0]?.pool.kind === 'UNISWAP_V2';
    const surplus = overV2 ? first.amountOut / 3n : 0n;
    const quote = {
      tokenIn,
      tokenOut,
      tradeType,
      amountIn: total(paths.map((path) => path.amountIn)),
      amountOut: total(paths.map((path) => path.amountOut)) - surplus,
      surplus,
      legs: paths.flatMap((path) => path.legs),
      paths,
      priceImpactBps: 0,
      gas: { units: 0n, cost: 0n },
      poolFees: [],
    } as unknown as Quote;
    return {
      subject: { kind: 'ROUTE' as const, quote },
      nativeIn,
      nativeOut,
      slippageBps,
      deadlineSeconds,
      ...(recipient === undefined ? {} : { recipient }),
      ...(sender === undefined ? {} : { sender }),
    };
  });

/** 1:1 exchanges of native currency and its wrapped token, both ways. */
export const arbitraryWrapOrder: fc.Arbitrary<SwapOrder> = fc
  .record({
    amount,
    nativeIn: fc.boolean(),
    slippageBps: fc.integer({ min: 0, max: 5000 }),
    recipient: account,
    sender: account,
    deadlineSeconds: fc.bigInt({ min: 0n, max: 2n ** 40n }),
  })
  .map(({ amount: exchanged, nativeIn, slippageBps, recipient, sender, deadlineSeconds }) => ({
    subject: { kind: 'WRAP' as const, amount: exchanged as Amount },
    nativeIn,
    nativeOut: !nativeIn,
    slippageBps,
    deadlineSeconds,
    ...(recipient === undefined ? {} : { recipient }),
    ...(sender === undefined ? {} : { sender }),
  }));
