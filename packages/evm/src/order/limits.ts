import type { Amount, TradeType } from '@fairway/engine';
import type { SwapLimit, SwapOrder, SwapSubject } from '../types.ts';

const WHOLE_BPS = 10_000n;

/**
 * The bound a swap enforces on chain, rounded so that it never allows more slippage than asked:
 * the minimum output upwards, the maximum input downwards. Amounts in smallest units.
 *
 * @example
 * ```ts
 * import type { Amount } from '@fairway/engine';
 * import { swapLimit } from '@fairway/evm';
 *
 * swapLimit('EXACT_IN', 100n as Amount, 1_000n as Amount, 50); // { minAmountOut: 995n }
 * swapLimit('EXACT_OUT', 1_000n as Amount, 100n as Amount, 50); // { maxAmountIn: 1005n }
 * ```
 */
export function swapLimit(
  tradeType: TradeType,
  amountIn: Amount,
  amountOut: Amount,
  slippageBps: number,
): SwapLimit {
  const slippage = BigInt(slippageBps);
  return tradeType === 'EXACT_IN'
    ? { minAmountOut: ((amountOut * (WHOLE_BPS - slippage) + WHOLE_BPS - 1n) / WHOLE_BPS) as Amount }
    : { maxAmountIn: ((amountIn * (WHOLE_BPS + slippage)) / WHOLE_BPS) as Amount };
}

/**
 * Shares a maximum input among paths in proportion to what each is expected to take. Shares add up to
 * exactly `maxAmountIn` and none is below its path's expected input; the last path gets the rest from rounding.
 */
export function shareMaxAmountIn(maxAmountIn: Amount, expectedIns: readonly Amount[]): readonly Amount[] {
  const total = expectedIns.reduce((sum, expected) => sum + expected, 0n);
  const slack = maxAmountIn - total;
  let left = slack;
  return expectedIns.map((expected, index) => {
    const share = index === expectedIns.length - 1 ? left : (slack * expected) / total;
    left -= share;
    return (expected + share) as Amount;
  });
}

/** The least output of a route while its market does not move: what was quoted, less what rounding may take. */
export function leastQuoted({ quote, rounding }: Extract<SwapSubject, { kind: 'ROUTE' }>): Amount {
  return (quote.amountOut - (rounding?.amountOut ?? 0n)) as Amount;
}

/** The bound that an order's instruction must enforce. A 1:1 exchange has no slippage: it pays its whole amount. */
export function orderLimit(order: SwapOrder): SwapLimit {
  const { subject } = order;
  if (subject.kind === 'WRAP') return { minAmountOut: subject.amount };
  const { tradeType, amountIn } = subject.quote;
  return swapLimit(tradeType, amountIn, leastQuoted(subject), order.slippageBps);
}

/** The most that an order can take from the wallet that executes it: balance and allowance must cover this. */
export function orderMaxInput(order: SwapOrder): Amount {
  const limit = orderLimit(order);
  if ('maxAmountIn' in limit) return limit.maxAmountIn;
  return order.subject.kind === 'WRAP' ? order.subject.amount : order.subject.quote.amountIn;
}
