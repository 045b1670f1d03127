import { type Curve, keptOf, outputOf } from '../curves/curve.ts';
import { kindOf } from '../pools/poolKinds.ts';
import { otherToken } from '../pools/poolSwap.ts';
import type { Address, Pool } from '../types.ts';

const curves = new WeakMap<Pool, Curve | 'UNUSABLE'>();

/** A pool's curve, built once per pool value; undefined where the pool can trade nothing. */
export function curveOf(pool: Pool): Curve | undefined {
  let curve = curves.get(pool);
  if (curve === undefined) {
    curve = kindOf(pool).curve(pool) ?? 'UNUSABLE';
    curves.set(pool, curve);
  }
  return curve === 'UNUSABLE' ? undefined : curve;
}

/** What pools in a row pay for an amount, also of parts of a unit; all that they hold where it is beyond their depth. */
export function outputAlong(pools: readonly Pool[], tokenIn: Address, amountIn: number): number {
  let [token, carried] = [tokenIn, amountIn];
  for (const pool of pools) {
    const curve = curveOf(pool);
    carried = curve === undefined ? 0 : outputOf(curve, token === pool.token0 ? 0 : 1, carried);
    token = otherToken(pool, token);
  }
  return carried;
}

/** The part of an amount that the fees of pools in a row leave. */
export function keptAlong(pools: readonly Pool[]): number {
  return pools.reduce((kept, { feePips }) => kept * keptOf(feePips), 1);
}
