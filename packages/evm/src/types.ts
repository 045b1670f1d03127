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
  /**
   * Reads pools of a quote back from the chain at once, and corrects those of the market that differ. Never rejects.
   */
  reread(pools: readonly Pool[]): Promise<PoolsReread>;
  readonly tokens: ReadonlyMap<Address, TokenInfo>;
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
  | { readonly kind: 'ROUTE'; readonly quote: Quote }
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
 * unit, apart from what `priorHoldings` added.
 */
export type Simulation =
  | {
      readonly status: 'PASSED';
      readonly amountIn: Amount;
      readonly amountOut: Amount;
      readonly gasUsed: bigint;
      readonly blockNumber: bigint;
      /** What had been held before the swap, where it moved more than was quoted; else empty. */
      readonly priorHoldings: readonly PriorHolding[];
    }
  | { readonly status: 'UNAVAILABLE' };

/** What keeps the sender from executing now; a member is null where nothing is missing. */
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

/** Why no instructions leave. */
export type SwapRefusal =
  /** The recipient is an address that would lose or redirect the output. */
  | { readonly reason: 'RECIPIENT_REFUSED'; readonly detail: string }
  /** The chain would revert the swap. `pools`: those of its route, as they were quoted. */
  | { readonly reason: 'SIMULATION_FAILED'; readonly revertReason: string; readonly pools: readonly Pool[] }
  /** The chain would move other amounts than were quoted over these pools. */
  | { readonly reason: 'AMOUNTS_DIFFER'; readonly detail: string; readonly pools: readonly Pool[] }
  /** What the swap moves could not be measured. */
  | { readonly reason: 'SIMULATION_UNAVAILABLE' }
  /** The nodes contradict each other about what the swap moves. */
  | { readonly reason: 'NODES_DISAGREE' }
  /** The nodes do not know the block of the quote, or no longer: a reorganisation has taken it back. */
  | { readonly reason: 'BLOCK_GONE'; readonly blockNumber: bigint }
  /** The path cannot be expressed on the router. */
  | { readonly reason: 'NOT_EXECUTABLE'; readonly detail: string };

/** Turns orders into verified instructions for one chain, simulated at the block of their quote. */
export type SwapPlanner = (order: SwapOrder, block: Head) => Promise<SwapResult>;
