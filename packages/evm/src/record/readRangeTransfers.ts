import type { Address } from '@fairway/engine';
import { blockAt, readBlockHash } from '../evidence/canonicalBlock.ts';
import type { TokenTransfer } from '../evidence/tokenTransfer.ts';
import { type BlockRange, transfersBetween } from '../evidence/transfersBetween.ts';
import type { RpcRequest } from '../rpc/endpoint.ts';
import { BlockGoneError } from '../rpc/errors.ts';
import type { Head } from '../types.ts';
import type { RecordFilter } from './readBlockTransfers.ts';

/** The most receivers of one request: nodes limit the alternatives for one topic, commonly to 1000. */
export const MOST_RECEIVERS = 1000;

/** The transfers of a range of blocks. */
export type RangeReading = {
  readonly transfers: readonly TokenTransfer[];
  /** The blocks with a transfer, by number. Each is canonical, and so is `end`, the last block of the range. */
  readonly blocks: ReadonlyMap<bigint, Head>;
  readonly end: Head;
  /** The most blocks of one request that was answered: below the range's own where nodes refused it. */
  readonly widest: number;
  /** How many transfers the nodes sent, wanted or not. */
  readonly seen: number;
};

/**
 * Reads the transfers in a range of blocks, of all receivers or of these, and the headers of those blocks that have
 * one. A range that a node refuses is read in halves. Rejects with BlockGoneError where the chain was reorganised
 * meanwhile.
 * @throws RpcAnswerError, RpcUnreachableError, NodesDisagreeError, and for logs that make no sense
 *
 * @example
 * ```ts
 * import type { Address } from '@fairway/engine';
 * import { readRangeTransfers, type RpcRequest } from '@fairway/evm';
 *
 * declare const request: RpcRequest;
 * declare const tokens: readonly Address[];
 *
 * const { transfers, end } = await readRangeTransfers(request, { fromBlock: 100n, toBlock: 2_099n }, { tokens });
 * console.log(`${transfers.length} transfers up to ${end.hash}`);
 * ```
 */
export async function readRangeTransfers(
  request: RpcRequest,
  range: BlockRange,
  {
    tokens,
    receivers,
    isWanted = () => true,
  }: RecordFilter & {
    readonly receivers?: readonly Address[];
    /** Leaves transfers out, so that no headers are read for them. */
    readonly isWanted?: (transfer: TokenTransfer) => boolean;
  },
): Promise<RangeReading> {
  const end = await canonical(request, range.toBlock);
  const transfers: TokenTransfer[] = [];
  let widest = Number(range.toBlock - range.fromBlock) + 1;
  let seen = 0;
  // A node would read an empty list as "any token".
  for (const part of tokens.length === 0 ? [] : partsOf(receivers)) {
    const found = await transfersBetween(request, { tokens, ...part }, range);
    for (const transfer of found.transfers) if (isWanted(transfer)) transfers.push(transfer);
    widest = Math.min(widest, found.widest);
    seen += found.transfers.length;
  }
  const blocks = new Map<bigint, Head>();
  for (const { blockNumber, blockHash } of transfers) {
    const block = blocks.get(blockNumber) ?? (await canonical(request, blockNumber));
    if (block.hash !== blockHash) throw new BlockGoneError();
    blocks.set(blockNumber, block);
  }
  if ((await readBlockHash(request, end.number)) !== end.hash) throw new BlockGoneError();
  return { transfers, blocks, end, widest, seen };
}

async function canonical(request: RpcRequest, number: bigint): Promise<Head> {
  const block = await blockAt(request, number);
  if (block === undefined) throw new BlockGoneError();
  return block;
}

/** Without receivers one request is for all of them. */
function partsOf(
  receivers: readonly Address[] | undefined,
): readonly { readonly receivers?: readonly Address[] }[] {
  if (receivers === undefined) return [{}];
  const parts: { readonly receivers: readonly Address[] }[] = [];
  for (let start = 0; start < receivers.length; start += MOST_RECEIVERS)
    parts.push({ receivers: receivers.slice(start, start + MOST_RECEIVERS) });
  return parts;
}
