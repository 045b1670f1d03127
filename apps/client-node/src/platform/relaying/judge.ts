import type { NodeRpc } from '@fairway/evm';
import type { GasRules, Instruction, Refusal, RelayPorts, Verdict } from '@fairway/relay';
import { exactAmount } from '@fairway/values';
import { gasLimitOf, type Sender, senderOf } from './callFacts.ts';

/** Judges a call before a nonce is bound to it, and again before it is first signed: undefined where it may be executed. */
export type Policy = (
  about: Instruction,
  sender: Sender,
  rules: Pick<GasRules, 'maxFeePerGasCapWei'>,
) => Promise<Refusal | undefined>;

/** What a call is judged with. */
export type JudgeOptions = {
  readonly nodes: readonly NodeRpc[];
  readonly policy: Policy;
};

/** What time heals: the relayer gets new funds, and swaps of the same token that came before are mined. */
export const WAITED_FOR: ReadonlySet<string> = new Set(['BALANCE_NOT_KEPT', 'TOKEN_IN_USE']);

/** A verdict that says what is waited for. */
export type ReasonedVerdict =
  | Exclude<Verdict, { may: 'WAIT' }>
  | { readonly may: 'WAIT'; readonly why: Refusal };

/** Judges by the policy, then by a simulation. The balance must be enough for the most that a unit of gas may cost. */
export function createJudge({
  nodes,
  policy,
}: JudgeOptions): (...given: Parameters<RelayPorts['judge']>) => Promise<ReasonedVerdict> {
  return async (about, { look, rules }) => {
    const { call } = about;
    const sender = senderOf(look);
    const { head, balanceWei } = sender;
    if (balanceWei < call.valueWei) return short(call, call.valueWei - balanceWei);
    const refusal = await policy(about, sender, rules);
    if (refusal !== undefined)
      return WAITED_FOR.has(refusal.code) ? { may: 'WAIT', why: refusal } : { may: 'NEVER', refusal };
    const gasLimit = await gasLimitOf(nodes, call);
    if (gasLimit === 'REVERTED') return { may: 'NEVER', refusal: { code: 'SIMULATION_FAILED' } };
    const feeWei = least(2n * head.baseFeePerGas, rules.maxFeePerGasCapWei);
    const shortWei = call.valueWei + gasLimit * feeWei - balanceWei;
    return shortWei > 0n ? short(call, shortWei) : { may: 'EXECUTE', gasLimit };
  };
}

const NATIVE_DECIMALS = 18;

function short({ sender }: Instruction['call'], shortWei: bigint): ReasonedVerdict {
  const detail = `The relayer has too little native currency: send ${exactAmount(shortWei, NATIVE_DECIMALS)} or more (${shortWei} wei) to ${sender}.`;
  return { may: 'WAIT', why: { code: 'BALANCE_NOT_KEPT', detail } };
}

function least(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}
