import { defined } from '@fairway/values';
import { pendingTransactionsOf } from '../swap/pendingTransactions.ts';
import { needsApproval } from '../plan/approvalRules.ts';
import { assetsOf } from '../terms/money.ts';
import { lastStep, swapStep } from '../plan/steps.ts';
import { lostPartsOf } from '../payout/lostParts.ts';
import { pendingPayoutsOf } from '../payout/pendingPayouts.ts';
import type { StepId, TimeMs } from '../terms/scalars.ts';
import {
  isSwapUndone,
  lostAttempt,
  openAttempt,
  owesInstructions,
  takesInstructions,
} from '../swap/rules.ts';
import { isTransferOnly } from '../terms/corridor.ts';
import type { ExecuteSwapStep, Plan, StepEvidence } from '../plan/types.ts';
import type { Words } from '../terms/words.ts';
import type { Next, NextOption } from './codes.ts';

/** What has to happen while the swap is due. */
export function swapAction(plan: Plan, step: ExecuteSwapStep, nowMs: TimeMs, words: Words): Next {
  const { stepId, evidence, withheld } = step;
  const lost = lostAttempt(step);
  if (evidence !== undefined) {
    const detail = `The transaction ${evidence.txHash} is waiting for ${plan.corridor.minConfirmations} confirmations.`;
    return { stepId, why: 'TRANSACTION_CONFIRMING', detail };
  }
  if (lost !== undefined) {
    const isHeldBack = needsApproval(plan);
    const again = isHeldBack ? '' : '; send POST …/again only when neither can be';
    const detail = `The transaction ${lost.txHash} is no longer on the chain. Mined again, it counts by itself; report the one that replaced it${again}.`;
    const told = withheld === undefined ? detail : `${detail} ${withheld.detail}`;
    const options: readonly NextOption[] = isHeldBack ? ['reports', 'end'] : ['reports', 'again', 'end'];
    return { stepId, why: 'TRANSACTION_LOST', detail: told, options };
  }
  const pending = pendingTransactionAction(plan);
  if (pending !== undefined) return pending;
  if (withheld?.reason === 'PRICE_BELOW_FLOOR')
    return {
      stepId,
      why: 'PRICE_BELOW_FLOOR',
      detail: `${withheld.detail} To wait no longer, refund the deposit and end the plan.`,
    };
  const open = openAttempt(step);
  if (owesInstructions(plan) || open === undefined) {
    const detail = withheld?.detail ?? 'The service derives instructions from the current block.';
    return { stepId, why: 'INSTRUCTIONS_DUE', detail };
  }
  const canExpire = !isTransferOnly(plan.corridor);
  if (canExpire && nowMs >= open.notAfterMs) {
    const detail = 'The instructions have expired: send POST …/again for new ones.';
    return { stepId, why: 'INSTRUCTIONS_EXPIRED', detail };
  }
  const { source, target } = assetsOf(plan);
  const account = words.address(plan.corridor.target.settlementAddress);
  const amountIn = words.amount(plan.amountIn, source);
  const detail = `Execute the instructions in order: they ${canExpire ? `bring at least ${words.amount(open.minAmountOut, target)} to ${account} for ${amountIn}` : `send ${amountIn} to ${account}`}. Report the transaction of the last one when it is signed, before you send it.`;
  const deadlineMs = canExpire ? open.notAfterMs : undefined;
  return { stepId, why: 'SWAP_DUE', detail, ...defined({ deadlineMs }) };
}

/**
 * What has to happen while a transaction that swaps may be mined; undefined when there is none. The service sees by itself
 * that a deadline is over, or that the nonce was used. A transfer that is merely gone has only the integrator's word.
 */
