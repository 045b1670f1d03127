/**
 * floor(a * b / divisor) with the product at full width, as the contracts' mulDiv.
 * Source: Uniswap v3-core, FullMath.
 */
export function mulDiv(a: bigint, b: bigint, divisor: bigint): bigint {
  return (a * b) / divisor;
}

/**
 * ceil(a * b / divisor) with the product at full width.
 * Source: Uniswap v3-core, FullMath.
 */
export function mulDivRoundingUp(a: bigint, b: bigint, divisor: bigint): bigint {
  return divRoundingUp(a * b, divisor);
}

/** ceil(numerator / divisor) of non-negative numbers. */
export function divRoundingUp(numerator: bigint, divisor: bigint): bigint {
  return (numerator + divisor - 1n) / divisor;
}
