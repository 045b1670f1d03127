import type { Plan } from '@fairway/plan';
import { type FoundStep, findStep } from '../payments/findPlan.ts';
import type { Acting, PaymentParts } from '../payments/paymentParts.ts';
import { reportOnStep } from '../payments/reportOnStep.ts';
import { readStepReport } from '../payments/stepReport.ts';
import { readStepAgain, refreshStep, retryStep } from '../payments/steps.ts';
import type { Outcome } from '../problems/problem.ts';
import { actingOf } from './acting.ts';
import { planAnswer } from './planBody.ts';
import type { Call, Registrar } from './registrar.ts';

/** Registers the operations on one step of a plan. */
export function registerSteps(registrar: Registrar, parts: PaymentParts): void {
  const onStep =
    (use: (acting: Acting, found: FoundStep) => Promise<Outcome<Plan>>) => async (call: Call) => {
      const acting = actingOf(call);
      const { planId = '', stepId = '' } = call.params;
      const found = await findStep(parts, acting.scope, planId, stepId);
      return planAnswer(found.ok ? await use(acting, found.value) : found, parts);
    };

  // POST …/steps/{stepId}/refresh: derives new instructions from the current block.
  registrar.submit('refreshStep', {
    input: readStepAgain,
    answer: (again, call) => onStep((acting, found) => refreshStep(parts, acting, found, again))(call),
  });
  // POST …/steps/{stepId}/retry: sets a failed step back, so that it can be tried again.
  registrar.submit('retryStep', {
    input: readStepAgain,
    answer: (again, call) => onStep((acting, found) => retryStep(parts, acting, found, again))(call),
  });
  // POST …/steps/{stepId}/reports: reports the outcome of a step.
  registrar.submit('reportStep', {
    input: (fields) => readStepReport(fields, parts.nowMs()),
    answer: (report, call) => onStep((acting, found) => reportOnStep(parts, acting, found, report))(call),
  });
}
