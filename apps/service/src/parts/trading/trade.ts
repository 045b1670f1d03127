import { cutText } from '@fairway/values';
import type { Amount, Address } from '@fairway/engine';
import type { GasTerms, Head } from '@fairway/evm';
import { NATIVE_ADDRESSES } from '@fairway/wire';
import type { AvoidedNow } from '../../platform/chains/avoided.ts';
import type { ChainService } from '../../platform/chains/chainService.ts';
import {
  addMemberError,
  complete,
  done,
  type Fields,
  type GivenAddress,
  nearestName,
  type Outcome,
  pointerTo,
  type ProblemFacts,
  refuse,
} from '@fairway/api';
import type { ReadTrade } from './tradeFields.ts';
import { marketStale, unknownChain } from './tradeProblems.ts';

/** Chains by the decimal digits of their id. */
export type ChainsByDigits = ReadonlyMap<string, ChainService>;

/** Indexes chains by the decimal digits of their id. */
export function chainsByDigits(chains: readonly ChainService[]): ChainsByDigits {
  return new Map(chains.map((chain) => [String(chain.chainId), chain]));
}

/** A token of a trade. `given`: the address as the caller wrote it. */
type TradedToken = {
  readonly given: string;
  /** The token's own address; the wrapped token's for native currency. */
  readonly address: Address;
  readonly native: boolean;
  /** JSON Pointer to it in the request; absent where a corridor has it. */
  readonly pointer?: string;
};

/** A block that prices are of, and what gas costs there beside its base fee. */
export type PriceBlock = { readonly head: Head; readonly gasTerms: GasTerms };

/** A trade that can be priced: what both a quote and a swap need. */
export type Trade = {
  readonly chain: ChainService;
  readonly block: PriceBlock;
  readonly tokenIn: TradedToken;
  readonly tokenOut: TradedToken;
  readonly tradeType: 'EXACT_IN' | 'EXACT_OUT';
  readonly amount: Amount;
  readonly slippageBps: number;
  readonly excludeSources: ReadonlySet<string>;
  readonly excludeTokens: ReadonlySet<Address>;
  readonly excludePools: ReadonlySet<Address>;
  /** What its swap failed over in this request; absent where nothing has failed. */
  readonly goneAround?: AvoidedNow;
  readonly maxHops: number;
  readonly maxSplits: number;
  readonly amountPointer: string;
};

/** A trade with valid fields. Whether the chain and its market can serve it is not checked yet. */
export type TradeAsk = {
  readonly chainId: string;
  /** Undefined when the chain is not served. */
  readonly chain: ChainService | undefined;
  readonly tokenIn: GivenAddress;
  readonly tokenOut: GivenAddress;
  readonly tradeType: Trade['tradeType'];
  readonly amount: bigint;
  readonly slippageBps: number;
  readonly excludeSources: readonly string[];
  readonly excludeTokens: readonly GivenAddress[];
  readonly excludePools: readonly GivenAddress[];
  readonly maxHops: number;
  readonly maxSplits: number;
  /** Whether the fields were in the query or in the body, for pointers to them. */
  readonly origin: Fields['origin'];
};

/** Checks the sources of a trade that was read, and returns the trade; undefined when a field is wrong. */
export function completeTrade(fields: Fields, read: ReadTrade, chains: ChainsByDigits): TradeAsk | undefined {
  const { chainId, tokenIn, tokenOut, tradeType, amount, ...rest } = read;
  const chain = chainId === undefined ? undefined : chains.get(chainId);
  if (chain !== undefined) {
    refuseUnknownSources(fields, chain, read.excludeSources);
    refuseWrongTokens(fields, chain, read);
    refuseUnknownPools(fields, chain, read.excludePools);
  }
  const required = complete(fields, { chainId, tokenIn, tokenOut, tradeType, amount });
  return required && { ...required, ...rest, chain, origin: fields.origin };
}

/** Checks that this deployment serves the chain and the tokens of a trade, and that the chain's market is fresh. */
export function resolveTrade(ask: TradeAsk): Outcome<Trade> {
  const { chain, chainId, origin } = ask;
  if (chain === undefined) return refuse(unknownChain(chainId, pointerTo(origin, 'chainId')));
  const block = freshBlock(chain);
  if (!block.ok) return block;
  const { tradeType, slippageBps, maxHops, maxSplits } = ask;
  const trade: Trade = {
    chain,
    block: block.value,
    tradeType,
    slippageBps,
    maxHops,
    maxSplits,
    amount: ask.amount as Amount,
    tokenIn: tradedToken(ask.tokenIn, chain, pointerTo(origin, 'tokenIn')),
    tokenOut: tradedToken(ask.tokenOut, chain, pointerTo(origin, 'tokenOut')),
    excludeSources: new Set(ask.excludeSources),
    excludeTokens: new Set(ask.excludeTokens.map((token) => tradedAddress(token, chain))),
    excludePools: new Set(ask.excludePools.map(({ address }) => address)),
    amountPointer: pointerTo(origin, 'amount'),
  };
  const problem = unfitTokens(origin, trade);
  return problem === undefined ? done(trade) : refuse(problem);
}

