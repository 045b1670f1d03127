import type { Address, Bps, QuoteRefusal } from '@fairway/engine';
import type { Freshness, PoolsReread, SwapRefusal, TokenBehaviour, TokenBehaviours } from '@fairway/evm';
import { eip55, invalidFields, type ProblemFacts, tryLater } from '@fairway/api';

/** The facts about a refused quote that its problem names. */
export type QuoteAsked = {
  readonly tradeType: 'EXACT_IN' | 'EXACT_OUT';
  readonly amount: bigint;
  readonly maxHops: number;
  readonly excludeSources: ReadonlySet<string>;
  readonly excludeTokens: ReadonlySet<string>;
  readonly excludePools: ReadonlySet<string>;
  /** JSON Pointer to the amount in the request, for `errors`. */
  readonly amountPointer: string;
  readonly tokenIn: End;
  readonly tokenOut: End;
  readonly chain: { readonly follower: { readonly behaviours: TokenBehaviours } };
};

/** A token that is traded. `given`: as the caller wrote it. */
type End = { readonly given: string; readonly address: Address };

const QUOTE_REFUSALS: Readonly<Record<QuoteRefusal['reason'], (asked: QuoteAsked) => ProblemFacts>> = {
  NO_ROUTE: (asked) => ({ code: 'no-route', detail: noRoute(asked) }),
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

/** A sentence about why there is no route, and one about each thing that keeps pools away from it. */
function noRoute(asked: QuoteAsked): string {
  const { maxHops, excludeSources, excludeTokens, excludePools, chain, tokenIn, tokenOut } = asked;
  const excluding = Object.entries({ excludeSources, excludeTokens, excludePools })
    .filter(([, { size }]) => size > 0)
    .map(([name]) => name);
  const rounded = Object.entries({ tokenIn, tokenOut })
    .filter(([, { address }]) => chain.follower.behaviours.get(address)?.kind === 'SHARES')
    .map(([name, { given }]) => ` ${name} ${given} rounds transfers, so that only V2 pairs trade it.`);
  const without = excluding.length === 0 ? '' : ` without what ${excluding.join(' and ')} has`;
  const hops = maxHops === 1 ? 'hop' : 'hops';
  return `No pools connect tokenIn and tokenOut within ${maxHops} ${hops}${without}.${rounded.join('')}`;
}

/** The problem of a quote that the engine refuses. */
export function quoteRefused({ reason }: QuoteRefusal, asked: QuoteAsked): ProblemFacts {
  return QUOTE_REFUSALS[reason](asked);
}

/** The facts about a refused swap that its problem names. */
export type SwapAsked = {
  readonly chainId: number;
  /** JSON Pointer to the account that is paid. */
  readonly payeePointer: string;
  /** How the pools of the route compare with the chain, where its simulation contradicts the quote. */
  readonly reread: PoolsReread;
  /** What was found of the route's tokens when they were measured after the refusal. */
  readonly found: TokensFound;
};

/** A token that moves other amounts than it is asked to. `named`: how the problem names it. `pointer`: where the request does. */
export type UntradedToken = {
  readonly named: string;
  readonly behaviour: Extract<TokenBehaviour, { kind: 'TAXED' }>;
  readonly pointer?: string;
};

/**
 * The tokens of a route that turned out to be taxed, and those that turned out to round transfers. The quote did not
 * know either.
 */
export type TokensFound = { readonly taxed: readonly UntradedToken[]; readonly rounding: readonly string[] };

/** The problem of tokens that are listed, but not traded for what their transfers do. */
export function tokenNotTraded(chainId: number, untraded: readonly UntradedToken[]): ProblemFacts {
  const errors = untraded.map(({ named, behaviour, pointer }) => ({
    pointer,
    detail: `${named} is not traded on chain ${chainId}: ${notTradedReason(behaviour)}`,
  }));
  return {
    code: 'token-not-traded',
    detail: errors.map(({ detail }) => detail).join(' '),
    errors: errors.flatMap(({ pointer, detail }) => (pointer === undefined ? [] : [{ pointer, detail }])),
  };
}

/** A sentence about why a token is not traded. */
export function notTradedReason({ detail }: UntradedToken['behaviour']): string {
  return `It moves other amounts than it is asked to: ${detail}.`;
}

/** The problem of a swap that must not be answered. */
export function swapRefused(refusal: SwapRefusal, asked: SwapAsked): ProblemFacts {
  const { taxed, rounding } = asked.found;
  if (taxed.length > 0) return tokenNotTraded(asked.chainId, taxed);
  if (rounding.length > 0) return roundsTransfers(rounding);
  switch (refusal.reason) {
    case 'RECIPIENT_REFUSED':
      return invalidFields([{ pointer: asked.payeePointer, detail: refusal.detail }]);
    case 'SIMULATION_FAILED': {
      const detail = `The swap would revert: ${printable(refusal.revertReason)}`;
      return asked.reread === 'WRONG'
        ? marketMismatch('the pools of the route are not as quoted')
        : { code: 'simulation-failed', detail };
    }
    case 'NOT_EXECUTABLE':
      return { code: 'no-route', detail: `The best route cannot be executed: ${printable(refusal.detail)}` };
    case 'AMOUNTS_DIFFER':
      return asked.reread === 'RIGHT' ? transferChanges(refusal.detail) : marketMismatch(refusal.detail);
    case 'HOLDINGS_NEEDED':
      return holdingsNeeded(refusal);
    case 'SIMULATION_UNAVAILABLE':
      return tryLater(
        'simulation-unavailable',
        `The swap is not given out, because the nodes of chain ${asked.chainId} did not simulate it.`,
        SIMULATION_RETRY_SECONDS,
      );
    case 'NODES_DISAGREE':
      return tryLater('nodes-disagree', nodesDisagree(asked.chainId), 1);
    case 'BLOCK_GONE': {
      const detail = `Block ${refusal.blockNumber}, at which the swap was quoted, was taken back meanwhile.`;
      return tryLater('market-stale', detail, 1);
    }
  }
}

/** A node that hangs, or one that lacks the method, will hardly do better within a second. */
const SIMULATION_RETRY_SECONDS = 5;

function marketMismatch(difference: string): ProblemFacts {
  const detail = `The chain contradicts the quote: ${difference}. The pools of the route were read again.`;
  return tryLater('market-mismatch', detail, 1);
}

/**
 * The pools are as they were quoted: what differs is what a token makes of a transfer, or the recipient of a payment.
 */
function transferChanges(difference: string): ProblemFacts {
  const detail = `The swap would not move what was quoted: ${difference}, although the pools are as quoted. A token keeps a part of what is transferred, or the recipient passes on what it is paid.`;
  return { code: 'simulation-failed', detail };
}

/** Measured just now, so that a quote of now names it. */
function roundsTransfers(tokens: readonly string[]): ProblemFacts {
  const detail = `The swap was quoted without the rounding of ${tokens.join(', ')}, which was found just now; a new quote names it.`;
  return tryLater('market-mismatch', detail, 1);
}

function holdingsNeeded({
  token,
  needed,
}: Extract<SwapRefusal, { reason: 'HOLDINGS_NEEDED' }>): ProblemFacts {
  const [address, { balance, spender }] = [eip55(token), needed];
  const approved = spender === undefined ? '' : ` and has approved ${eip55(spender)} to spend it`;
  const detail = `The swap can only be simulated with the real holdings of its sender, because the contract of ${address} computes its balances. Name a sender that holds ${balance} units of it${approved}.`;
  return { code: 'holdings-needed', detail };
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
  return `The nodes of chain ${chainId} contradict each other about what this answer depends on; the request was not carried out.`;
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
