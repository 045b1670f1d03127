import type { Quote } from '../resources/quotes.ts';
import type { Limit } from './order.ts';

const WHOLE_BPS = 10_000n;

/**
 * The limit of a trade whose quote you have looked at: its price may become worse by so many basis points. Take a
 * few more than the trade's `slippageBps`, because the swap is quoted anew.
 *
 * @example
 * ```ts
 * import { createFairway, limitOf } from '@fairway/sdk';
 *
 * const fairway = createFairway({ url: 'http://127.0.0.1:8080', username: 'demo', password: 'secret' });
 * const trade = { chainId: 1, tokenIn: '0x…', tokenOut: '0x…', tradeType: 'EXACT_IN', amount: '1000000' } as const;
 * const limit = limitOf(await fairway.quotes.get(trade), 100); // { minAmountOut: … }, 1 % below the quote
 * ```
 */
export function limitOf(quote: Quote, bps: number): Limit {
  const worse = BigInt(bps);
  return quote.tradeType === 'EXACT_OUT'
    ? { maxAmountIn: (BigInt(quote.amountIn) * (WHOLE_BPS + worse)) / WHOLE_BPS }
    : { minAmountOut: (BigInt(quote.amountOut) * (WHOLE_BPS - worse)) / WHOLE_BPS };
}
