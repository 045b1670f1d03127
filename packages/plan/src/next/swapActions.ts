import { defined } from '../terms/defined.ts';
import { pendingTransactionsOf } from '../swap/pendingTransactions.ts';
import { assetsOf } from '../terms/money.ts';
import { swapStep } from '../plan/planSteps.ts';
import type { StepId, TimeMs } from '../terms/scalars.ts';
import { lostAttempt, openAttempt, owesInstructions } from '../swap/swapRules.ts';
import { isTransferOnly } from '../plan/transferOnly.ts';
import type { Evidence, ExecuteSwapStep, Plan } from '../plan/types.ts';
import type { Words } from '../terms/words.ts';
import type { Next } from './nextCodes.ts';

/** What has to happen while the swap is due. */
export function swapAction(plan: Plan, step: ExecuteSwapStep, nowMs: TimeMs, words: Words): Next {
  const { stepId, evidence, withheld } = step;
  const lost = lostAttempt(step);
  if (evidence !== undefined) {
    const detail = `The transaction ${evidence.txHash} is waiting for ${plan.corridor.minConfirmations} confirmations.`;
    return { stepId, why: 'TRANSACTION_CONFIRMING', detail };
  }
  if (lost !== undefined) {
    const detail = `The transaction ${lost.txHash} is no longer on the chain. Mined again, it counts by itself; report the one that replaced it; send POST …/again only when neither can be.`;
    const told = withheld === undefined ? detail : `${detail} ${withheld.detail}`;
    return { stepId, why: 'TRANSACTION_LOST', detail: told, options: ['reports', 'again', 'end'] };
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
  const detail = `Execute the instructions in order: they bring at least ${words.amount(open.minAmountOut, target)} to ${account} for ${words.amount(plan.amountIn, source)}. Report the transaction of the last one.`;
  const deadlineMs = canExpire ? open.notAfterMs : undefined;
  return { stepId, why: 'SWAP_DUE', detail, ...defined({ deadlineMs }) };
}

/**
 * What has to happen while a transaction that swaps may be mined; undefined when there is none. Nothing but the integrator's
 * next request looks for one that was not mined before its deadline, so that the deadline is told.
 */
export function pendingTransactionAction(plan: Plan): Next | undefined {
  const all = pendingTransactionsOf(plan);
  const pending = all.at(-1);
  if (pending === undefined) return undefined;
  const { stepId, attempts } = swapStep(plan);
  const detail = `The transaction ${pending.txHash} was submitted: when it is mined, it counts by itself, and so does one with its nonce that replaced it and executed the instructions. Only if you know that neither can be mined any more, send "force": true with POST …/again or …/end.`;
  const action = { stepId, why: 'TRANSACTION_PENDING', detail } as const;
  // Nothing enforces a deadline of a transfer.
  if (isTransferOnly(plan.corridor)) return action;
  const late = 'When the deadline is over, send POST …/again or …/end: it looks for the transaction first.';
  const deadlinesMs = all.map(({ position }) => attempts[position]?.notAfterMs ?? 0);
  const deadlineMs = Math.max(...deadlinesMs);
  return { ...action, detail: `${detail} ${late}`, deadlineMs };
}

/** What has to happen when the chain took the swap back, and somebody still has to be paid. */
export function lostSwapAction(plan: Plan): Next | undefined {
  const { stepId, evidence } = swapStep(plan);
  if (evidence?.status !== 'LOST') return undefined;
  const detail = `The transaction ${evidence.txHash}, which brought the money, is no longer on the chain. Mined again, it counts by itself; report the one that replaced it; have nothing paid out before.`;
  return { stepId, why: 'TRANSACTION_LOST', detail };
}

/** What has to happen about the transaction that a payout or a delivery rests on. */
export function evidenceAction(stepId: StepId, { status, txHash }: Evidence): Next {
  if (status === 'LOST') {
    const detail = `The transaction ${txHash} is no longer on the chain. Mined again, it counts by itself; have the custodian pay anew only when it cannot be.`;
    return { stepId, why: 'TRANSACTION_LOST', detail };
  }
  const detail = `The transaction ${txHash} is being confirmed.`;
  return { stepId, why: 'TRANSACTION_CONFIRMING', detail };
}
