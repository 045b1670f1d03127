import type { Address } from '@fairway/engine';
import { encodeFunctionData, hashMessage, type Hex, parseAbi, recoverAddress } from 'viem';
import type { RpcRequest } from '../rpc/endpoint.ts';
import { revertData, RpcAnswerError } from '../rpc/rpcErrors.ts';

const CONTRACT_WALLET = parseAbi([
  'function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)',
]);
/** What a contract wallet answers to a signature that it takes (EIP-1271), as a word. */
const TAKEN = `0x1626ba7e${'0'.repeat(56)}`;

/**
 * Whether an account has signed a text: with its key (EIP-191), or as a contract says at a block (EIP-1271).
 * @throws RpcUnreachableError, NodesDisagreeError
 *
 * @example
 * ```ts
 * import type { Address } from '@fairway/engine';
 * import { isSignedBy, latestHead, type RpcRequest } from '@fairway/evm';
 *
 * declare const request: RpcRequest;
 * declare const account: Address;
 * const { hash } = await latestHead(request);
 * const isOwn = await isSignedBy(request, hash, { account, text: 'I own this address.', signature: '0x…' });
 * ```
 */
export async function isSignedBy(
  request: RpcRequest,
  blockHash: string,
  { account, text, signature }: { readonly account: Address; readonly text: string; readonly signature: Hex },
): Promise<boolean> {
  const hash = hashMessage(text);
  if ((await signerOf(hash, signature)) === account.toLowerCase()) return true;
  const data = encodeFunctionData({
    abi: CONTRACT_WALLET,
    functionName: 'isValidSignature',
    args: [hash, signature],
  });
  try {
    const answer = await request({ method: 'eth_call', params: [{ to: account, data }, { blockHash }] });
    return answer === TAKEN;
  } catch (error) {
    // A wallet may refuse by reverting.
    if (error instanceof RpcAnswerError && revertData(error) !== undefined) return false;
    throw error;
  }
}

async function signerOf(hash: Hex, signature: Hex): Promise<string | undefined> {
  try {
    return (await recoverAddress({ hash, signature })).toLowerCase();
  } catch {
    return undefined;
  }
}