/**
 * Refuses sources that do not exist, since a misspelt source would not be excluded. Before the first block the sources
 * are not known, and any name is accepted.
 */
function refuseUnknownSources(fields: Fields, chain: ChainService, names: readonly string[]): void {
  if (names.length === 0 || chain.follower.market.poolCount === 0) return;
  const known = new Set<string>();
  for (const { source } of chain.follower.market.pools()) known.add(source);
  const sources = [...known].sort().join(', ');
  for (const [index, name] of names.entries()) {
    if (known.has(name)) continue;
    const shown = JSON.stringify(cutText(name, 64));
    const meant = nearestName(name, known);
    addMemberError(
      fields,
      { name: 'excludeSources', index },
      `names ${shown}, which is no source here; the sources are ${sources}.`,
      meant === undefined ? [] : [meant],
    );
  }
}

/** Refuses tokens to exclude that are traded, and those that are not listed, for the same reason as sources. */
function refuseWrongTokens(fields: Fields, chain: ChainService, read: ReadTrade): void {
  const ends = [
    ['tokenIn', read.tokenIn],
    ['tokenOut', read.tokenOut],
  ] as const;
  for (const [index, excluded] of read.excludeTokens.entries()) {
    const address = tradedAddress(excluded, chain);
    const member = { name: 'excludeTokens', index };
    const end = ends.find(([, token]) => token && tradedAddress(token, chain) === address);
    if (end !== undefined)
      addMemberError(
        fields,
        member,
        `names ${excluded.given}, which is ${end[0]}; a trade cannot do without it.`,
      );
    else if (chain.follower.market.poolCount > 0 && !chain.follower.tokens.has(address))
      addMemberError(
        fields,
        member,
        `names ${excluded.given}, which is not listed on chain ${chain.chainId}; GET /v1/markets/tokens lists what is.`,
      );
  }
}

/** Refuses pools to exclude that there are not, for the same reason. Those that are out of the market for now may come back. */
function refuseUnknownPools(fields: Fields, chain: ChainService, pools: readonly GivenAddress[]): void {
  const { follower } = chain;
  for (const [index, { given, address }] of pools.entries())
    if (follower.market.poolCount > 0 && follower.pool(address) === undefined)
      addMemberError(
        fields,
        { name: 'excludePools', index },
        `names ${given}, which is no pool known on chain ${chain.chainId}; the legs of a quote's route name the pools that it uses.`,
      );
}

/** The token of a market that an address means: the wrapped token's for native currency. */
function tradedAddress({ address }: GivenAddress, chain: ChainService): Address {
  return NATIVE_ADDRESSES.includes(address) ? chain.wrappedNative : address;
}

function tradedToken(token: GivenAddress, chain: ChainService, pointer: string): TradedToken {
  const { given, address } = token;
  const native = NATIVE_ADDRESSES.includes(address);
  return { given, native, address: tradedAddress(token, chain), pointer };
}

/** The block that a chain's market stands at; undefined before the first block. */
export function priceBlock({ follower }: ChainService): PriceBlock | undefined {
  const head = follower.head();
  return head && { head, gasTerms: follower.gasTerms() };
}

/** The block of a chain's market, or why the market must not be used for prices now. */
export function freshBlock(chain: ChainService): Outcome<PriceBlock> {
  const { freshness } = chain.follower.status();
  if (!freshness.fresh) return refuse(marketStale(chain.chainId, freshness));
  const block = priceBlock(chain);
  return block === undefined ? refuse(marketStale(chain.chainId, NO_BLOCK)) : done(block);
}

const NO_BLOCK = {
  fresh: false,
  why: 'SYNCING',
  detail: 'no block has been read yet.',
  retryAfterSeconds: 1,
} as const;

function unfitTokens(
  origin: Fields['origin'],
  { chain, tokenIn, tokenOut }: Trade,
): ProblemFacts | undefined {
  if (tokenIn.address === tokenOut.address && tokenIn.native === tokenOut.native) {
    return { code: 'same-token', detail: 'tokenIn and tokenOut are the same token.' };
  }
  const unlisted = [
    { name: 'tokenIn', token: tokenIn },
    { name: 'tokenOut', token: tokenOut },
  ].filter(({ token }) => !token.native && !chain.follower.tokens.has(token.address));
  if (unlisted.length === 0) return undefined;
  const errors = unlisted.map(({ name, token }) => ({
    pointer: pointerTo(origin, name),
    detail: `${name} ${token.given} is not listed on chain ${chain.chainId}; GET /v1/markets/tokens lists what is.`,
  }));
  return { code: 'unknown-token', detail: errors.map(({ detail }) => detail).join(' '), errors };
}