export function pendingTransactionAction(plan: Plan): Next | undefined {
  const all = pendingTransactionsOf(plan);
  const pending = all.at(-1);
  if (pending === undefined) return undefined;
  const { stepId, attempts, status } = swapStep(plan);
  const canTryAgain = (takesInstructions(plan) && !needsApproval(plan)) || status === 'FAILED';
  const submitted = `The transaction ${pending.txHash} was submitted: when it is mined, it counts by itself, and so does one with its nonce that replaced it and executed the instructions.`;
  const calls = canTryAgain ? 'POST …/again or …/end' : 'POST …/end';
  const forced = `Only if you know that neither can be mined any more, send "force": true with ${calls}`;
  const options: readonly NextOption[] = ['reports', ...(canTryAgain ? (['again'] as const) : []), 'end'];
  const action = { stepId, why: 'TRANSACTION_PENDING', options } as const;
  // Nothing enforces a deadline of a transfer.
  if (isTransferOnly(plan.corridor)) {
    const repeats = canTryAgain ? ': with again, the same transfer is to be executed once more' : '';
    const detail = `${submitted} If it is gone, have its sender send another transaction with its nonce: once that is confirmed, nothing waits any more. ${forced}${repeats}.`;
    return { ...action, detail };
  }
  const look = canTryAgain ? 'POST …/again and …/end look at once' : 'POST …/end looks at once';
  const late = `When the deadline is over on the chain, the service stops to wait; ${look}.`;
  const deadlinesMs = all.map(({ position }) => attempts[position]?.notAfterMs ?? 0);
  const deadlineMs = Math.max(...deadlinesMs);
  return { ...action, detail: `${submitted} ${late} ${forced}.`, deadlineMs };
}

/**
 * That a transaction may be mined although another did what it was for; undefined when there is none. Nothing waits for it:
 * the plan may be COMPLETED.
 */
export function secondAction(plan: Plan, nowMs: TimeMs): Next | undefined {
  const last = lastStep(plan);
  const { attempts, stepId } = swapStep(plan);
  const lost = lostPartsOf(plan).at(-1);
  const payout = pendingPayoutsOf(plan).at(-1) ?? lost;
  const swap = pendingTransactionsOf(plan).findLast(
    ({ position }) => nowMs < (attempts[position]?.notAfterMs ?? 0),
  );
  const pending = payout ?? swap;
  if (pending === undefined || plan.ended !== undefined) return undefined;
  const [what, where] = pending === payout ? ['pay the recipient', last.stepId] : ['swap', stepId];
  const before =
    pending === lost
      ? 'which paid a part, is no longer on the chain: refund nothing of what is left before it is certain what becomes of it'
      : 'was submitted, too';
  const detail = `The transaction ${pending.txHash}${pending === lost ? ', ' : ' '}${before}. If it is mined, it will ${what} once more${pending === lost ? '' : ', and is then recorded'}. Another transaction with its nonce keeps it from being mined. To wait no longer, end the plan, with "force": true if you know that it never will be.`;
  return { stepId: where, why: 'TRANSACTION_PENDING', detail };
}

/** What has to happen when the chain took the swap back, and somebody still has to be paid. */
export function lostSwapAction(plan: Plan): Next | undefined {
  const { stepId, evidence } = swapStep(plan);
  if (evidence?.status !== 'LOST' || isSwapUndone(plan)) return undefined;
  const detail = `The transaction ${evidence.txHash}, which brought the money, is no longer on the chain. Mined again, it counts by itself; report the one that replaced it; have nothing paid out before.`;
  return { stepId, why: 'TRANSACTION_LOST', detail };
}

/** What has to happen when the recipient has chosen, and the swap that was to pay for it was undone for good. */
export function undoneSwapAction(plan: Plan): Next | undefined {
  if (!isSwapUndone(plan)) return undefined;
  const { stepId, evidence } = swapStep(plan);
  const detail = `The transaction ${evidence?.txHash}, which had brought the money, was mined again and reverted, so there is nothing to pay out. Refund the deposit, and end the plan.`;
  return { stepId, why: 'MONEY_UNEXPLAINED', detail };
}

/** What has to happen while the swap that brought the money is not final: nothing is paid again before that. */
export function unsettledSwapAction(plan: Plan): Next | undefined {
  const { stepId, evidence } = swapStep(plan);
  const lost = lostSwapAction(plan);
  return lost ?? (evidence?.status === 'CONFIRMING' ? evidenceAction(stepId, evidence) : undefined);
}

/** What has to happen about the transaction that a payout or a delivery rests on. */
export function evidenceAction(stepId: StepId, { status, txHash }: StepEvidence): Next {
  if (status === 'LOST') {
    const detail = `The transaction ${txHash} is no longer on the chain. Mined again, it counts by itself; have the custodian pay anew only when it cannot be.`;
    return { stepId, why: 'TRANSACTION_LOST', detail };
  }
  const detail = `The transaction ${txHash} is being confirmed.`;
  return { stepId, why: 'TRANSACTION_CONFIRMING', detail };
}
