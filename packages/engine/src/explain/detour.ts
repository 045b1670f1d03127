import { mayPayMore } from '../pools/poolSwap.ts';
import { inToken } from '../quote/describeQuote.ts';
import { executePaths, type Execution, type PlannedPath } from '../quote/execution.ts';
import type { Hop, Pool, Quote, QuoteRequest, Rate, TradeType } from '../types.ts';

/**
 * What a quote gains when a part of one of its paths goes another way, before gas, and what its gas costs. In the
 * compared token.
 */
export type Detour = { readonly gain: bigint; readonly gasCost: bigint };

/**
 * The best detour for all of a path's amount, and for a part of it, which needs one path more. Absent where none can
 * be executed.
 */
export type Detours = { readonly whole?: Detour; readonly part?: Detour };

/** Steps that close in on the best part once its power of two is known. */
const CLOSING_STEPS = 12;

/**
 * Sends all of a path's amount, and parts of it, over `hops` as the market has them. Each attempt is executed to the
 * unit after the rest of the quote.
 */
export function detoursOf(
  request: QuoteRequest,
  planned: readonly PlannedPath[],
  from: PlannedPath,
  hops: readonly Hop[],
  gasRate: Rate | undefined,
): Detours {
  const before = executed(request, planned);
  if (before === undefined) return {};
  const sendOver = (amount: bigint): Detour | undefined => {
    const left = planned.flatMap((path) => {
      if (path !== from) return [path];
      return amount === path.amount ? [] : [{ ...path, amount: path.amount - amount }];
    });
    const after = executed(request, [...left, { hops, amount }]);
    return after && compare(request, before, after, gasRate);
  };
  const whole = sendOver(from.amount);
  const part = bestPart(from.amount, sendOver);
  return { ...(whole === undefined ? {} : { whole }), ...(part === undefined ? {} : { part }) };
}

/** The paths of a quote as they were planned: without what V2 pairs pay beyond the amount asked. */
export function planOf(
  quote: Quote,
  marketPool: (pool: Pool) => Pool,
  tradeType: TradeType,
): readonly PlannedPath[] {
  let surplus: bigint = quote.surplus;
  return quote.paths.map(({ legs, amountIn, amountOut }) => {
    const hops = legs.map(({ pool, tokenIn, tokenOut }) => ({ pool: marketPool(pool), tokenIn, tokenOut }));
    if (tradeType === 'EXACT_IN') return { hops, amount: amountIn };
    const last = hops.at(-1);
    const mayExceed = last !== undefined && mayPayMore(last.pool) && surplus < amountOut;
    const amount = mayExceed ? amountOut - surplus : amountOut;
    if (mayExceed) surplus = 0n;
    return { hops, amount };
  });
}

function executed(request: QuoteRequest, planned: readonly PlannedPath[]): Execution | undefined {
  const result = executePaths(request, planned);
  return result.ok ? result.execution : undefined;
}

function compare(
  { tradeType, gasPrice }: QuoteRequest,
  before: Execution,
  after: Execution,
  gasRate: Rate | undefined,
): Detour {
  const gain = tradeType === 'EXACT_IN' ? after.received - before.received : before.amountIn - after.amountIn;
  const units = after.gasUnits - before.gasUnits;
  const wei = BigInt(Math.abs(units)) * gasPrice.weiPerGas;
  const cost = gasRate === undefined ? 0n : inToken(wei, gasRate);
  return { gain, gasCost: units < 0 ? -cost : cost };
}

/** Looks among the halves, quarters, eighths and so on of an amount, then closes in around the best. */
function bestPart(amount: bigint, sendOver: (amount: bigint) => Detour | undefined): Detour | undefined {
  let best: { readonly at: bigint; readonly detour: Detour } | undefined;
  const offer = (at: bigint): void => {
    const detour = at > 0n && at < amount ? sendOver(at) : undefined;
    if (detour !== undefined && (best === undefined || netOf(detour) > netOf(best.detour)))
      best = { at, detour };
  };
  for (let at = amount / 2n; at > 0n && at >= amount >> 40n; at /= 2n) offer(at);
  for (let step = (best?.at ?? 0n) / 2n, steps = 0; step > 0n && steps < CLOSING_STEPS; steps += 1) {
    const centre = best?.at ?? 0n;
    offer(centre - step);
    offer(centre + step);
    step /= 2n;
  }
  return best?.detour;
}

/** What a detour is worth. */
export function netOf({ gain, gasCost }: Detour): bigint {
  return gain - gasCost;
}
