import { defined } from './defined.ts';
import { pendingTransactionsOf } from './pendingTransactions.ts';
import { assetsOf } from './money.ts';
import { swapStep } from './planSteps.ts';
import type { StepId, TimeMs } from './scalars.ts';
import { lostAttempt, openAttempt, owesInstructions } from './swapRules.ts';
import { isTransferOnly } from './transferOnly.ts';
import type { Evidence, ExecuteSwapStep, Plan } from './types.ts';
import type { Words } from './words.ts';
import type { NextAction } from './nextActionCodes.ts';

/** What has to happen while the swap is due. */
export function swapAction(plan: Plan, step: ExecuteSwapStep, nowMs: TimeMs, words: Words): NextAction {
  const { stepId, evidence, withheld } = step;
  const lost = lostAttempt(step);
  if (evidence !== undefined) {
    const detail = `The transaction ${evidence.txHash} is waiting for ${plan.corridor.minConfirmations} confirmations.`;
    return { stepId, actor: 'SERVICE', what: 'CONFIRM_TRANSACTION', detail };
  }
  if (lost !== undefined) {
    const detail = `The transaction ${lost.txHash} is no longer on the chain. Mined again, it counts by itself; report the one that replaced it; refresh only when neither can be.`;
    const told = withheld === undefined ? detail : `${detail} ${withheld.detail}`;
    return { stepId, actor: 'INTEGRATOR', what: 'FIND_TRANSACTION', detail: told };
  }
  const pending = pendingTransactionAction(plan, 'refresh');
  if (pending !== undefined) return pending;
  if (withheld?.reason === 'PRICE_BELOW_FLOOR')
    return {
      stepId,
      actor: 'SERVICE',
      what: 'WAIT_FOR_PRICE',
      detail: `${withheld.detail} To wait no longer, refund the deposit and close the plan.`,
    };
  const open = openAttempt(step);
  if (owesInstructions(plan) || open === undefined) {
    const detail = withheld?.detail ?? 'The service derives instructions from the current block.';
    return { stepId, actor: 'SERVICE', what: 'DERIVE_INSTRUCTIONS', detail };
  }
  const canExpire = !isTransferOnly(plan.corridor);
  if (canExpire && nowMs >= open.notAfterMs) {
    const detail = 'The instructions have expired; refresh the step for new ones.';
    return { stepId, actor: 'INTEGRATOR', what: 'REFRESH_INSTRUCTIONS', detail };
  }
  const { source, target } = assetsOf(plan);
  const account = words.address(plan.corridor.target.settlementAddress);
  const detail = `Execute the instructions in order: they bring at least ${words.amount(open.minAmountOut, target)} to ${account} for ${words.amount(plan.amountIn, source)}. Report the transaction of the last one.`;
  const deadlineMs = canExpire ? open.notAfterMs : undefined;
  return { stepId, actor: 'INTEGRATOR', what: 'EXECUTE_INSTRUCTIONS', detail, ...defined({ deadlineMs }) };
}

/** What has to happen while a transaction that swaps may be mined, and after that; undefined when there is none. */
export function pendingTransactionAction(plan: Plan, then: string): NextAction | undefined {
  const pending = pendingTransactionsOf(plan).at(-1);
  if (pending === undefined) return undefined;
  const { stepId } = swapStep(plan);
  const detail = `The transaction ${pending.txHash} was submitted; report it when it is mined. If another one with its nonce replaced it, report that one; ${then} when neither can be mined any more.`;
  return { stepId, actor: 'INTEGRATOR', what: 'WAIT_FOR_EXECUTION', detail };
}

/** What has to happen when the chain took the swap back, and somebody still has to be paid. */
export function lostSwapAction(plan: Plan): NextAction | undefined {
  const { stepId, evidence } = swapStep(plan);
  if (evidence?.status !== 'LOST') return undefined;
  const detail = `The transaction ${evidence.txHash}, which brought the money, is no longer on the chain. Mined again, it counts by itself; report the one that replaced it; have nothing paid out before.`;
  return { stepId, actor: 'INTEGRATOR', what: 'FIND_TRANSACTION', detail };
}

/** What has to happen about the transaction that a payout or a delivery rests on. */
export function evidenceAction(stepId: StepId, { status, txHash }: Evidence): NextAction {
  if (status === 'LOST') {
    const detail = `The transaction ${txHash} is no longer on the chain. Mined again, it counts by itself; have the custodian pay anew only when it cannot be.`;
    return { stepId, actor: 'INTEGRATOR', what: 'FIND_TRANSACTION', detail };
  }
  const detail = `The transaction ${txHash} is being confirmed.`;
  return { stepId, actor: 'SERVICE', what: 'CONFIRM_TRANSACTION', detail };
}
