import type { TokenTransfer } from '@fairway/evm';
import type { ReadTransfer } from '@fairway/store';
import type { Reading } from './reading.ts';

/**
 * Those of the transfers read that concern somebody. `unread`: they paid a settlement address, and whose swaps they were, if
 * anybody's, is known only once their transactions are read.
 */
export type Matched = {
  readonly transfers: readonly ReadTransfer[];
  readonly unread: readonly ReadTransfer[];
};

/**
 * Compares transfers with what is watched, at no request. Transfers that are known to be no swap are not read again.
 */
export function matchTransfers(
  { watch, noSwaps }: Reading,
  read: readonly TokenTransfer[],
  timeMsOf: (blockNumber: number) => number,
): Matched {
  const transfers: ReadTransfer[] = [];
  const unread: ReadTransfer[] = [];
  for (const transfer of read) {
    const interest = watch.interestOf(transfer);
    if (interest === undefined) continue;
    const { txHash, token, from, to, amount, logIndex, blockHash } = transfer;
    const blockNumber = Number(transfer.blockNumber);
    const place = { blockHash, blockNumber, blockTimeMs: timeMsOf(blockNumber), logIndex, txHash };
    const row: ReadTransfer = { ...place, token, from, to, amount };
    if (interest.isPayout) transfers.push({ ...row, isPayout: true });
    else if (interest.isDeposit) transfers.push(row);
    if (interest.settles && !noSwaps.has(transactionName(transfer))) unread.push(row);
  }
  return { transfers, unread };
}

/** A transaction in a block. */
export function transactionName({ txHash, blockHash }: Pick<ReadTransfer, 'txHash' | 'blockHash'>): string {
  return `${txHash} ${blockHash}`;
}
