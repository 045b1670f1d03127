import { after, before } from 'node:test';
import { startTestChain, type TestChain } from '@fairway/testing';
import { type ChainRpc, createChainRpc } from '../src/rpc/chainRpc.ts';

/** A chain and the requests to it. Both are there while the tests of a file run. */
export type ChainOfTest = { readonly chain: TestChain; readonly rpc: ChainRpc };

/** Starts a chain before the tests of a file, and ends it after them. */
export function useTestChain(): ChainOfTest {
  let chain: TestChain | undefined;
  let rpc: ChainRpc | undefined;
  before(async () => {
    chain = await startTestChain();
    rpc = createChainRpc([chain.rpcUrl], 5000);
  });
  after(async () => {
    rpc?.close();
    await chain?.close();
  });
  const started = <Part>(part: Part | undefined): Part => {
    if (part === undefined) throw new Error('The chain starts before the first test.');
    return part;
  };
  return {
    get chain() {
      return started(chain);
    },
    get rpc() {
      return started(rpc);
    },
  };
}
