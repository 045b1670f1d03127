import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Address, toAddress } from '@fairway/engine';
import { startTestChain, type TestChain } from '@fairway/testing';
import { encodeFunctionData, numberToHex, parseAbi } from 'viem';
import { type ChainRpc, createChainRpc } from '../src/rpc/chainRpc.ts';
import type { RpcRequest } from '../src/rpc/endpoint.ts';

/** A sandbox chain on which tokens are sent about. Amounts in smallest units. */
export type TokenSandbox = {
  readonly chain: TestChain;
  readonly request: RpcRequest;
  readonly accounts: readonly Address[];
  token(symbol: string): Address;
  /** Sends a transaction and does not wait; the hash. */
  post(transaction: Posting): Promise<`0x${string}`>;
  /** Sends a transfer that is mined in a block of its own; the hash. */
  transfer(token: Address, to: Address, amount: bigint): Promise<`0x${string}`>;
  /** Runs with mining on demand. */
  withoutMining<T>(run: () => Promise<T>): Promise<T>;
  /** Replaces the latest block by an empty one. */
  replaceHead(): Promise<void>;
  close(): Promise<void>;
};

type Posting = {
  readonly from: Address;
  readonly to?: Address;
  readonly data: string;
  readonly nonce?: number;
  readonly gweiPerGas?: number;
};

/** Starts a sandbox chain. */
export async function startTokenSandbox(): Promise<TokenSandbox> {
  const chain = await startTestChain();
  const rpc: ChainRpc = createChainRpc([chain.rpcUrl], 10_000);
  const accounts = chain.accounts.map(({ address }) => toAddress(address));
  const bySymbol = new Map(chain.tokens.map(({ symbol, address }) => [String(symbol), toAddress(address)]));

  let replaced = 0;

  async function post({ from, to, data, nonce, gweiPerGas = 10 }: Posting): Promise<`0x${string}`> {
    const price = numberToHex(BigInt(gweiPerGas) * 10n ** 9n);
    const fees = { gas: '0x50000', maxFeePerGas: price, maxPriorityFeePerGas: price };
    const place = nonce === undefined ? {} : { nonce: numberToHex(nonce) };
    return chain.rpc('eth_sendTransaction', [{ from, to, data, ...fees, ...place }]);
  }

  return {
    chain,
    request: rpc.request,
    accounts,
    token(symbol) {
      const address = bySymbol.get(symbol);
      assert.ok(address, `the sandbox has no ${symbol}`);
      return address;
    },
    post,
    async transfer(token, to, amount) {
      const from = accounts[0];
      assert.ok(from);
      const transaction = { from, to: token, data: transferData(to, amount), gas: '0x50000' };
      const { transactionHash, status } = await chain.rpc<{
        transactionHash: `0x${string}`;
        status: string;
      }>('eth_sendTransactionSync', [transaction]);
      assert.equal(status, '0x1');
      await untilOutOfPool(chain, transactionHash);
      return transactionHash;
    },
    async withoutMining(run) {
      await chain.rpc('evm_setAutomine', [false]);
      try {
        return await run();
      } finally {
        await chain.rpc('evm_setAutomine', [true]);
      }
    },
    async replaceHead() {
      // With the same coinbase an empty block would be replaced by an identical one.
      replaced += 1;
      await chain.rpc('anvil_setCoinbase', [numberToHex(replaced, { size: 20 })]);
      await chain.rpc('anvil_reorg', [1, []]);
    },
    async close() {
      rpc.close();
      await chain.close();
    },
  };
}

/** Waits until the node has removed a mined transaction from its pool: before that it would mine it again. */
async function untilOutOfPool(chain: TestChain, txHash: string): Promise<void> {
  for (let waitedMs = 0; waitedMs < 5000; waitedMs += 5) {
    const { blockHash } = await chain.rpc<{ blockHash: string | null }>('eth_getTransactionByHash', [txHash]);
    if (blockHash !== null) return;
    await sleep(5);
  }
  assert.fail('a mined transaction stays in the pool');
}

const TOKEN_ABI = parseAbi(['function transfer(address to, uint256 amount) returns (bool)']);

/** Calldata of an ERC-20 transfer. */
export function transferData(to: Address, amount: bigint): `0x${string}` {
  return encodeFunctionData({ abi: TOKEN_ABI, functionName: 'transfer', args: [to, amount] });
}
