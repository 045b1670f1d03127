import {
  decide,
  dueStep,
  type Plan,
  type PlanCommand,
  type SendDigitalCollectStep,
  type Step,
} from '@fairway/plan';
import { type Acting, type Outcome, type ProblemFacts, refuse } from '@fairway/api';
import type { PaymentParts } from '../paymentParts.ts';
import { commandRefused } from '../planProblems.ts';
import type { StepReport } from '../stepReport.ts';
import { depositCommand } from './deposit.ts';
import { payoutCommand } from './payout.ts';
import { swapCommand } from './swap.ts';

/** A step whose reports claim something. Those on SEND_DIGITAL_COLLECT are deliveries. */
export type ClaimedStep = Exclude<Step, SendDigitalCollectStep>;

/**
 * The command of a report on a step. Where the claim is about the chain, it is checked there; a claim
 * that the chain contradicts is a problem. `ignored`: transfers that do not count for this plan, by `transferName`.
 */
export async function claimedCommand(
  parts: PaymentParts,
  acting: Acting,
  plan: Plan,
  step: ClaimedStep,
  report: StepReport,
  ignored: ReadonlySet<string>,
): Promise<Outcome<PlanCommand>> {
  // Money comes back at any time, also when the plan has ended.
  const early = report.outcome === 'RETURNED' ? undefined : outOfTurn(plan, step, parts.nowMs());
  if (early !== undefined) return refuse(early);
  switch (step.type) {
    case 'AWAIT_DEPOSIT':
      return depositCommand(parts, acting, plan, step, report, ignored);
    case 'EXECUTE_SWAP':
      return swapCommand(parts, plan, step, report);
    case 'CUSTODIAN_PAYOUT':
      return payoutCommand(parts, acting, plan, step, report, ignored);
  }
}

/** Why the step takes no report now; undefined when it takes one. The plan alone decides this, so no chain is read. */
function outOfTurn(plan: Plan, step: ClaimedStep, nowMs: number): ProblemFacts | undefined {
  if (step.status === 'DONE') return undefined;
  const isDue = plan.ended === undefined && dueStep(plan)?.stepId === step.stepId;
  // A swap or a payout that FAILED takes another report; a deposit that FAILED because it came late needs a retry
  // first.
  if (isDue && (step.type !== 'AWAIT_DEPOSIT' || step.status !== 'FAILED')) return undefined;
  const decision = decide(plan, attemptAt(step), nowMs);
  return decision.ok ? undefined : commandRefused(decision.refusal);
}

/** A command that a step accepts only when it is due: trying it tells why the step takes no report now. */
function attemptAt(step: ClaimedStep): PlanCommand {
  const { stepId } = step;
  const failed = { stepId, failure: { code: 'OTHER' } } as const;
  switch (step.type) {
    case 'AWAIT_DEPOSIT':
      return {
        type: 'DEPOSIT_REPORTED',
        stepId,
        amount: step.expected,
        verification: 'REPORTED',
        transfers: [],
      };
    case 'EXECUTE_SWAP':
      return { type: 'SWAP_FAILED', ...failed, verification: 'REPORTED' };
    case 'CUSTODIAN_PAYOUT':
      return { type: 'PAYOUT_FAILED', ...failed };
  }
}
