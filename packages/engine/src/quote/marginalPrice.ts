import { directionOfHop } from '../pools/direction.ts';
import { kindOf } from '../pools/poolKinds.ts';
import type { Hop, Rate } from '../types.ts';

/** The marginal price of a hop's output token for its input token, fee aside. Needs a pool with reserves or a price. */
export function marginalRate(hop: Hop): Rate {
  return kindOf(hop.pool).marginalRate(hop.pool, directionOfHop(hop));
}
