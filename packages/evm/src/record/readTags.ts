import type { Address } from '@fairway/engine';
import type { Hash } from '../evidence/nodeFields.ts';
import { readCalls, type StandingCall } from '../evidence/readCalls.ts';
import { askForReceipt, askForTransaction } from '../evidence/readTransaction.ts';
import type { TokenTransfer } from '../evidence/tokenTransfer.ts';
import type { RpcRequest } from '../rpc/endpoint.ts';
import { BlockGoneError } from '../rpc/errors.ts';

/** The bytes of a tag, and of a selector and an argument of a call, in hexadecimal digits. */
const [TAG_DIGITS, SELECTOR_DIGITS, WORD_DIGITS] = [32, 8, 64];

/** A tag of a transfer. `isForeign`: the call was to a contract that takes no tags, so the tag may be other bytes. */
export type FoundTag = { readonly tag: `0x${string}`; readonly isForeign: boolean };

/** The tags of a transaction's transfers by their log index. UNTRACED: it went through a contract that no node traces. */
export type TagReading = ReadonlyMap<number, FoundTag> | 'UNTRACED';

/**
 * Reads whose instructions a transaction may have executed. The tag is the last 16 bytes of a call to one of
 * `contracts`, when the call has such bytes after its arguments. A transaction through another contract is traced.
 * Each transfer has the tag of the innermost such call that made it. When there is none, it has a foreign tag of a
 * call to another contract.
 * @throws BlockGoneError where the transaction is in another block by now, RpcAnswerError, RpcUnreachableError,
 * NodesDisagreeError
 *
 * @example
 * ```ts
 * import type { Address } from '@fairway/engine';
 * import { readTags, type RpcRequest, type TokenTransfer } from '@fairway/evm';
 *
 * declare const request: RpcRequest;
 * declare const transfers: readonly TokenTransfer[]; // of one transaction
 * declare const routerAndTokens: ReadonlySet<Address>;
 *
 * const tags = await readTags(request, transfers, routerAndTokens);
 * const found = tags === 'UNTRACED' ? undefined : tags.get(transfers[0]?.logIndex ?? 0);
 * ```
 */
export async function readTags(
  request: RpcRequest,
  transfers: readonly TokenTransfer[],
  contracts: ReadonlySet<Address>,
): Promise<TagReading> {
  const [first] = transfers;
  if (first === undefined) return new Map();
  const { txHash, blockHash } = first;
  const transaction = await askForTransaction(request, txHash);
  if (transaction?.blockHash !== blockHash) throw new BlockGoneError();
  const { to, input } = transaction.posted;
  if (to !== undefined && contracts.has(to)) return tagged(transfers, input, false);
  return tagsOfCalls(await tracedCalls(request, txHash, blockHash), contracts);
}

/** The tag of each transfer that calls made. */
export function tagsOfCalls(
  calls: readonly StandingCall[] | 'UNTRACEABLE',
  contracts: ReadonlySet<Address>,
): TagReading {
  if (calls === 'UNTRACEABLE') return 'UNTRACED';
  const tags = new Map<number, FoundTag>();
  for (const isForeign of [true, false]) {
    for (const call of calls) {
      if (contracts.has(call.to) === isForeign) continue;
      // Calls come in their order, an inner one after the one around it: the innermost tag stays.
      for (const [logIndex, each] of tagged(call.transfers, call.input, isForeign)) tags.set(logIndex, each);
    }
  }
  return tags;
}

async function tracedCalls(request: RpcRequest, txHash: Hash, blockHash: Hash) {
  const receipt = await askForReceipt(request, txHash);
  if (receipt?.blockHash !== blockHash) throw new BlockGoneError();
  const { transfers, logCount, firstLogIndex } = receipt;
  return readCalls(request, { txHash, transfers, logCount, firstLogIndex });
}

/** What is found of transfers that one call made. */
export function tagged(
  transfers: readonly TokenTransfer[],
  input: `0x${string}`,
  isForeign: boolean,
): ReadonlyMap<number, FoundTag> {
  const tag = tagOf(input);
  return new Map(tag === undefined ? [] : transfers.map(({ logIndex }) => [logIndex, { tag, isForeign }]));
}

/** The bytes after a call's arguments; undefined where the call has no such bytes. */
function tagOf(input: `0x${string}`): `0x${string}` | undefined {
  const digits = input.slice(2);
  const hasTag = (digits.length - SELECTOR_DIGITS) % WORD_DIGITS === TAG_DIGITS;
  return hasTag && digits.length > SELECTOR_DIGITS ? `0x${digits.slice(-TAG_DIGITS)}` : undefined;
}
