import { type Address, type Hex, numberToHex } from 'viem';
import type { Line } from './line.ts';
import { minedStatus } from './minedStatus.ts';
import { NodeUnreachable, type Rpc, RpcError } from './rpc.ts';

/** A call to send from any account. `value` in wei. */
export type SandboxCall = {
  readonly from: Address;
  readonly to: Address;
  readonly data: Hex;
  readonly value: bigint;
};

/**
 * The mined transaction, which may have been reverted, or why there is none. REFUSED: by the node. UNAVAILABLE: no
 * answer.
 */
export type SentResult =
  | { readonly ok: true; readonly transactionHash: Hex; readonly outcome: 'SUCCEEDED' | 'REVERTED' }
  | { readonly ok: false; readonly reason: 'REFUSED' | 'UNAVAILABLE'; readonly detail: string };

/** Sends a transaction from any account; resolves when it is mined. */
export type Sender = (call: SandboxCall) => Promise<SentResult>;

/**
 * More gas than any call of the sandbox needs. With a fixed limit a call that reverts is mined, not refused by an
 * estimate.
 */
const gas = numberToHex(3_000_000n);
/** Wei for gas, given to a sender that has less, so that calls in the sandbox do not fail for lack of gas money. */
const GAS_MONEY = 10n ** 18n;

/** Makes the sender; calls wait for each other in `line`. */
export function createSender(rpc: Rpc, line: Line): Sender {
  return async (call) => {
    try {
      return await line(() => send(rpc, call));
    } catch (error) {
      if (error instanceof NodeUnreachable)
        return { ok: false, reason: 'UNAVAILABLE', detail: error.message };
      if (error instanceof RpcError) return { ok: false, reason: 'REFUSED', detail: error.message };
      throw error;
    }
  };
}

async function send(rpc: Rpc, { from, to, data, value }: SandboxCall): Promise<SentResult> {
  await rpc.request('anvil_impersonateAccount', [from]);
  const held = BigInt(await rpc.request<Hex>('eth_getBalance', [from, 'latest']));
  if (held < GAS_MONEY + value) await rpc.request('anvil_setBalance', [from, numberToHex(GAS_MONEY + value)]);
  const transactionHash = await rpc.request<Hex>('eth_sendTransaction', [
    { from, to, data, value: numberToHex(value), gas },
  ]);
  const outcome = await minedStatus(rpc, transactionHash);
  if (outcome !== 'NOT_MINED') return { ok: true, transactionHash, outcome };
  return { ok: false, reason: 'UNAVAILABLE', detail: `transaction ${transactionHash} was not mined in time` };
}
