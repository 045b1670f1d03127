import type { Market } from '../market/market.ts';
import type { Address } from '../types.ts';
import { bestSmallTrade, type SmallTrade, smallTradeGraphs } from './smallTrade.ts';

/** Hops over which an amount is asked for: the fewest that connect the tokens. */
const HOPS = [2, 3];

/**
 * What the market asks for an amount of `wanted`, in `held`; undefined where it cannot give it. Another pool
 * never raises it, whatever that pool's price. So pools that pay much cannot make a token look worth more
 * than it is.
 */
export function askedAmount(
  market: Market,
  { held, wanted, amount }: { readonly held: Address; readonly wanted: Address; readonly amount: bigint },
): SmallTrade | undefined {
  for (const maxHops of HOPS) {
    const request = { tokenIn: held, tokenOut: wanted, tradeType: 'EXACT_OUT', amount, maxHops } as const;
    const graphs = smallTradeGraphs(market, request);
    const found = graphs && bestSmallTrade(graphs, request);
    if (found !== undefined) return found.trade;
  }
  return undefined;
}
