import { toAddress } from '@fairway/engine';
import type { KeptRoute } from '@fairway/evm';
import type { DerivedInstructions } from '@fairway/plan';
import type { Quote } from '@fairway/wire';

/**
 * The route of a quote that a plan keeps, with the amounts of its instructions. Undefined where it has none: a mere transfer has
 * no route, and neither have instructions that a restore lost.
 */
export function keptRouteOf(quote: DerivedInstructions['quote']): KeptRoute | undefined {
  // The quote that a plan keeps was made by `quoteBody`.
  const { tokenIn, tokenOut, tradeType, route } = quote as unknown as Quote;
  const paths = route?.paths ?? [];
  if (tradeType !== 'EXACT_IN' || paths.length === 0) return undefined;
  return {
    tokenIn: toAddress(tokenIn),
    tokenOut: toAddress(tokenOut),
    paths: paths.map(({ pools, amountIn }) => ({
      pools: pools.map(toAddress),
      amountIn: BigInt(amountIn),
    })),
  };
}
