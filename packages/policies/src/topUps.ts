import { type CheckedSwap, NATIVE } from '@fairway/sdk/checks';
import type { ChainPolicy, TopUpPolicy } from './policy.ts';
import type { Asked, Proposal } from './proposal.ts';
import type { Refusal } from './refusal.ts';

/** Whether native currency is sent as it is. Nothing but a top-up does so. */
export function isTopUp({ tokenIn, tokenOut }: Pick<Asked, 'tokenIn' | 'tokenOut'>): boolean {
  return tokenIn === NATIVE && tokenOut === NATIVE;
}

/** What the policy says of a relayer that another one fills up. */
export function topUpIn(
  { topUps }: Pick<ChainPolicy, 'topUps'>,
  { sender, recipient }: Pick<Asked, 'sender' | 'recipient'>,
): TopUpPolicy | undefined {
  return topUps.find(({ from, to }) => from === sender && to === recipient);
}

/** What a top-up takes, or why it is none that the policy names. */
export function checkTopUp(chain: ChainPolicy, { asked, calls }: Proposal): CheckedSwap | Refusal {
  const { chainId, amount, recipient } = asked;
  if (topUpIn(chain, asked)?.amountWei !== amount)
    return {
      ...{ code: 'TOP_UP_NOT_ALLOWED', rule: `chains.${chainId}.topUps` },
      detail: `No top-up of ${recipient} by ${amount} wei is named.`,
    };
  const [call, ...others] = calls;
  const isRight =
    call?.kind === 'EVM_CALL' &&
    call.chainId === chainId &&
    call.to.toLowerCase() === recipient &&
    call.data === '0x' &&
    call.value === String(amount);
  if (!isRight || others.length > 0)
    return { code: 'ANSWER_CALLS', rule: 'asked', detail: 'The calls are something else than the top-up.' };
  return { calls: [{ to: call.to as `0x${string}`, data: '0x', value: amount }], taken: amount };
}
