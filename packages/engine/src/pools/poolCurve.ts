import type { Curve } from '../curves/curve.ts';
import type { Pool } from '../types.ts';
import { kindOf } from './poolKinds.ts';

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
