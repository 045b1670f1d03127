import { divRoundingUp } from '../exact/fullMath.ts';
import type { Amount, Optimality, TradeType } from '../types.ts';
import type { DualPoint } from './dual.ts';

/** What rounding errors may add to a bound, relative to its magnitude: thousands of units in the last place. */
const ERROR = 1e-12;
const MILLI_BPS = 10_000_000n;

/**
 * The bound that a dual value proves: widened by its possible rounding errors, then rounded to the last whole amount
 * within it.
 */
export function boundOf(
  { value, magnitude }: Pick<DualPoint, 'value' | 'magnitude'>,
  tradeType: TradeType,
): bigint | undefined {
  const error = ERROR * magnitude;
  const bound = tradeType === 'EXACT_IN' ? Math.floor(value + error) : Math.ceil(-value - error);
  if (!Number.isFinite(bound)) return undefined;
  // A cost is never negative; only rounding errors can make it look so.
  if (bound < 0) return tradeType === 'EXACT_IN' ? undefined : 0n;
  return BigInt(bound);
}

/** How far the amount really returned (EXACT_OUT: paid) is from a bound. */
export function optimalityOf(bound: bigint, returned: bigint, tradeType: TradeType): Optimality {
  const [gap, whole] = tradeType === 'EXACT_IN' ? [bound - returned, bound] : [returned - bound, returned];
  const gapBps = gap <= 0n || whole <= 0n ? 0 : Number(divRoundingUp(gap * MILLI_BPS, whole)) / 1000;
  return { upperBound: bound as Amount, gapBps };
}
