import type { Address, Amount, Market, Pool, Quote } from '@fairway/engine';

/** A block number, hash and the facts of its header that prices depend on. */
export type Head = {
  readonly number: bigint;
  readonly hash: `0x${string}`;
  readonly parentHash: `0x${string}`;
  readonly timestampSeconds: bigint;
  /** Wei per unit of gas that the block's base fee was. */
  readonly baseFeePerGas: bigint;
  /** What the hash commits the block's logs to; absent where the chain hashes headers by rules of its own. */
  readonly commitments?: { readonly logsBloom: `0x${string}`; readonly receiptsRoot: `0x${string}` };
};

/** A token as its contract describes it. */
export type TokenInfo = {
  readonly address: Address;
  readonly symbol: string;
  readonly name: string;
  readonly decimals: number;
};

/**
 * What a token's transfers move, as simulated transfers showed it. PLAIN: what they are asked to. SHARES: that, or up to
 * two units less, because balances are shares of something. TAXED: something else; `detail` is an example.
 */
export type TokenBehaviour =
  | { readonly kind: 'PLAIN' }
  | { readonly kind: 'SHARES' }
  | { readonly kind: 'TAXED'; readonly pool: Address; readonly detail: string };

/** What is known of tokens' transfers. */
export type TokenBehaviours = ReadonlyMap<Address, TokenBehaviour>;

/** How far the amounts of a quote may be off because tokens of its route round transfers by their shares. */
export type Rounding = {
  /** The tokens that round. */
  readonly tokens: readonly Address[];
  /** The most units of such a token by which one transfer falls short. */
  readonly unitsPerTransfer: bigint;
  /** The most units of the input that may not be taken. */
  readonly amountIn: bigint;
  /** The most units of the output that may be missing. */
  readonly amountOut: bigint;
};

/** A listed token or one of its pools that is not part of the market. `reason`: what its contract does, for the operator. */
export type LeftOut = { readonly address: Address; readonly reason: string };

/** What gas costs beside the base fee of a block. A value that the nodes do not tell is absent. */
export type GasTerms = {
  /** Wei per unit of gas that transactions of the latest blocks paid beyond the base fee. */
  readonly priorityFeePerGas?: bigint;
  /** Whether the chain is a rollup that charges for data, too. */
  readonly hasDataFee?: boolean;
};

/** Whether quotes may be made from the market, and if not, why. */
export type Freshness =
  | { readonly fresh: true }
  | {
      readonly fresh: false;
      readonly why:
        | 'SYNCING'
        | 'NO_CONTACT'
        | 'NODES_DISAGREE'
        | 'LAGGING'
        | 'CLOCK_DIFFERS'
        | 'BLOCK_TOO_OLD'
        | 'BLOCK_IN_FUTURE';
      /** A sentence for the caller; names no node and no URL. */
      readonly detail: string;
      readonly retryAfterSeconds: number;
    };

/**
 * How far the reading of a market has come: once its pools are found, and then while they are read. `requestsLeft`: about
 * how many each node is still asked.
 */
export type ReadingProgress = {
  readonly tokens: number;
  readonly pools: number;
  readonly poolsRead: number;
  readonly requestsLeft: number;
};

/** The state of one chain's follower, for its operator. */
export type FollowerStatus = {
  readonly head: Head | undefined;
  /** The node's own latest block, as of its last answer. */
  readonly nodeBlockNumber: bigint | undefined;
  readonly lagBlocks: bigint;
  /** Time since the node last answered; undefined before its first answer. */
  readonly contactAgeMs: number | undefined;
  readonly poolCount: number;
  /** As of the last time that all tokens and pools were read. */
  readonly leftOut: readonly LeftOut[];
  /** Present while the market is being read. */
  readonly reading?: ReadingProgress;
  readonly freshness: Freshness;
};

/**
 * How pools of a quote compare with the chain. RIGHT: the market still has each, and so has the chain. WRONG: the chain
 * has others. UNKNOWN: the market has moved on since, or the chain could not be asked.
 */
export type PoolsReread = 'RIGHT' | 'WRONG' | 'UNKNOWN';

/** A market kept equal to its chain. `market` and `head` change together, between two turns of the event loop. */
export type Follower = {
  readonly market: Market;
  head(): Head | undefined;
  /** What gas costs beside the base fee, as last heard. */
  gasTerms(): GasTerms;
  /**
   * Reads pools of a quote back from the chain at once, and corrects those of the market that differ. Never rejects.
   */
  reread(pools: readonly Pool[]): Promise<PoolsReread>;
  readonly tokens: ReadonlyMap<Address, TokenInfo>;
  /** What is known of tokens' transfers. Pools of a TAXED token are followed, but are not in the market. */
  readonly behaviours: TokenBehaviours;
  /** A followed pool, in the market or not. */
  pool(address: Address): Pool | undefined;
  /** Measures the transfers of the tokens of pools, over which a swap moved something else than was quoted. Never rejects. */
  examine(pools: readonly Pool[]): Promise<void>;
  status(): FollowerStatus;
  close(): Promise<void>;
};

/** Calldata for a wallet to execute. `value` in wei. */
export type Instruction = {
  readonly to: `0x${string}`;
  readonly data: `0x${string}`;
  readonly value: bigint;
};

