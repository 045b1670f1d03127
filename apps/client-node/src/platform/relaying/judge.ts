import type { ChainRpc, NodeRpc } from '@fairway/evm';
import type { Instruction, Refusal, RelayPorts } from '@fairway/relay';
import { gasLimitOf, readSender, type Sender } from './callFacts.ts';
import type { Gas } from './gas.ts';

/** Judges a call before a nonce is bound to it, and again before it is first signed: undefined where it may be executed. */
export type Policy = (about: Instruction, sender: Sender) => Promise<Refusal | undefined>;

/** What a call is judged with. */
export type JudgeOptions = {
  readonly request: ChainRpc['request'];
  readonly nodes: readonly NodeRpc[];
  readonly policy: Policy;
  /** What a unit of gas may cost at most: the balance must be enough for it. */
  readonly gas: Gas;
};

/** What time heals: the relayer gets new funds, and swaps of the same token that came before are mined. */
export const WAITED_FOR: ReadonlySet<string> = new Set(['BALANCE_NOT_KEPT', 'TOKEN_IN_USE']);

/** Judges by the policy, then by a simulation at the newest block. */
export function createJudge({ request, nodes, policy, gas }: JudgeOptions): RelayPorts['judge'] {
  return async (about) => {
    const { call } = about;
    const sender = await readSender(request, call.sender);
    const { head, balanceWei } = sender;
    if (balanceWei < call.valueWei) return { may: 'WAIT' };
    const refusal = await policy(about, sender);
    if (refusal !== undefined)
      return WAITED_FOR.has(refusal.code) ? { may: 'WAIT' } : { may: 'NEVER', refusal };
    const gasLimit = await gasLimitOf(nodes, call);
    if (gasLimit === 'REVERTED') return { may: 'NEVER', refusal: { code: 'SIMULATION_FAILED' } };
    const { maxFeePerGasCapWei } = await gas();
    const feeWei = least(2n * head.baseFeePerGas, maxFeePerGasCapWei);
    return balanceWei < call.valueWei + gasLimit * feeWei ? { may: 'WAIT' } : { may: 'EXECUTE', gasLimit };
  };
}

function least(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}
