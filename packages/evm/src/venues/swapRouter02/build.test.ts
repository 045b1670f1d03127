import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Amount,
  exactInput,
  exactOutput,
  type Hop,
  type Leg,
  type Path,
  type Pool,
  type Quote,
} from '@fairway/engine';
import { seed } from '@fairway/testing/properties';
import fc from 'fast-check';
import { deployment, numbered } from '../../../test/arbitraryOrder.ts';
import { venueOfTest } from '../../../test/testVenue.ts';
import type { SwapOrder } from '../../types.ts';
import { buildSwap } from '../../swap/buildSwap.ts';
import { readRouterCalls } from './read.ts';
import { routedPoolAddress } from './routedKinds.ts';
import { verifySwap } from '../../swap/verifySwap.ts';

const tokens = [numbered(0x21), numbered(0x22), numbered(0x23), numbered(0x24)] as const;

function pair(from: number, to: number, reserveFrom: bigint, reserveTo: bigint): Pool {
  const [a, b] = [tokens[from] ?? tokens[0], tokens[to] ?? tokens[0]];
  const sorted = a < b ? [a, b] : [b, a];
  const [reserve0, reserve1] = a < b ? [reserveFrom, reserveTo] : [reserveTo, reserveFrom];
  const draft = { kind: 'UNISWAP_V2', source: 'test', tokens: sorted, feePips: 3000, reserve0, reserve1 };
  const pool = { ...draft, address: numbered(0) } as unknown as Pool;
  return { ...pool, address: routedPoolAddress(deployment, pool) ?? pool.address };
}

type Pricing = { readonly path: Path; readonly asked: bigint };

/** The path of V2 pairs that pays at least `asked`; undefined where the pairs cannot pay it. */
function pathOver(pools: readonly Pool[], asked: bigint): Pricing | undefined {
  const inner = pools.length === 2 ? [tokens[2]] : [];
  const stops = [tokens[0], ...inner, tokens[1]];
  const unpriced = pools.map((pool, index) => ({
    pool,
    tokenIn: stops[index] ?? tokens[0],
    tokenOut: stops[index + 1] ?? tokens[1],
  }));
  const amountIn = inputFor(unpriced, asked);
  if (amountIn === undefined) return undefined;
  const legs: Leg[] = [];
  let carried = amountIn;
  for (const leg of unpriced) {
    const amountOut = exactInput(leg, carried);
    if (amountOut === undefined || amountOut === 0n) return undefined;
    legs.push({ ...leg, amountIn: carried as Amount, amountOut: amountOut as Amount });
    carried = amountOut;
  }
  return { path: { legs, amountIn: amountIn as Amount, amountOut: carried as Amount }, asked };
}

function inputFor(legs: readonly Hop[], amountOut: bigint): bigint | undefined {
  return legs.reduceRight<bigint | undefined>(
    (amount, leg) => (amount === undefined ? undefined : exactOutput(leg, amount)),
    amountOut,
  );
}

function singlePath(pool: Pool): Path {
  const priced = pathOver([pool], 1000n);
  assert.ok(priced);
  return priced.path;
}

function orderOf(paths: readonly Path[], amountOut: bigint): SwapOrder {
  const sum = (side: 'amountIn' | 'amountOut') => paths.reduce((total, path) => total + path[side], 0n);
  const quote = {
    tokenIn: tokens[0],
    tokenOut: tokens[1],
    tradeType: 'EXACT_OUT',
    amountIn: sum('amountIn'),
    amountOut,
    surplus: sum('amountOut') - amountOut,
    legs: paths.flatMap((path) => path.legs),
    paths,
  } as unknown as Quote;
  const subject = { kind: 'ROUTE', quote } as const;
  return { subject, nativeIn: false, nativeOut: false, slippageBps: 0, deadlineSeconds: 1n };
}

test('several V2 paths with a surplus ask for the exact output at the quoted inputs', () => {
  const reserve = fc.bigInt({ min: 10n ** 4n, max: 10n ** 24n });
  const fraction = fc.bigInt({ min: 1n, max: 800n });
  const path = fc
    .tuple(reserve, reserve, reserve, fraction, fc.boolean())
    .map(([from, middle, to, part, twoPools]) =>
      twoPools
        ? pathOver([pair(0, 2, from, middle), pair(2, 1, middle, to)], (to * part) / 1000n)
        : pathOver([pair(0, 1, from, to)], (to * part) / 1000n),
    );
  fc.assert(
    fc.property(path, path, (...made) => {
      const priced = made.flatMap((each) => (each === undefined ? [] : [each]));
      fc.pre(priced.length === made.length);
      const asked = priced.reduce((sum, each) => sum + each.asked, 0n);
      const paths = priced.map((each) => each.path);
      const order = orderOf(paths, asked);
      const built = buildSwap(deployment, order);
      assert.ok(built.ok);
      assert.equal(verifySwap(deployment, order, built.instruction).ok, true);
      const read = readRouterCalls(built.instruction.data);
      assert.ok(read.ok);
      const exacts = read.calls.map((call) => (call.kind === 'SWAP' ? call.exact : 0n));
      assert.equal(
        exacts.reduce((sum, exact) => sum + exact, 0n),
        asked,
      );
      for (const [index, { legs, amountIn }] of paths.entries())
        assert.equal(inputFor(legs, exacts[index] ?? 0n), amountIn);
    }),
    { seed, numRuns: 300 },
  );
});

test('a pool of a factory that the router does not trade is not executable', () => {
  const stranger = { ...pair(0, 1, 10n ** 9n, 10n ** 9n), address: numbered(0x77) };
  const built = buildSwap(deployment, orderOf([singlePath(stranger)], 1000n));
  assert.equal(built.ok, false);
  assert.match(built.detail, /does not trade pool 0x77/);
});

test('a V2 pair is not executable where the router has no V2 factory', () => {
  const { router, wrappedNative, v3Factory } = deployment;
  const path = singlePath(pair(0, 1, 10n ** 9n, 10n ** 9n));
  const venue = venueOfTest({ router, wrappedNative, v3Factory });
  assert.equal(buildSwap({ venue, wrappedNative }, orderOf([path], 1000n)).ok, false);
});

test('a path that returns to a token is not executable: its balances would be mixed', () => {
  const out = singlePath(pair(0, 1, 10n ** 9n, 10n ** 9n));
  const [leg] = out.legs;
  assert.ok(leg);
  const back = { ...leg, tokenIn: leg.tokenOut, tokenOut: leg.tokenIn };
  const path = { ...out, legs: [leg, back, leg] };
  assert.equal(buildSwap(deployment, orderOf([path], 1000n)).ok, false);
});

test('native currency on a side that is not the wrapped token throws', () => {
  const order = orderOf([singlePath(pair(0, 1, 10n ** 9n, 10n ** 9n))], 1000n);
  assert.throws(() => buildSwap(deployment, { ...order, nativeIn: true }), /must be quoted from/);
  assert.throws(() => buildSwap(deployment, { ...order, nativeOut: true }), /must be quoted to/);
});
