import { divRoundingUp, mulDivRoundingUp } from './fullMath.ts';

// Prices are square roots of token1/token0 in Q64.96. All formulae: Uniswap v3-core, SqrtPriceMath.

const Q96 = 2n ** 96n;
const MAX_UINT256 = 2n ** 256n - 1n;

/** token0 between two prices, lower first: L * (upper - lower) / (upper * lower), rounded down. */
export function amount0Between(lower: bigint, upper: bigint, liquidity: bigint): bigint {
  return ((liquidity << 96n) * (upper - lower)) / upper / lower;
}

/** token0 between two prices, lower first, rounded up. */
export function amount0BetweenRoundingUp(lower: bigint, upper: bigint, liquidity: bigint): bigint {
  return divRoundingUp(mulDivRoundingUp(liquidity << 96n, upper - lower, upper), lower);
}

/** token1 between two prices, lower first: L * (upper - lower), rounded down. */
export function amount1Between(lower: bigint, upper: bigint, liquidity: bigint): bigint {
  return (liquidity * (upper - lower)) >> 96n;
}

/** token1 between two prices, lower first, rounded up. */
export function amount1BetweenRoundingUp(lower: bigint, upper: bigint, liquidity: bigint): bigint {
  return (liquidity * (upper - lower) + Q96 - 1n) >> 96n;
}

/**
 * The price after `amount` of token0 came in, rounded up: the pool keeps the dust.
 * Where a uint256 would overflow, the contract uses a coarser formula, and so does this function.
 */
export function priceAfterToken0In(price: bigint, liquidity: bigint, amount: bigint): bigint {
  if (amount === 0n) return price;
  const scaled = liquidity << 96n;
  const divisor = scaled + amount * price;
  if (divisor <= MAX_UINT256) return mulDivRoundingUp(scaled, price, divisor);
  return divRoundingUp(scaled, scaled / price + amount);
}

/** The price after `amount` of token1 came in, rounded down: the pool keeps the dust. */
export function priceAfterToken1In(price: bigint, liquidity: bigint, amount: bigint): bigint {
  return price + (amount << 96n) / liquidity;
}

/** The price after `amount` of token0 went out, rounded up. The range must hold that much. */
export function priceAfterToken0Out(price: bigint, liquidity: bigint, amount: bigint): bigint {
  const scaled = liquidity << 96n;
  return mulDivRoundingUp(scaled, price, scaled - amount * price);
}

/** The price after `amount` of token1 went out, rounded down. The range must hold that much. */
export function priceAfterToken1Out(price: bigint, liquidity: bigint, amount: bigint): bigint {
  return price - divRoundingUp(amount << 96n, liquidity);
}
