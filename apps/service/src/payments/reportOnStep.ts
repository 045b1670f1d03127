import { attemptPosition, defined, type Plan, type PlanEvent } from '@fairway/plan';
import { type Outcome, refuse } from '../problems/problem.ts';
import { claimEvent } from './claims/claimEvent.ts';
import { recordReport } from './claims/recordReport.ts';
import { unfit } from './claims/unfit.ts';
import type { FoundStep } from './findPlan.ts';
import type { Acting, PaymentParts } from './paymentParts.ts';
import { changePlan } from './planChanges.ts';
import { mismatch } from './planProblems.ts';
import type { StepReport, SubmissionReport } from './stepReport.ts';

/** Records a report on a step. Claims about the chain are checked there, as far as possible. */
export async function reportOnStep(
  parts: PaymentParts,
  acting: Acting,
  { plan, step }: FoundStep,
  report: StepReport | SubmissionReport,
): Promise<Outcome<Plan>> {
  if (report.outcome !== 'SUBMITTED')
    return recordReport(parts, acting, plan, (ignored) =>
      claimEvent(parts, acting, plan, step, report, ignored),
    );
  const { outcome, attemptId, txHash, sender, nonce } = report;
  const wrong = step.type === 'EXECUTE_SWAP' ? undefined : unfit(step, { outcome }, ['DONE'], [], []);
  if (wrong !== undefined) return wrong;
  const position = attemptPosition(plan.planId, attemptId);
  if (position === undefined)
    return refuse(mismatch(`${attemptId} is no attempt of this plan; its step names attemptId.`));
  const { stepId } = step;
  const event: PlanEvent = {
    type: 'EXECUTION_SUBMITTED',
    stepId,
    position,
    txHash,
    ...defined({ sender, nonce }),
  };
  return changePlan(parts, acting, plan, event);
}
