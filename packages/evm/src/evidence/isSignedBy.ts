import type { Address } from '@fairway/engine';
import { encodeFunctionData, hashMessage, type Hex, parseAbi, recoverAddress } from 'viem';
import type { RpcRequest } from '../rpc/endpoint.ts';
import { refusalOf } from '../rpc/refusal.ts';
import { RpcAnswerError } from '../rpc/errors.ts';

const CONTRACT_WALLET = parseAbi([
  'function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)',
]);
/** What a contract wallet answers to a signature that it takes (EIP-1271), as a word. */
const TAKEN = `0x1626ba7e${'0'.repeat(56)}`;
/**
 * Several times what wallets take to judge a signature. The caller chooses the contract, which could take all that
 * nodes give.
 */
const MOST_GAS = '0x4c4b40';

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
    const answer = await request({
      method: 'eth_call',
      params: [{ to: account, data, gas: MOST_GAS }, { blockHash }],
    });
    return answer === TAKEN;
  } catch (error) {
    if (error instanceof RpcAnswerError && isOfContract(error)) return false;
    throw error;
  }
}

/** Whether it is the contract that failed, by reverting or by its gas, and not the node. */
function isOfContract(error: RpcAnswerError): boolean {
  return refusalOf(error) === 'FINAL' || /out of gas|^EVM error/i.test(error.message);
}

async function signerOf(hash: Hex, signature: Hex): Promise<string | undefined> {
  try {
    return (await recoverAddress({ hash, signature })).toLowerCase();
  } catch {
    return undefined;
  }
}
