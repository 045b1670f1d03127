/**
 * How deep a pool is, per token: the binary exponent of all that it can pay out, or `NO_DEPTH` where it pays nothing.
 */
export type DepthClasses = { readonly of0: number; readonly of1: number };

/** The class of a token that a pool cannot pay: its liquidity is on the other side, or it has no liquidity. */
export const NO_DEPTH = -2000;

const double = new Float64Array(1);
const words = new Uint32Array(double.buffer);
/** The half of a double that holds its exponent. */
const HIGH_WORD = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1 ? 1 : 0;

/** The binary exponent of an amount; `NO_DEPTH` for zero. */
export function depthClass(amount: number): number {
  if (!(amount > 0)) return NO_DEPTH;
  double[0] = amount;
  return ((words[HIGH_WORD] as number) >>> 20) - 1023;
}
