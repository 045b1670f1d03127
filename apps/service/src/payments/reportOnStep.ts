import type { Plan } from '@fairway/plan';
import type { Outcome } from '../problems/problem.ts';
import { claimEvent } from './claims/claimEvent.ts';
import { recordReport } from './claims/recordReport.ts';
import type { FoundStep } from './findPlan.ts';
import type { Acting, PaymentParts } from './paymentParts.ts';
import type { Report } from './stepReport.ts';

/** Records a report on a step. What the report claims about the chain is checked there, as far as possible. */
export function reportOnStep(
  parts: PaymentParts,
  acting: Acting,
  { plan, step }: FoundStep,
  report: Report,
): Promise<Outcome<Plan>> {
  return recordReport(parts, acting, plan, (ignored) =>
    claimEvent(parts, acting, plan, step, report, ignored),
  );
}
