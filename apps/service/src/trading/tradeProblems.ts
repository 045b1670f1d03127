import type { Bps, QuoteRefusal } from '@fairway/engine';
import type { Freshness, SwapRefusal } from '@fairway/evm';
import { invalidFields, type ProblemFacts, tryLater } from '../problems/problem.ts';

/** What the sentences about a refused quote are made of. */
export type QuoteAsked = {
  readonly tradeType: 'EXACT_IN' | 'EXACT_OUT';
  readonly amount: bigint;
  readonly maxHops: number;
  /** Pointer to the amount, for `errors`. */
  readonly amountPointer: string;
};

const QUOTE_REFUSALS: Readonly<Record<QuoteRefusal['reason'], (asked: QuoteAsked) => ProblemFacts>> = {
  NO_ROUTE: ({ maxHops }) => ({
    code: 'no-route',
    detail: `No pools of the sources allowed connect tokenIn and tokenOut within ${maxHops} ${maxHops === 1 ? 'hop' : 'hops'}.`,
  }),
  INSUFFICIENT_LIQUIDITY: ({ tradeType, amount }) => ({
    code: 'insufficient-liquidity',
    detail:
      tradeType === 'EXACT_IN'
        ? `No route can take the whole amount of ${amount} of tokenIn.`
        : `No route can give the whole amount of ${amount} of tokenOut.`,
  }),
  AMOUNT_TOO_SMALL: ({ amount, amountPointer }) => {
    const detail = `An amount of ${amount} is too small: it buys less than one smallest unit of tokenOut.`;
    return { code: 'amount-out-of-range', detail, errors: [{ pointer: amountPointer, detail }] };
  },
};

/** The problem of a quote that the engine refuses. */
export function quoteRefused({ reason }: QuoteRefusal, asked: QuoteAsked): ProblemFacts {
  return QUOTE_REFUSALS[reason](asked);
}

/** The problem of a swap that must not leave. */
export function swapRefused(refusal: SwapRefusal, recipientPointer: string): ProblemFacts {
  switch (refusal.reason) {
    case 'RECIPIENT_REFUSED':
      return invalidFields([{ pointer: recipientPointer, detail: refusal.detail }]);
    case 'SIMULATION_FAILED':
      return {
        code: 'simulation-failed',
        detail: `The swap would revert: ${printable(refusal.revertReason)}`,
      };
    case 'NOT_EXECUTABLE':
      return { code: 'no-route', detail: `The best route cannot be executed: ${printable(refusal.detail)}` };
  }
}

/** Strangers' contracts write revert reasons: one short printable line of them is passed on. */
function printable(text: string): string {
  return text.replace(/[^\x20-\x7e]+/g, ' ').slice(0, 200);
}

/** The problem of a market that may not be quoted from. */
export function marketStale(chainId: number, freshness: Extract<Freshness, { fresh: false }>): ProblemFacts {
  return tryLater(
    'market-stale',
    `The market of chain ${chainId} is not up to date: ${freshness.detail}`,
    freshness.retryAfterSeconds,
  );
}

/** The problem of a trade beyond the operator's impact bound. */
export function impactTooHigh(impactBps: Bps, allowedBps: number): ProblemFacts {
  return {
    code: 'price-impact-too-high',
    detail: `The price impact is ${impactBps} bps; this deployment allows ${allowedBps} bps.`,
  };
}

/** The problem of a chain that is not configured. */
export function unknownChain(digits: string, pointer: string): ProblemFacts {
  const detail = `Chain ${digits} is not served here; GET /v1/markets/chains lists the chains that are.`;
  return { code: 'unknown-chain', detail, errors: [{ pointer, detail }] };
}
