import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Amount,
  executePaths,
  type Hop,
  type Pool,
  sqrtPriceAtTick,
  type TradeType,
} from '@fairway/engine';
import { numbered } from '../../../test/arbitraryOrder.ts';
import { GAS } from './gas.ts';

const [A, B, C] = [numbered(1), numbered(2), numbered(3)] as const;
const ETHER = 10n ** 18n;

function pool(id: number, kind: Pool['kind'], from: typeof A, to: typeof A): Pool {
  const identity = { address: numbered(id), source: kind, tokens: [from, to], feePips: 3000 };
  const state =
    kind === 'UNISWAP_V2'
      ? { kind, reserve0: ETHER, reserve1: ETHER }
      : {
          ...{ kind, tickSpacing: 10, sqrtPriceX96: sqrtPriceAtTick(0), tick: 0, liquidity: ETHER },
          ticks: { indexes: [-1000, 1000], liquidityNet: [ETHER, -ETHER] },
        };
  return { ...identity, ...state } as unknown as Pool;
}

function gasOver(tradeType: TradeType, nativeIn: boolean, ...paths: (readonly Pool[])[]): number {
  const planned = paths.map((pools) => ({ hops: hopsFrom(A, pools), amount: 1000n as Amount }));
  const hops = executePaths({ tradeType }, planned);
  const all = executePaths({ tradeType, nativeIn, venueGas: GAS }, planned);
  assert.ok(all.ok && hops.ok);
  return all.execution.gasUnits - hops.execution.gasUnits;
}

/** Pairs in a row as the hops of a path from a token. */
function hopsFrom(first: typeof A, pools: readonly Pool[]): Hop[] {
  let tokenIn = first;
  return pools.map((pool) => {
    const tokenOut = pool.tokens.find((token) => token !== tokenIn) ?? tokenIn;
    const hop = { pool, tokenIn, tokenOut };
    tokenIn = tokenOut;
    return hop;
  });
}

test('returning what V3 pools may leave costs gas, each token once', () => {
  const [pair, between] = [pool(10, 'UNISWAP_V2', A, B), pool(11, 'UNISWAP_V2', A, C)];
  const direct = pool(12, 'UNISWAP_V3', A, B);
  const [from, to, other] = [
    pool(13, 'UNISWAP_V3', A, C),
    pool(14, 'UNISWAP_V3', B, C),
    pool(15, 'UNISWAP_V3', B, C),
  ];
  assert.equal(gasOver('EXACT_IN', false, [direct]), 50_000);
  assert.equal(gasOver('EXACT_IN', true, [direct]), 50_000 + 1700);
  assert.equal(gasOver('EXACT_IN', true, [pair]), 50_000);
  assert.equal(gasOver('EXACT_IN', true, [pair], [direct]), 50_000 + 1700);
  assert.equal(gasOver('EXACT_IN', false, [from, to]), 50_000 + 3400);
  assert.equal(gasOver('EXACT_IN', true, [from, to], [between, other]), 50_000 + 3400 + 1700);
  // An exact output is all or nothing, but the most that it may take is sent along.
  assert.equal(gasOver('EXACT_OUT', false, [from, to]), 50_000);
  assert.equal(gasOver('EXACT_OUT', true, [direct]), 50_000 + 1700);
});

test('an exact output over a V2 pair costs the gas of a minimum behind it, once', () => {
  const [pair, other] = [pool(10, 'UNISWAP_V2', A, B), pool(11, 'UNISWAP_V2', A, B)];
  const direct = pool(12, 'UNISWAP_V3', A, B);
  assert.equal(gasOver('EXACT_OUT', false, [pair]), 50_000 + 9500);
  assert.equal(gasOver('EXACT_OUT', false, [pair], [direct], [other]), 50_000 + 9500);
  assert.equal(gasOver('EXACT_OUT', true, [pair]), 50_000 + 9500 + 1700);
  assert.equal(gasOver('EXACT_OUT', false, [direct]), 50_000);
});