/** What is executed: a routed quote, or the 1:1 exchange of native currency and its wrapped token. */
export type SwapSubject =
  | { readonly kind: 'ROUTE'; readonly quote: Quote; readonly rounding?: Rounding }
  | { readonly kind: 'WRAP'; readonly amount: Amount };

/** A swap to be turned into instructions. Addresses in lower case. */
export type SwapOrder = {
  readonly subject: SwapSubject;
  /** The caller pays with native currency. */
  readonly nativeIn: boolean;
  /** The recipient is paid in native currency. */
  readonly nativeOut: boolean;
  readonly slippageBps: number;
  /** Receiver of the output. Where it is absent, the sender, or without a sender the wallet that executes. */
  readonly recipient?: Address;
  /** The wallet that will execute, when known. */
  readonly sender?: Address;
  readonly deadlineSeconds: bigint;
  /** Bytes after the call's own, by which a transaction shows whose order it executes. Contracts ignore them. */
  readonly reference?: `0x${string}`;
};

/** The bound the instruction enforces on chain. */
export type SwapLimit = { readonly minAmountOut: Amount } | { readonly maxAmountIn: Amount };

/** Tokens that somebody held before a swap and that the swap hands out. `token` undefined: native currency. */
export type PriorHolding = {
  readonly holder: Address;
  readonly token: Address | undefined;
  readonly amount: bigint;
};

/**
 * What the swap moved when it was executed on the state of the quote's block. That is what was quoted, to the smallest
 * unit, apart from its rounding and from what `priorHoldings` added.
 */
export type Simulation =
  | {
      readonly status: 'PASSED';
      readonly amountIn: Amount;
      readonly amountOut: Amount;
      readonly gasUsed: bigint;
      readonly blockNumber: bigint;
      /** Balances from before the swap, when it moved more than was quoted; else empty. */
      readonly priorHoldings: readonly PriorHolding[];
    }
  | { readonly status: 'UNAVAILABLE' };

/** The reasons why the sender cannot execute now; a member is null when nothing is missing. */
export type SwapIssues = {
  readonly balance: { readonly actual: Amount; readonly required: Amount } | null;
  readonly allowance: {
    readonly actual: Amount;
    readonly required: Amount;
    readonly spender: `0x${string}`;
  } | null;
};

/** Instructions in the order to execute them: approvals, if any, then the swap. */
export type SwapResult =
  | {
      readonly ok: true;
      readonly instructions: readonly Instruction[];
      readonly limit: SwapLimit;
      readonly simulation: Simulation;
      /** Present where the order names a sender and the chain answered. */
      readonly issues?: SwapIssues;
    }
  | { readonly ok: false; readonly refusal: SwapRefusal };

/** What a sender must hold of the input, and have approved for `spender`, where a swap is simulated with that alone. */
export type NeededHoldings = {
  readonly balance: Amount;
  /** Absent: only the balance is lacking. */
  readonly spender?: Address;
};

/** Why no instructions leave. */
export type SwapRefusal =
  /** The recipient is an address that would lose or redirect the output. */
  | { readonly reason: 'RECIPIENT_REFUSED'; readonly detail: string }
  /** The chain would revert the swap. `pools`: those of its route, as they were quoted. */
  | { readonly reason: 'SIMULATION_FAILED'; readonly revertReason: string; readonly pools: readonly Pool[] }
  /** The chain would move other amounts than were quoted over these pools. */
  | { readonly reason: 'AMOUNTS_DIFFER'; readonly detail: string; readonly pools: readonly Pool[] }
  /**
   * The sender lacks some of the input, or nobody was named as sender. The missing input cannot be put in place for a
   * simulation: the token's balances or allowances are no plain storage words.
   */
  | { readonly reason: 'HOLDINGS_NEEDED'; readonly token: Address; readonly needed: NeededHoldings }
  /** What the swap moves could not be measured. */
  | { readonly reason: 'SIMULATION_UNAVAILABLE' }
  /** The nodes contradict each other about what the swap moves. */
  | { readonly reason: 'NODES_DISAGREE' }
  /** The nodes do not know the block of the quote, or no longer: a reorganisation has taken it back. */
  | { readonly reason: 'BLOCK_GONE'; readonly blockNumber: bigint }
  /** The path cannot be expressed on the router. */
  | { readonly reason: 'NOT_EXECUTABLE'; readonly detail: string };

/** Why a route fails although its pools are as quoted. */
export type RouteFaults = {
  /** Tokens on the way that no pool can pay or be paid as the token is asked to. */
  readonly tokens: readonly Address[];
  /** Pools that a token refuses while it moves at others. */
  readonly pools: readonly Address[];
  /** Whether it is a token that is traded itself: then no other route helps. */
  readonly isOfEnds: boolean;
};

/** Finds the faults of a route at a block. Undefined where the chain could not be asked. Never rejects. */
export type RouteFaultFinder = (quote: Quote, block: Head) => Promise<RouteFaults | undefined>;

/** Turns orders into verified instructions for one chain, simulated at the block of their quote. */
export type SwapPlanner = (order: SwapOrder, block: Head) => Promise<SwapResult>;
