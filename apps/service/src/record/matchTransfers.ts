import type { TokenTransfer } from '@fairway/evm';
import { defined } from '@fairway/plan';
import type { ReadTransfer } from '@fairway/store';
import { readAllTags } from './readAllTags.ts';
import type { Reading } from './reading.ts';

/**
 * The transfers that are to be recorded, of those read. A transfer to a settlement address is recorded where its
 * transaction carries a tag, or where nobody can say whether it does; others are of no plan. A foreign tag counts where
 * it is one of a plan, which the statement that records it finds out.
 */
export async function matchTransfers(
  reading: Reading,
  transfers: readonly TokenTransfer[],
  timeMsOf: (blockNumber: number) => number,
): Promise<readonly ReadTransfer[]> {
  const { watch } = reading;
  const wanted = transfers.flatMap((transfer) => {
    const interest = watch.interestOf(transfer);
    return interest === undefined ? [] : [{ transfer, interest }];
  });
  const settling = Map.groupBy(
    wanted.flatMap(({ transfer, interest }) => (interest.settles ? [transfer] : [])),
    nameOf,
  );
  const tags = await readAllTags(reading, settling);
  return wanted.flatMap(({ transfer, interest }) => {
    const found = interest.settles ? tags.get(nameOf(transfer)) : undefined;
    const { tag, isForeign } = (found === 'UNTRACED' ? undefined : found?.get(transfer.logIndex)) ?? {};
    const isOfPlan = interest.isDeposit || interest.isPayout;
    const isForeignTag = isForeign === true && !isOfPlan ? (true as const) : undefined;
    const isKept = isOfPlan || tag !== undefined || found === 'UNTRACED';
    if (!isKept) return [];
    const { txHash, token, from, to, amount, logIndex, blockHash } = transfer;
    const blockNumber = Number(transfer.blockNumber);
    return [
      {
        ...{
          blockHash,
          blockNumber,
          blockTimeMs: timeMsOf(blockNumber),
          logIndex,
          txHash,
          token,
          from,
          to,
          amount,
        },
        ...defined({ tag, isForeignTag, untraced: found === 'UNTRACED' ? (true as const) : undefined }),
        ...(interest.isPayout ? { isPayout: true } : {}),
      },
    ];
  });
}

function nameOf({ txHash, blockHash }: TokenTransfer): string {
  return `${txHash} ${blockHash}`;
}
