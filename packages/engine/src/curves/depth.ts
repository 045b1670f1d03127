/** The class of a token that a pool cannot pay: its liquidity is on the other side, or it has no liquidity. */
export const NO_DEPTH = -2000;

const double = new Float64Array(1);
const words = new Uint32Array(double.buffer);
/** The half of a double that holds its exponent. */
const HIGH_WORD = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1 ? 1 : 0;

/** How deep a pool is in a token: the binary exponent of all that it can pay of it; `NO_DEPTH` where it pays nothing. */
export function depthClass(amount: number): number {
  if (!(amount > 0)) return NO_DEPTH;
  double[0] = amount;
  return ((words[HIGH_WORD] as number) >>> 20) - 1023;
}
