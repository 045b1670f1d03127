import type { TestChain } from './chain.ts';

/** Every block that was part of the chain since the start, also blocks that a reorg has removed since. */
export type CanonicalBlocks = {
  /** Records the current chain, back to a block that is already known. */
  note(): Promise<void>;
  /** A block's number; undefined when the block was never part of the chain. */
  numberOf(hash: string): number | undefined;
  stop(): void;
};

type Block = { readonly hash: string; readonly parentHash: string; readonly number: string };

/**
 * Keeps a chain's blocks. It also listens to pushed heads. A transaction that a reorg returns to the pool is mined
 * again at any moment. Another reorg may remove that block before `note` is called.
 */
export async function keepCanonicalBlocks(chain: TestChain): Promise<CanonicalBlocks> {
  const numbers = new Map<string, number>();
  // All ancestors of a block that was walked to are known; those of a block that was only pushed may not be.
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
