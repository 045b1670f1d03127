import type { Fees, Hex, Inclusion } from './instruction.ts';

/** What was read of a chain for one relayer. All of it is as of one block, the head. */
export type Look = {
  readonly head: {
    readonly number: number;
    readonly hash: Hex;
    readonly timestampMs: number;
    readonly baseFeePerGasWei: bigint;
  };
  /** The newest block that cannot be replaced any more. */
  readonly finalBlockNumber: number;
  /** How many transactions of the relayer the chain has at the head, and at the final block. */
  readonly nonceLatest: number;
  readonly nonceFinal: number;
  /** What the relayer has of the native currency at the head. */
  readonly balanceWei: bigint;
  /** The attempts that the chain has. An attempt that is missing may be there all the same: receipts come late. */
  readonly inclusions: ReadonlyMap<Hex, Inclusion>;
  /** What a transaction has to offer to be in one of the next blocks. */
  readonly marketFees: Fees;
};

/** How much gas may cost, and when to offer more. */
export type GasRules = {
  /** What a unit may cost at most. A call offers at most 8/9 of it, so that its cancellation can still replace it. */
  readonly maxFeePerGasCapWei: bigint;
  /** More is offered when an attempt has waited for so many blocks. */
  readonly bumpAfterBlocks: number;
  /** How many bound instructions wait for their blocks at the same time. */
  readonly mostPending: number;
};

/** What a process knows of transactions that left, beside the database. */
export type Sent = {
  /** The highest nonce of the journal beside the database; -1 for none. It shows that a database is an older one. */
  readonly upTo: number;
  /** Hashes that nodes were given so lately that they need not be given again. Nodes forget what waits. */
  readonly lately: ReadonlySet<Hex>;
};
