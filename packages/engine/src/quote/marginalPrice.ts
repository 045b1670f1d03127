import { kindOf } from '../pools/poolKinds.ts';
import type { Address, Pool, Rate } from '../types.ts';

/** The marginal price of a pool's other token for `tokenIn`, fee aside. Needs a pool with reserves or a price. */
export function marginalRate(pool: Pool, tokenIn: Address): Rate {
  const { numerator, denominator } = kindOf(pool).marginalPrice(pool);
  return tokenIn === pool.token0
    ? { numerator, denominator }
    : { numerator: denominator, denominator: numerator };
}
