import type { TestChain } from './chain.ts';

/** Every block that was part of the chain while this was kept, also those that a reorg has taken away since. */
export type CanonicalBlocks = {
  /** Notes the present chain, back to a block already known. */
  note(): Promise<void>;
  /** A block's number; undefined when it never was part of the chain. */
  numberOf(hash: string): number | undefined;
  stop(): void;
};

type Block = { readonly hash: string; readonly parentHash: string; readonly number: string };

/**
 * Keeps a chain's blocks. It also listens to the node itself: a transaction that a reorg sends back to the pool is
 * mined again at a moment of the node's own, and that block may be gone before anybody asks.
 */
export async function keepCanonicalBlocks(chain: TestChain): Promise<CanonicalBlocks> {
  const numbers = new Map<string, number>();
  // A block that was walked to has known ancestors; one that was only pushed may not.
  const walked = new Set<string>();
  const socket = new WebSocket(chain.wsUrl);
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve);
    socket.addEventListener('error', reject);
  });
  socket.addEventListener('message', ({ data }) => {
    const { params } = JSON.parse(String(data)) as { params?: { result: Block } };
    if (params !== undefined) numbers.set(params.result.hash, Number(params.result.number));
  });
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] }));
  return {
    async note() {
      let block = await chain.rpc<Block | null>('eth_getBlockByNumber', ['latest', false]);
      while (block !== null && !walked.has(block.hash)) {
        walked.add(block.hash);
        numbers.set(block.hash, Number(block.number));
        block = await chain.rpc<Block | null>('eth_getBlockByHash', [block.parentHash, false]);
      }
    },
    numberOf: (hash) => numbers.get(hash),
    stop: () => socket.close(),
  };
}
