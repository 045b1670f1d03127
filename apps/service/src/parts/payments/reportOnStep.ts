import { toAddress } from '@fairway/engine';
import { attemptPosition, type Hash, type Plan, type PlanCommand, type SignedFacts } from '@fairway/plan';
import { defined } from '@fairway/values';
import { type Acting, eip55, type Outcome, refuse } from '@fairway/api';
import { readTransactionFacts } from './chainFacts.ts';
import { type ClaimedStep, claimedCommand } from './claims/claimedCommand.ts';
import { recordReport } from './recordReport.ts';
import { unfit } from './claims/unfit.ts';
import type { FoundStep } from './findPlan.ts';
import type { PaymentParts } from './paymentParts.ts';
import { changePlan } from './changePlan.ts';
import { mismatch } from './planProblems.ts';
import type { StepReport, SubmissionReport } from './stepReport.ts';

/** Records what happened to a step. Claims about the chain are checked there, as far as possible. */
export function reportOnStep(
  parts: PaymentParts,
  acting: Acting,
  { plan, step }: { readonly plan: Plan; readonly step: ClaimedStep },
  report: StepReport,
): Promise<Outcome<Plan>> {
  return recordReport(parts, acting, plan, (ignored) =>
    claimedCommand(parts, acting, plan, step, report, ignored),
  );
}

/** Records that a transaction which executes an attempt may be sent. */
export async function reportSubmission(
  parts: PaymentParts,
  acting: Acting,
  { plan, step }: FoundStep,
  { outcome, attemptId, txHash, sender, nonce }: SubmissionReport,
): Promise<Outcome<Plan>> {
  const wrong = unfit(step, { outcome }, [], []);
  if (wrong !== undefined) return wrong;
  const position = attemptPosition(plan.planId, attemptId);
  if (position === undefined)
    return refuse(mismatch(`${attemptId} is no attempt of this plan; next names it, beside calls.`));
  const { stepId } = step;
  const signed = await signedFacts(parts, plan, txHash);
  if (signed !== undefined && sender !== undefined && (signed.sender !== sender || signed.nonce !== nonce))
    return refuse(
      mismatch(
        `The transaction ${txHash} has the sender ${eip55(toAddress(signed.sender))} and the nonce ${signed.nonce}. Send these values, or neither.`,
      ),
    );
  const by = defined({ sender: signed?.sender ?? sender, nonce: signed?.nonce ?? nonce });
  const command: PlanCommand = { type: 'EXECUTION_SUBMITTED', stepId, position, txHash, ...by };
  return changePlan(parts, acting, plan, command);
}

/** Who signed a transaction, where the chain has it already. A chain that cannot be read does not hinder the report. */
async function signedFacts(
  { chains }: PaymentParts,
  { corridor }: Plan,
  txHash: Hash,
): Promise<SignedFacts | undefined> {
  const reading = await readTransactionFacts(chains.get(corridor.source.chainId), txHash);
  if (reading.outcome === 'MINED') return reading.facts;
  return reading.outcome === 'PENDING' ? reading.signed : undefined;
}
