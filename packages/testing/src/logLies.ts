import { concatHex, type Hex, keccak256, numberToHex, sliceHex, toHex } from 'viem';
import { about, type Lie, type NodeObject, quantity, type RpcCall, type Scene } from './lie.ts';

const SYNC = keccak256(toHex('Sync(uint112,uint112)'));
const V3_SWAP = keccak256(toHex('Swap(address,address,int256,int256,uint160,uint128,int24)'));
const TRANSFER = keccak256(toHex('Transfer(address,address,uint256)'));

type Log = {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: Hex;
  readonly logIndex: string;
};

/** Logs of blocks and ranges are changed, empty answers too. */
function aboutLogs(change: (logs: readonly Log[], call: RpcCall, scene: Scene) => unknown): Lie {
  return about(['eth_getLogs'], (result, call, scene) => change(result as readonly Log[], call, scene));
}

/** No log is shown. */
export const noLogs: Lie = aboutLogs(() => []);

/** The last log of a block is not shown. */
export const oneLogMissing: Lie = aboutLogs((logs) => logs.slice(0, -1));

/** Neither logs nor receipts show any log. */
export const noLogsAnywhere: Lie = about(['eth_getLogs', 'eth_getBlockReceipts'], (result, { method }) =>
  method === 'eth_getLogs' ? [] : (result as readonly object[]).map((each) => ({ ...each, logs: [] })),
);

/** Logs come in the opposite order. */
export const reorderedLogs: Lie = aboutLogs((logs) => logs.toReversed());

/** Each log comes twice. */
export const doubledLogs: Lie = aboutLogs((logs) => logs.flatMap((log) => [log, log]));

/** Each log comes twice, with places of its own. */
export const renumberedLogs: Lie = aboutLogs((logs) =>
  logs.flatMap((log, index) => [
    { ...log, logIndex: quantity(2 * index) },
    { ...log, logIndex: quantity(2 * index + 1) },
  ]),
);

/** Logs are of another block. */
export const strangeLogs: Lie = aboutLogs((logs) =>
  logs.map((log) => ({ ...log, blockHash: `0x${'b1'.repeat(32)}` })),
);

/** Logs say that a reorganisation has removed them; receipts say so, too. */
export const removedLogs: Lie = about(['eth_getLogs', 'eth_getTransactionReceipt'], (result) => {
  const removed = (logs: unknown) => (logs as readonly object[]).map((log) => ({ ...log, removed: true }));
  if (Array.isArray(result)) return removed(result);
  return { ...(result as object), logs: removed((result as NodeObject)['logs']) };
});

/** Reserves and prices in logs are half of what they are; their places and topics are true. */
export const changedLogs: Lie = aboutLogs((logs) => logs.map(halvedLog));

/** A log with one reserve, or price and liquidity, at a half. */
function halvedLog(log: Log): Log {
  if (log.topics[0] === SYNC) return { ...log, data: withWords(log.data, { 1: (word) => word / 2n }) };
  if (log.topics[0] === V3_SWAP) return { ...log, data: withWords(log.data, { 3: (word) => word / 2n }) };
  return log;
}

function withWords(data: Hex, changes: Readonly<Record<number, (word: bigint) => bigint>>): Hex {
  const count = (data.length - 2) / 64;
  const words = Array.from({ length: count }, (_, index) => sliceHex(data, 32 * index, 32 * index + 32));
  return concatHex(
    words.map((word, index) => numberToHex(changes[index]?.(BigInt(word)) ?? BigInt(word), { size: 32 })),
  );
}

/** A block without logs has one that halves a reserve of the pair, and one that pays an invented transfer. */
export function inventedLogs(pair: { readonly address: string; readonly reserves: readonly bigint[] }): Lie {
  return aboutLogs((logs, call, scene) => {
    const [filter] = call.params as readonly { readonly blockHash?: string; readonly topics?: unknown[] }[];
    if (filter?.blockHash === undefined)
      return [...logs, ...scene.invented.map((each, index) => transferLog(each, scene, index))];
    const last = logs.at(-1);
    const logIndex = quantity(last === undefined ? 0 : Number(last.logIndex) + 1);
    const [reserve0 = 0n, reserve1 = 0n] = pair.reserves;
    const words = [reserve0, reserve1 / 2n].map((each) => numberToHex(each, { size: 32 }));
    const block = { blockHash: filter.blockHash, blockNumber: scene.firstHead['number'] };
    const place = { ...block, transactionHash: `0x${'1a'.repeat(32)}`, transactionIndex: '0x0', logIndex };
    return [
      ...logs,
      { ...place, address: pair.address, topics: [SYNC], data: concatHex(words), removed: false },
    ];
  });
}

/** The log of a transfer that never happened, in the block at which the lie began. */
export function transferLog(
  { txHash, token, to, amount }: Scene['invented'][number],
  { firstHead }: Scene,
  logIndex = 0,
): NodeObject {
  const word = (address: string) => `0x${address.slice(2).toLowerCase().padStart(64, '0')}`;
  return {
    address: token,
    topics: [TRANSFER, word(`0x${'77'.repeat(20)}`), word(to)],
    data: numberToHex(amount, { size: 32 }),
    blockNumber: firstHead['number'],
    blockHash: firstHead['hash'],
    transactionHash: txHash,
    transactionIndex: '0x0',
    logIndex: quantity(logIndex),
    removed: false,
  };
}
