import { concatHex, type Hex, toHex, toRlp } from 'viem';
import { quantityBytes } from './headerHash.ts';
import { orderedTrieRoot } from './orderedTrie.ts';

/** A receipt as `eth_getBlockReceipts` sends it, as far as a block commits to it. */
export type BlockReceipt = {
  readonly type?: Hex;
  readonly status: Hex;
  readonly cumulativeGasUsed: Hex;
  readonly logsBloom: Hex;
  readonly logs: readonly { readonly address: Hex; readonly topics: readonly Hex[]; readonly data: Hex }[];
};

/**
 * The root that a block's header holds of its receipts (EIP-2718: the type is written before the receipt). Receipts of
 * chains with members of their own have another root.
 */
export function receiptsRoot(receipts: readonly BlockReceipt[]): Hex {
  return orderedTrieRoot(receipts.map(encoded));
}

function encoded({ type, status, cumulativeGasUsed, logsBloom, logs }: BlockReceipt): Hex {
  const entries = logs.map(({ address, topics, data }) => [address, topics, data] as const);
  const receipt = toRlp([quantityBytes(status), quantityBytes(cumulativeGasUsed), logsBloom, entries]);
  const kind = Number(type ?? '0x0');
  return kind === 0 ? receipt : concatHex([toHex(kind, { size: 1 }), receipt]);
}
