import type { Plan } from '@fairway/plan';
import { reportDelivery } from '../links/deliveries.ts';
import { findStep, type FoundStep } from '../findPlan.ts';
import type { PaymentParts } from '../paymentParts.ts';
import { type Acting, actingOf, type Outcome, type Registrar } from '@fairway/api';
import { reportOnStep, reportSubmission } from '../reportOnStep.ts';
import { readStepReport, type StepReport, type SubmissionReport } from '../stepReport.ts';
import { planAnswer } from '../bodies/planBody.ts';

/** Registers the reports on steps. */
export function registerSteps(registrar: Registrar, parts: PaymentParts): void {
  registrar.submit('reportStep', {
    input: (fields) => readStepReport(fields, parts),
    async answer(report, call) {
      const acting = actingOf(call);
      const { planId = '', stepId = '' } = call.params;
      const found = await findStep(parts, acting.scope, planId, stepId);
      if (!found.ok) return found;
      const outcome = await recorded(parts, acting, found.value, report);
      return planAnswer(outcome, parts, call.expand);
    },
  });
}

function recorded(
  parts: PaymentParts,
  acting: Acting,
  { plan, step }: FoundStep,
  report: StepReport | SubmissionReport,
): Promise<Outcome<Plan>> {
  if (report.outcome === 'SUBMITTED') return reportSubmission(parts, acting, { plan, step }, report);
  return step.type === 'SEND_DIGITAL_COLLECT'
    ? reportDelivery(parts, acting, { plan, step }, report)
    : reportOnStep(parts, acting, { plan, step }, report);
}
