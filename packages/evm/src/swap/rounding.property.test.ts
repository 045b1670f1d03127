import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Address,
  type Amount,
  exactInput,
  type FeePips,
  type Leg,
  type Quote,
  type V2Pool,
} from '@fairway/engine';
import { runs, seed } from '@fairway/testing/properties';
import fc from 'fast-check';
import { numbered } from '../../test/arbitraryOrder.ts';
import type { TokenBehaviour } from '../types.ts';
import { roundingOf } from './rounding.ts';

const reserve = fc.bigInt(10n ** 6n, 10n ** 26n);

/** Legs over pairs in a row, whose first takes an amount. */
function legsOver(reserves: readonly (readonly [bigint, bigint])[], amountIn: bigint): Leg[] | undefined {
  const legs: Leg[] = [];
  let amount = amountIn;
  for (const [index, [reserve0, reserve1]] of reserves.entries()) {
    const [token0, token1] = [numbered(index), numbered(index + 1)];
    const pool: V2Pool = {
      ...{
        kind: 'UNISWAP_V2',
        address: numbered(100 + index),
        source: 'v2',
        tokens: [token0, token1],
        reserve0,
        reserve1,
      },
      feePips: 3000 as FeePips,
    };
    const amountOut = exactInput({ pool, tokenIn: token0, tokenOut: token1 }, amount);
    if (amountOut === undefined || amountOut === 0n) return undefined;
    legs.push({
      pool,
      tokenIn: token0,
      tokenOut: token1,
      amountIn: amount as Amount,
      amountOut: amountOut as Amount,
    });
    amount = amountOut;
  }
  return legs;
}

test('no more is missing than is named, whatever each transfer of a share token keeps back', () => {
  const property = fc.property(
    fc.array(fc.tuple(reserve, reserve), { minLength: 1, maxLength: 3 }),
    fc.bigInt(1n, 10n ** 24n),
    fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
    fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 4, maxLength: 4 }),
    (reserves, amountIn, rounds, kept) => {
      const legs = legsOver(reserves, amountIn);
      const [first, last] = [legs?.[0], legs?.at(-1)];
      if (legs === undefined || first === undefined || last === undefined) return;
      const behaviours = new Map<Address, TokenBehaviour>(
        rounds.map((isRounding, index) => [numbered(index), { kind: isRounding ? 'SHARES' : 'PLAIN' }]),
      );
      // Up to two transfers of two units, on the way into each pool and out of the last.
      const keptOf = (index: number) => (rounds[index] === true ? BigInt(kept[index] ?? 0) : 0n);
      let amount = amountIn;
      for (const [index, leg] of legs.entries()) {
        const arrived = amount - keptOf(index);
        amount = arrived <= 0n ? 0n : (exactInput(leg, arrived) ?? 0n);
      }
      const arrives = amount - keptOf(legs.length);
      const { amountOut } = last;
      const quote = {
        tokenIn: first.tokenIn,
        tokenOut: last.tokenOut,
        amountIn,
        amountOut,
        legs,
        paths: [{ legs, amountIn, amountOut }],
      };
      const rounding = roundingOf(quote as unknown as Quote, behaviours);
      const isRounded = rounds.slice(0, legs.length + 1).some(Boolean);
      assert.equal(rounding !== undefined, isRounded);
      assert.ok(amountOut - (rounding?.amountOut ?? 0n) <= (arrives < 0n ? 0n : arrives));
    },
  );
  fc.assert(property, { seed, numRuns: runs(1000) });
});
