import { readBlockHash } from '../evidence/canonicalBlock.ts';
import type { RpcRequest } from '../rpc/endpoint.ts';

/** A block whose hash is kept. The hash is in lower case. */
export type StoredBlock = { readonly number: bigint; readonly hash: string };

/**
 * The newest of some stored blocks that is still on the chain; undefined when none is. The blocks must be of one
 * chain. Then all blocks up to one of them are canonical and none after it is, so few of them have to be asked for.
 * @throws RpcAnswerError, RpcUnreachableError, NodesDisagreeError
 *
 * @example
 * ```ts
 * import { findCommonBlock, type RpcRequest, type StoredBlock } from '@fairway/evm';
 *
 * declare const request: RpcRequest;
 * declare const stored: readonly StoredBlock[];
 *
 * const common = await findCommonBlock(request, stored);
 * if (common !== undefined) console.log(`The blocks after ${common.number} were reorganised.`);
 * ```
 */
export async function findCommonBlock(
  request: RpcRequest,
  stored: readonly StoredBlock[],
): Promise<StoredBlock | undefined> {
  const blocks = stored.toSorted((a, b) => Number(a.number - b.number));
  const isCanonical = async ({ number, hash }: StoredBlock) =>
    (await readBlockHash(request, number)) === hash;
  let [common, end] = [-1, blocks.length];
  // The newest first: most reorganisations are short.
  for (let at = blocks.length - 1; end - common > 1; at = (common + end) >> 1) {
    const block = blocks[at];
    if (block !== undefined && (await isCanonical(block))) common = at;
    else end = at;
  }
  return blocks[common];
}
