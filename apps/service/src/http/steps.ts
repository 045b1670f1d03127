import type { Plan } from '@fairway/plan';
import { reportDelivery } from '../collect/deliveries.ts';
import { findStep, type FoundStep } from '../payments/findPlan.ts';
import type { Acting, PaymentParts } from '../payments/paymentParts.ts';
import { reportOnStep, reportSubmission } from '../payments/reportOnStep.ts';
import { readStepReport, type StepReport, type SubmissionReport } from '../payments/stepReport.ts';
import type { Outcome } from '../problems/problem.ts';
import { actingOf } from './acting.ts';
import { planAnswer } from './planBody.ts';
import type { Registrar } from './registrar.ts';

/** Registers the reports on steps. */
export function registerSteps(registrar: Registrar, parts: PaymentParts): void {
  registrar.submit('reportStep', {
    input: (fields) => readStepReport(fields, parts.nowMs()),
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
