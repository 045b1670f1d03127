import { type Hex, numberToHex } from 'viem';
import type { Head } from '../types.ts';
import type { RpcRequest } from './endpoint.ts';
import { RpcAnswerError } from './errors.ts';

/** One call of a simulated block. */
export type BlockCall = {
  readonly from?: Hex;
  readonly to: Hex;
  readonly data: Hex;
  readonly value?: Hex;
  readonly gas?: Hex;
};

/** What a call of a simulated block gave. */
export type CallResult = {
  readonly status: Hex;
  readonly returnData: Hex;
  readonly gasUsed: Hex;
  readonly error?: { readonly data?: unknown };
};

/**
 * Runs calls one after the other in one simulated block on top of `block` (`eth_simulateV1`), where gas is free and anybody can be the
 * sender. Undefined where the node does not offer it. Rejects as `request` does.
 *
 * @example
 * ```ts
 * import { type Head, type RpcRequest, simulateCalls } from '@fairway/evm';
 *
 * declare const request: RpcRequest;
 * declare const head: Head;
 * const results = await simulateCalls(request, head, [{ to: '0x7A17198f797826708a00139D6C93cA4d41B342c0', data: '0x' }]);
 * const succeeded = results?.every(({ status }) => status === '0x1');
 * ```
 */
export async function simulateCalls(
  request: RpcRequest,
  block: Pick<Head, 'hash' | 'timestampSeconds'>,
  calls: readonly BlockCall[],
  stateOverrides: object = {},
): Promise<readonly CallResult[] | undefined> {
  // Nodes differ in the time that they give a simulated block. The deadline is judged by it, and a token may pay by it.
  const blockOverrides = { time: numberToHex(block.timestampSeconds + 1n) };
  const simulated = { blockOverrides, stateOverrides, calls };
  const at = { blockHash: block.hash, requireCanonical: true };
  try {
    const answer = (await request({
      method: 'eth_simulateV1',
      params: [{ blockStateCalls: [simulated], validation: false }, at],
    })) as readonly { readonly calls?: readonly CallResult[] }[];
    const results = answer[0]?.calls;
    if (results?.length !== calls.length) throw new Error('The node sent something that is no simulation');
    return results;
  } catch (error) {
    // A call that reverts gives an answer. An error, whatever its code, means that the node does not offer the method.
    if (error instanceof RpcAnswerError) return undefined;
    throw error;
  }
}
