import { type SandboxChain, startSandboxChain } from '@fairway/sandbox';
import { TEST_CACHE_DIRECTORY } from './database.ts';
import { type AskNode, nodeAt } from './node.ts';

/** A sandbox chain for one test file, with a plain JSON-RPC port to it. */
export type TestChain = SandboxChain & {
  readonly rpc: AskNode;
  /** Sends a transaction of an unlocked account and waits for it; false when it was reverted. */
  send(from: string, to: string, data: string, value?: bigint): Promise<boolean>;
};

/** Starts a fresh sandbox chain. `close` ends it. */
export async function startTestChain(log: (message: string) => void = () => {}): Promise<TestChain> {
  const chain = await startSandboxChain({ log, cacheDirectory: TEST_CACHE_DIRECTORY });
  const rpc = nodeAt(chain.rpcUrl);
  return {
    ...chain,
    rpc,
    async send(from, to, data, value = 0n) {
      const transaction = { from, to, data, value: `0x${value.toString(16)}`, gas: '0x989680' };
      try {
        const receipt = await rpc<{ status: string }>('eth_sendTransactionSync', [transaction]);
        return receipt.status === '0x1';
      } catch (error) {
        if (error instanceof Error && /revert/i.test(error.message)) return false;
        throw error;
      }
    },
  };
}
