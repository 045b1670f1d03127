import { readTags, type TagReading, type TokenTransfer } from '@fairway/evm';
import { defined } from '@fairway/plan';
import type { RecordedTransfer } from '@fairway/store';
import type { Reading } from './reading.ts';

/** So many transactions are remembered: blocks are read twice, and a tag costs a request. */
const KEPT_TAGS = 5_000;

/**
 * The transfers that are to be recorded, of those read. A transfer to a settlement address is recorded where its
 * transaction carries a tag, or where nobody can say whether it does; others are of no plan.
 */
export async function matchTransfers(
  reading: Reading,
  transfers: readonly TokenTransfer[],
  timeMsOf: (blockNumber: number) => number,
): Promise<readonly RecordedTransfer[]> {
  const { watch } = reading;
  const wanted = transfers.flatMap((transfer) => {
    const interest = watch.interestOf(transfer);
    return interest === undefined ? [] : [{ transfer, interest }];
  });
  const settling = Map.groupBy(
    wanted.flatMap(({ transfer, interest }) => (interest.settles ? [transfer] : [])),
    nameOf,
  );
  const tags = new Map<string, TagReading>();
  for (const [name, paid] of settling) tags.set(name, await tagsOf(reading, name, paid));
  return wanted.flatMap(({ transfer, interest }) => {
    const found = interest.settles ? tags.get(nameOf(transfer)) : undefined;
    const tag = found === 'UNTRACED' ? undefined : found?.get(transfer.logIndex);
    const isKept = interest.ofPlan || tag !== undefined || found === 'UNTRACED';
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
        ...defined({ tag, untraced: found === 'UNTRACED' ? (true as const) : undefined }),
      },
    ];
  });
}

function nameOf({ txHash, blockHash }: TokenTransfer): string {
  return `${txHash} ${blockHash}`;
}

async function tagsOf(
  { chain, watch, tags }: Reading,
  name: string,
  transfers: readonly TokenTransfer[],
): Promise<TagReading> {
  const known = tags.get(name);
  // Another token may be watched by now.
  if (known !== undefined && known !== 'UNTRACED') return known;
  const found = await readTags(chain.request, transfers, new Set([...chain.routers, ...watch.tokens()]));
  tags.set(name, found);
  for (const oldest of tags.keys()) {
    if (tags.size <= KEPT_TAGS) break;
    tags.delete(oldest);
  }
  return found;
}
