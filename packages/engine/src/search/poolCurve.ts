import { type Curve, keptOf, outputOf } from '../curves/curve.ts';
import { kindOf } from '../pools/poolKinds.ts';
import { directionOfHop } from '../pools/direction.ts';
import type { Hop, Pool } from '../types.ts';

const curves = new WeakMap<Pool, Curve | 'UNUSABLE'>();

/** A pool's curve, built once per pool value; undefined where the pool can trade nothing. */
export function curveOf(pool: Pool): Curve | undefined {
  let curve = curves.get(pool);
  if (curve === undefined) {
    curve = kindOf(pool).bound.curve(pool) ?? 'UNUSABLE';
    curves.set(pool, curve);
  }
  return curve === 'UNUSABLE' ? undefined : curve;
}

/** What hops in a row pay for an amount, also of parts of a unit; all that they hold where it is beyond their depth. */
export function outputAlong(hops: readonly Hop[], amountIn: number): number {
  let carried = amountIn;
  for (const hop of hops) {
    const curve = curveOf(hop.pool);
    carried = curve === undefined ? 0 : outputOf(curve, directionOfHop(hop) === 0, carried);
  }
  return carried;
}

/** The part of an amount that the fees of hops in a row leave. */
export function keptAlong(hops: readonly Hop[]): number {
  return hops.reduce((kept, { pool }) => kept * keptOf(pool.feePips), 1);
}
