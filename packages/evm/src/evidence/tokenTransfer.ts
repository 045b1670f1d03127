import { NodeNonsenseError } from '../rpc/errors.ts';
import type { Address } from '@fairway/engine';
import {
  fieldsOf,
  type Hash,
  listOf,
  toAccount,
  toBytes,
  toCount,
  toHash,
  toQuantity,
} from './nodeFields.ts';

/**
 * An ERC-20 Transfer log. `token` is the contract that wrote it. Any contract can write any log, so trust only known
 * tokens.
 */
export type TokenTransfer = {
  readonly token: Address;
  readonly from: Address;
  readonly to: Address;
  /** In the token's smallest unit. */
  readonly amount: bigint;
  readonly txHash: Hash;
  /** The log's index in its block or, with some nodes, in its transaction: only together with `txHash` it names one log. */
  readonly logIndex: number;
  readonly blockNumber: bigint;
  readonly blockHash: Hash;
};

/** `Transfer(address,address,uint256)`. ERC-721 has the same topic, with all three arguments indexed. */
export const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

/** An address as a topic. */
export function addressToTopic(address: Address): Hash {
  return `0x${address.slice(2).padStart(64, '0')}`;
}

/**
 * The ERC-20 transfers among a node's logs, in their order. Other logs and logs that a reorganisation has removed are
 * left out.
 * @throws for anything that is not a log, and for a log sent twice, whose amount would be counted twice.
 */
export function logsToTransfers(logs: unknown): TokenTransfer[] {
  const transfers = listOf(logs, 'list of logs').flatMap((log) => logToTransfer(log) ?? []);
  const places = new Set(
    transfers.map(({ blockHash, txHash, logIndex }) => `${blockHash} ${txHash} ${logIndex}`),
  );
  if (places.size !== transfers.length) throw new NodeNonsenseError('The node sent a log twice');
  return transfers;
}

function logToTransfer(log: unknown): TokenTransfer | undefined {
  const fields = fieldsOf(log, 'log');
  const topics = listOf(fields['topics'], 'list of topics').map(toHash);
  const data = toBytes(fields['data']);
  if (fields['removed'] === true || topics[0] !== TRANSFER_TOPIC) return undefined;
  const from = topicToAddress(topics[1]);
  const to = topicToAddress(topics[2]);
  const isErc20 = topics.length === 3 && data.length === 66;
  if (!isErc20 || from === undefined || to === undefined) return undefined;
  return {
    token: toAccount(fields['address']),
    from,
    to,
    amount: BigInt(data),
    txHash: toHash(fields['transactionHash']),
    logIndex: toCount(fields['logIndex']),
    blockNumber: toQuantity(fields['blockNumber']),
    blockHash: toHash(fields['blockHash']),
  };
}

/** Undefined for a word that is larger than an address: no compiler writes an address like that. */
function topicToAddress(topic: Hash | undefined): Address | undefined {
  return topic?.startsWith(`0x${'0'.repeat(24)}`) ? toAccount(`0x${topic.slice(26)}`) : undefined;
}
