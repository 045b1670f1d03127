import type { RpcRequest } from '@fairway/evm';
import { numberToHex } from 'viem';

/** `Transfer(address,address,uint256)`. */
const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
/** Transfers of the token in each block to addresses that nobody watches. */
const STRANGERS = 60;

/** A node of a chain that has nothing but transfers of one token. It measures its own time, so that it can be subtracted. */
export type RecordNode = {
  readonly request: RpcRequest;
  /** How often it was asked, apart from looks for the head, and how long it has worked on its answers. */
  readonly calls: () => number;
  readonly busyMs: () => number;
  readonly latest: () => number;
  /** Makes so many blocks, each with a transfer to one of the addresses. */
  mine(blocks: number, receiverOf: (block: number) => string): void;
};

/** Makes a node whose chain is at a block. Its headers have no blooms. */
export function recordNode(token: string, startBlock: number): RecordNode {
  let latest = startBlock;
  let [calls, busyMs] = [0, 0];
  const logsOf = new Map<number, readonly object[]>();

  function logsBetween({ blockHash, fromBlock, toBlock, topics }: Filter): readonly object[] {
    const [first, last] = blockHash === undefined ? [fromBlock, toBlock] : [blockHash, blockHash];
    const logs: object[] = [];
    for (let number = Number(first); number <= Number(last); number += 1)
      logs.push(...(logsOf.get(number) ?? []));
    const receivers = topics[2] && new Set(topics[2]);
    return receivers === undefined
      ? logs
      : logs.filter((log) => receivers.has((log as { topics: string[] }).topics[2] ?? ''));
  }

  function answer(method: string, [first]: readonly unknown[]): unknown {
    switch (method) {
      case 'eth_chainId':
        return '0x1';
      case 'eth_getBlockByNumber':
      case 'eth_getBlockByHash': {
        const number = first === 'latest' ? latest : Number(first);
        return number > latest ? null : headerOf(number);
      }
      case 'eth_getLogs':
        return logsBetween(first as Filter);
      default:
        throw new Error(`The node of the benchmark has no ${method}`);
    }
  }

  return {
    calls: () => calls,
    busyMs: () => busyMs,
    latest: () => latest,
    mine(blocks, receiverOf) {
      for (let made = 0; made < blocks; made += 1) {
        const number = latest + 1;
        const to = Array.from({ length: STRANGERS }, (_, index) => wordOf(number * 100 + index));
        to.splice(STRANGERS / 2, 0, `0x${receiverOf(number).slice(2).padStart(64, '0')}`);
        logsOf.set(
          number,
          to.map((receiver, index) => logOf(token, number, index, receiver)),
        );
        latest = number;
      }
    },
    async request({ method, params = [] }) {
      // A remote node answers in a later turn of the event loop, as text, and so does this one.
      await new Promise((resolve) => setImmediate(resolve));
      const startedAt = performance.now();
      const text = JSON.stringify(answer(method, params));
      // Looking for the head is the follower's in the service, and no call of the record.
      if (params[0] !== 'latest') calls += 1;
      busyMs += performance.now() - startedAt;
      return JSON.parse(text) as unknown;
    },
  };
}

type Filter = {
  readonly blockHash?: string;
  readonly fromBlock?: string;
  readonly toBlock?: string;
  readonly topics: readonly (readonly string[] | undefined)[];
};

function wordOf(number: number): string {
  return numberToHex(number, { size: 32 });
}

function headerOf(number: number): object {
  return {
    number: numberToHex(number),
    hash: wordOf(number),
    parentHash: wordOf(number - 1),
    timestamp: numberToHex(1_790_000_000 + 2 * number),
    baseFeePerGas: '0x1',
  };
}

function logOf(token: string, number: number, index: number, receiver: string): object {
  return {
    address: token,
    topics: [TRANSFER_TOPIC, wordOf(7), receiver],
    data: wordOf(1_000_000),
    logIndex: numberToHex(index),
    blockNumber: numberToHex(number),
    blockHash: wordOf(number),
    transactionHash: wordOf(number * 1_000 + index),
    removed: false,
  };
}
