/** The lowest tick a concentrated liquidity pool can hold. */
export const MIN_TICK = -887272;
/** The highest tick a concentrated liquidity pool can hold. */
export const MAX_TICK = 887272;
/** The square root price at `MIN_TICK`, Q64.96: the lowest a pool can have. */
export const MIN_SQRT_PRICE = 4295128739n;
/** The square root price at `MAX_TICK`, Q64.96: every pool is below it. */
export const MAX_SQRT_PRICE = 1461446703485210103287273052203988822378723970342n;

/**
 * 1.0001^(-2^i / 2) in Q128 for i = 0..19. The last digits are the protocol's, rounding included.
 * Source: Uniswap v3-core, TickMath.
 */
const INVERSE_ROOTS_X128 = [
  0xfffcb933bd6fad37aa2d162d1a594001n,
  0xfff97272373d413259a46990580e213an,
  0xfff2e50f5f656932ef12357cf3c7fdccn,
  0xffe5caca7e10e4e61c3624eaa0941cd0n,
  0xffcb9843d60f6159c9db58835c926644n,
  0xff973b41fa98c081472e6896dfb254c0n,
  0xff2ea16466c96a3843ec78b326b52861n,
  0xfe5dee046a99a2a811c461f1969c3053n,
  0xfcbe86c7900a88aedcffc83b479aa3a4n,
  0xf987a7253ac413176f2b074cf7815e54n,
  0xf3392b0822b70005940c7a398e4b70f3n,
  0xe7159475a2c29b7443b29c7fa6e889d9n,
  0xd097f3bdfd2022b8845ad8f792aa5825n,
  0xa9f746462d870fdf8a65dc1f90e061e5n,
  0x70d869a156d2a1b890bb3df62baf32f7n,
  0x31be135f97d08fd981231505542fcfa6n,
  0x9aa508b5b7a84e1c677de54f3e99bc9n,
  0x5d6af8dedb81196699c329225ee604n,
  0x2216e584f5fa1ea926041bedfe98n,
  0x48a170391f7dc42444e8fa2n,
];

const MAX_UINT256 = 2n ** 256n - 1n;
const LOW_32_BITS = 2n ** 32n - 1n;
const LOG_OF_TICK = Math.log(1.0001);
const LOG_OF_2 = Math.log(2);

/**
 * The square root price at a tick, Q64.96, equal to the contract's in every digit.
 * Source: Uniswap v3-core, TickMath.getSqrtRatioAtTick.
 * @throws RangeError outside `MIN_TICK`..`MAX_TICK`.
 *
 * @example
 * ```ts
 * import { sqrtPriceAtTick } from '@fairway/engine';
 *
 * sqrtPriceAtTick(0); // 2n ** 96n: one unit of token1 for one of token0
 * ```
 */
export function sqrtPriceAtTick(tick: number): bigint {
  if (!Number.isInteger(tick) || tick < MIN_TICK || tick > MAX_TICK) {
    throw new RangeError(`Tick out of range: ${tick}`);
  }
  const distance = Math.abs(tick);
  let ratioX128 = 1n << 128n;
  for (const [bit, root] of INVERSE_ROOTS_X128.entries()) {
    if (distance & (1 << bit)) ratioX128 = (ratioX128 * root) >> 128n;
  }
  if (tick > 0) ratioX128 = MAX_UINT256 / ratioX128;
  const sqrtPriceX96 = ratioX128 >> 32n;
  // Rounded up, so that tickAtSqrtPrice of the result is the tick itself.
  return (ratioX128 & LOW_32_BITS) === 0n ? sqrtPriceX96 : sqrtPriceX96 + 1n;
}

/** The same roots as doubles. Products of up to twenty of them are within a relative 1e-14. */
const INVERSE_ROOTS: readonly number[] = INVERSE_ROOTS_X128.map((root) => Number(root) / 2 ** 128);

/**
 * The square root price at a tick as a double, within a relative 1e-14 of the contract's. Only multiplications and
 * one division: the same in any process.
 */
export function approximateSqrtPriceAtTick(tick: number): number {
  const distance = Math.abs(tick);
  let ratio = 1;
  for (let bit = 0; distance >>> bit !== 0; bit += 1) {
    if (distance & (1 << bit)) ratio *= INVERSE_ROOTS[bit] ?? 1;
  }
  return tick > 0 ? 1 / ratio : ratio;
}

/**
 * The greatest tick whose square root price is not above the given one (Q64.96).
 * The logarithm only guesses; the exact prices of the neighbouring ticks decide.
 * Source of the definition: Uniswap v3-core, TickMath.getTickAtSqrtRatio.
 * @throws RangeError outside `MIN_SQRT_PRICE`..`MAX_SQRT_PRICE` - 1.
 *
 * @example
 * ```ts
 * import { tickAtSqrtPrice } from '@fairway/engine';
 *
 * tickAtSqrtPrice(2n ** 96n); // 0
 * tickAtSqrtPrice(2n ** 96n - 1n); // -1
 * ```
 */
export function tickAtSqrtPrice(sqrtPriceX96: bigint): number {
  if (sqrtPriceX96 < MIN_SQRT_PRICE || sqrtPriceX96 >= MAX_SQRT_PRICE) {
    throw new RangeError(`Square root price out of range: ${sqrtPriceX96}`);
  }
  const logOfSqrtPrice = Math.log(Number(sqrtPriceX96)) - 96 * LOG_OF_2;
  let tick = Math.floor((2 * logOfSqrtPrice) / LOG_OF_TICK);
  tick = Math.max(MIN_TICK, Math.min(MAX_TICK - 1, tick));
  while (sqrtPriceAtTick(tick) > sqrtPriceX96) tick -= 1;
  while (sqrtPriceAtTick(tick + 1) <= sqrtPriceX96) tick += 1;
  return tick;
}
