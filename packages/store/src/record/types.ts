import type { Environment } from '../database/schema.ts';

/** Which chain's record: one for each environment. */
export type ChainKey = { readonly environment: Environment; readonly chainId: number };

/**
 * The right to write a chain's record. Holder and epoch are compared together. After an older copy of the database
 * was put back, the epoch alone may be one that an earlier holder had.
 */
export type Lease = ChainKey & { readonly holder: string; readonly epoch: bigint };

/** A block of the record. The hash is in lower case. */
export type RecordedBlock = { readonly number: number; readonly hash: string; readonly timeMs: number };

/**
 * How far a chain was read. `verifiedNumber`: up to here it was read twice. `watchedXmin`: as of `RecordedBlocks`. All
 * are undefined at the beginning. `rereadFrom`: from here on it is to be read again, because a backup was put back.
 */
export type RecordPosition = {
  readonly tip: RecordedBlock | undefined;
  readonly verifiedNumber: number | undefined;
  readonly watchedXmin: string | undefined;
  readonly rereadFrom?: number | undefined;
};

/** A lease with the record as it was when it was taken. */
export type TakenLease = { readonly lease: Lease; readonly record: RecordPosition };

/**
 * What is known of a chain at a moment. CATCHING_UP: the record may lack blocks that the nodes have. NOT_SERVED: no
 * process has ever read this chain. `unread`: how many transfers to settlement addresses wait for their transactions to be
 * read, as far as they were counted.
 */
export type ChainMoment = {
  readonly chainId: number;
  readonly state: 'AT_HEAD' | 'CATCHING_UP' | 'NOT_SERVED';
  readonly readNumber: number | undefined;
  readonly readTimeMs: number | undefined;
  readonly unread?: number;
};

/**
 * An address whose transfers are recorded. `fromBlock`: no earlier transfer is of interest. `isUnmatched`: blocks may
 * have been read before anybody looked for this address.
 */
export type WatchedAddressOf = {
  readonly address: string;
  readonly purpose: 'DEPOSIT' | 'BENEFICIARY';
  readonly fromBlock: number;
  readonly isUnmatched: boolean;
};

/** The contracts and accounts of watched plans. */
export type WatchedContracts = {
  readonly tokens: readonly string[];
  readonly settlementAddresses: readonly string[];
};

/** Where a page of watched addresses ends. */
export type WatchedCursor = readonly [
  address: string,
  organisationId: string,
  planId: string,
  purpose: string,
];
