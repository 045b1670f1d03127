import {
  type ExecuteSwapStep,
  judgeRevertedSwap,
  judgeSwap,
  openAttempt,
  type Plan,
  type PlanEvent,
} from '@fairway/plan';
import { done, invalidFields, type Outcome, refuse } from '../../problems/problem.ts';
import { timestampOf } from '../../time/timestamp.ts';
import { readSwapFacts } from '../chainFacts.ts';
import type { PaymentParts } from '../paymentParts.ts';
import { mismatch } from '../planProblems.ts';
import type { Report } from '../stepReport.ts';
import { minedFacts } from './minedFacts.ts';
import { unfit } from './unfit.ts';

/** The event of a report about the swap. */
export async function swapEvent(
  parts: PaymentParts,
  plan: Plan,
  step: ExecuteSwapStep,
  report: Report,
): Promise<Outcome<PlanEvent>> {
  const { outcome, txHash, failure, amount } = report;
  const needed = outcome === 'DONE' || failure?.code === 'REVERTED' ? (['txHash'] as const) : [];
  const wrong =
    unfit(step, report, ['DONE', 'FAILED'], needed, ['providerReference', 'logIndex']) ?? unfitCode(failure);
  if (wrong !== undefined) return wrong;
  const { stepId } = step;
  if (outcome === 'FAILED' && failure !== undefined) {
    if (txHash === undefined) return failedWithoutTransaction(parts, step, failure);
    const mined = await minedFacts(parts, plan, txHash);
    if (!mined.ok) return mined;
    const judged = judgeRevertedSwap(plan, mined.value);
    if (!judged.ok) return refuse(mismatch(judged.detail));
    return done({ type: 'SWAP_FAILED', stepId, failure, verification: 'VERIFIED', txHash });
  }
  if (txHash === undefined)
    throw new Error('A report that a swap is DONE has no txHash, which was checked before.');
  const mined = await minedFacts(parts, plan, txHash, (chain, hash) => readSwapFacts(chain, plan, hash));
  if (!mined.ok) return mined;
  const judged = judgeSwap(plan, mined.value);
  if (!judged.ok) return refuse(mismatch(judged.detail));
  const { attemptIndex, evidence } = judged;
  if (amount !== undefined && amount !== evidence.amount)
    return refuse(mismatch(`The transaction ${txHash} brought ${evidence.amount}, not ${amount}.`));
  return done({ type: 'SWAP_EVIDENCED', stepId, attemptIndex, evidence });
}

function unfitCode(failure: Report['failure']) {
  if (failure === undefined || ['REVERTED', 'INSTRUCTIONS_EXPIRED', 'OTHER'].includes(failure.code))
    return undefined;
  const detail = `code must be REVERTED, INSTRUCTIONS_EXPIRED or OTHER for EXECUTE_SWAP; given ${failure.code}.`;
  return refuse(invalidFields([{ pointer: '/failure/code', detail }]));
}

/**
 * A failure without a transaction. INSTRUCTIONS_EXPIRED is refused while the instructions can still be executed: new
 * instructions beside them could lead to a second swap.
 */
function failedWithoutTransaction(
  { nowMs }: PaymentParts,
  step: ExecuteSwapStep,
  failure: NonNullable<Report['failure']>,
): Outcome<PlanEvent> {
  const open = openAttempt(step);
  if (failure.code === 'INSTRUCTIONS_EXPIRED' && open !== undefined && nowMs() < open.notAfterMs)
    return refuse(mismatch(`The instructions can be executed until ${timestampOf(open.notAfterMs)}.`));
  const { stepId } = step;
  return done({ type: 'SWAP_FAILED', stepId, failure, verification: 'REPORTED' });
}
