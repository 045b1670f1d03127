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

const ADDRESS = /^0x[0-9a-f]{40}$/i;
const TOPIC = /^0x[0-9a-f]{64}$/i;
const BYTES = /^0x([0-9a-f]{2})*$/i;

/**
 * A node's answer as a block's receipts, with nothing but what the root covers. Undefined when it has another root,
 * or texts of another form. A text without a leading zero would be hashed to the same bytes but read as other words.
 */
export function receiptsOfRoot(answer: unknown, root: string): readonly BlockReceipt[] | undefined {
  try {
    const receipts = (answer as readonly BlockReceipt[]).map(covered);
    const isExact = receipts
      .flatMap(({ logs }) => logs)
      .every(
        ({ address, topics, data }) =>
          ADDRESS.test(address) && BYTES.test(data) && topics.every((topic) => TOPIC.test(topic)),
      );
    return isExact && receiptsRoot(receipts) === root.toLowerCase() ? receipts : undefined;
  } catch {
    return undefined;
  }
}

function covered({ type, status, cumulativeGasUsed, logsBloom, logs }: BlockReceipt): BlockReceipt {
  const known = logs.map(({ address, topics, data }) => ({ address, topics, data }));
  return { ...(type === undefined ? {} : { type }), status, cumulativeGasUsed, logsBloom, logs: known };
}

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
