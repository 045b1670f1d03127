import type { Bps, QuoteRefusal } from '@fairway/engine';
import type { Freshness, SwapRefusal } from '@fairway/evm';
import { invalidFields, type ProblemFacts, tryLater } from '../problems/problem.ts';

/** The facts about a refused quote that its problem names. */
export type QuoteAsked = {
  readonly tradeType: 'EXACT_IN' | 'EXACT_OUT';
  readonly amount: bigint;
  readonly maxHops: number;
  /** JSON Pointer to the amount in the request, for `errors`. */
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

/** The problem of a swap that must not be answered. */
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

/** One short printable line of a text. Revert reasons are written by contracts of strangers and may hold anything. */
function printable(text: string): string {
  return text.replace(/[^\x20-\x7e]+/g, ' ').slice(0, 200);
}

/** The problem of a market that must not be used for quotes. */
export function marketStale(chainId: number, freshness: Extract<Freshness, { fresh: false }>): ProblemFacts {
  if (freshness.why === 'NODES_DISAGREE')
    return tryLater('nodes-disagree', nodesDisagree(chainId), freshness.retryAfterSeconds);
  return tryLater(
    'market-stale',
    `The market of chain ${chainId} is not up to date: ${freshness.detail}`,
    freshness.retryAfterSeconds,
  );
}

/** The sentence for what cannot be answered because the nodes of a chain contradict each other. */
export function nodesDisagree(chainId: number): string {
  return `The nodes of chain ${chainId} contradict each other about what this answer depends on; nothing was changed.`;
}

/** The problem of a trade with a price impact above the operator's limit. */
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
