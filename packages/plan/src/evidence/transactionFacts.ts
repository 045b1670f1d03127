import type { MinedTransaction, SpentGas } from '../plan/movement.ts';
import type { Address, TimeMs } from '../terms/scalars.ts';

/** What the sender of a transaction signed. Addresses and calldata are in lower case. */
export type SignedFacts = {
  readonly sender: Address;
  readonly nonce: number;
  readonly to: Address | undefined;
  readonly input: string;
};

/** A mined transaction as it was read from the chain. Addresses and calldata are in lower case. */
export type TransactionFacts = SignedFacts &
  MinedTransaction & {
    readonly outcome: 'SUCCEEDED' | 'REVERTED';
    /** The time that the block states. */
    readonly blockTimeMs: TimeMs;
    /** How many nodes said the same, of how many that are configured. */
    readonly trust?: { readonly agreed: number; readonly of: number };
    /** The gas of the whole transaction, where it is known. */
    readonly gas?: SpentGas;
    /** 1 while the transaction is in the latest block. */
    readonly confirmations: number;
    /** ERC-20 transfers in the order of their logs; amounts in smallest units. */
    readonly transfers: readonly TransferFacts[];
    /**
     * The calls of the transaction that were not undone, each with the transfers made in it; the first is the
     * transaction's own call. Absent when nobody asked for them, or the node could not trace them.
     */
    readonly calls?: readonly {
      readonly to: Address;
      readonly input: string;
      readonly transfers: readonly TransferFacts[];
    }[];
  };

/** An ERC-20 transfer of a transaction. Addresses in lower case. */
export type TransferFacts = {
  readonly token: Address;
  readonly from: Address;
  readonly to: Address;
  readonly amount: bigint;
  readonly logIndex: number;
};

/**
 * Whether a transfer moves money from one account to another.
 *
 * @example
 * ```ts
 * import { movesMoney } from '@fairway/plan';
 *
 * const account = `0x${'0a'.repeat(20)}` as const;
 * const isDeposit = movesMoney({ from: account, to: account, amount: 5n }); // false
 * ```
 */
export function movesMoney({
  from,
  to,
  amount,
}: {
  readonly from: string;
  readonly to: string;
  readonly amount: bigint;
}): boolean {
  return amount > 0n && from !== to;
}

/** Which transfers of a transaction a report can be about. */
export type TransferChoice = {
  /** The transfer that the report names, by the index of its log in the block. */
  readonly logIndex?: number | undefined;
  /** The transfers that settle something else, by the same index. */
  readonly taken?: ReadonlySet<number>;
};
