import { decide, type Plan, type PlanEvent, type Step } from '@fairway/plan';
import type { PaymentPlan } from '@fairway/wire';
import { transferName } from '../payments/chainFacts.ts';
import type { PaymentParts } from '../payments/paymentParts.ts';
import { planBody } from './planBody.ts';
import { changeRefused, eventRefused, NO_SUCH_STEP } from '../payments/planProblems.ts';
import { carriedOn } from '../payments/planWork.ts';
import { reportEvent } from '../payments/claims.ts';
import type { Fields } from '../fields/fields.ts';
import type { Call } from './operations.ts';
import { findPlan, scopeOf } from './payments.ts';
import { type Answer, invalidFields, type ProblemAnswer, refuse } from './problem.ts';
import { type Report, readReport } from '../payments/stepReport.ts';

/** A plan of the caller's and the step of it that the path names. */
type Found = { readonly plan: Plan; readonly step: Step };

/** Finds what the path names, with what is due by the clock done first. */
export async function findStep(fields: Fields, parts: PaymentParts, call: Call): Promise<Answer<Found>> {
  if (fields.errors.length > 0) return refuse(invalidFields(fields.errors));
  const found = await findPlan(parts, call);
  if (!found.ok) return found;
  const plan = await carriedOn(parts, scopeOf(call), found.body);
  const step = plan.steps.find(({ stepId }) => stepId === call.params['stepId']);
  return step === undefined ? refuse(NO_SUCH_STEP) : { ok: true, body: { plan, step } };
}

/** Lets an event happen to a plan in the caller's name, and does what becomes due by it. */
async function happened(
  parts: PaymentParts,
  call: Call,
  plan: Plan,
  event: PlanEvent,
): Promise<Answer<Plan>> {
  return afterwards(parts, call, await record(parts, call, plan, event));
}

type Recorded = Awaited<ReturnType<PaymentParts['store']['payments']['changePlan']>>;

function record(parts: PaymentParts, call: Call, { planId }: Plan, event: PlanEvent): Promise<Recorded> {
  const deed = { actor: call.caller.credentialId, atMs: parts.nowMs() };
  return parts.store.payments.changePlan(scopeOf(call), planId, event, deed);
}

async function afterwards(parts: PaymentParts, call: Call, changed: Recorded): Promise<Answer<Plan>> {
  if (!changed.ok) return refuse(changeRefused(changed));
  return { ok: true, body: await carriedOn(parts, scopeOf(call), changed.plan) };
}

function shown(parts: PaymentParts, answer: Answer<Plan>): Answer<PaymentPlan> {
  return answer.ok ? { ok: true, body: planBody(answer.body, parts.nowMs()) } : answer;
}

/** POST …/steps/{stepId}/refresh: instructions from the current block. */
export async function refreshStep(
  fields: Fields,
  parts: PaymentParts,
  call: Call,
): Promise<Answer<PaymentPlan>> {
  const found = await findStep(fields, parts, call);
  if (!found.ok) return found;
  const { plan, step } = found.body;
  return shown(parts, await refreshed(parts, call, plan, step));
}

/** The plan with instructions from the current block, where it is their turn. */
export async function refreshed(
  parts: PaymentParts,
  call: Call,
  plan: Plan,
  { stepId }: Step,
): Promise<Answer<Plan>> {
  // Whether the step takes instructions at all is asked before a quote is derived for nothing.
  const withheld = {
    type: 'INSTRUCTIONS_WITHHELD',
    stepId,
    askedBy: 'INTEGRATOR',
    reason: 'NOT_DERIVABLE',
    detail: '',
  } as const;
  const problem = refusalOf(parts, plan, withheld);
  if (problem !== undefined) return refuse(problem);
  const derivation = await parts.derive(plan);
  if (derivation.kind === 'PROBLEM') return refuse(withoutPointers(derivation.problem));
  const event: PlanEvent =
    derivation.kind === 'DERIVED'
      ? { type: 'INSTRUCTIONS_DERIVED', stepId, askedBy: 'INTEGRATOR', ...derivation.derived }
      : { type: 'INSTRUCTIONS_WITHHELD', stepId, askedBy: 'INTEGRATOR', ...derivation.withheld };
  return happened(parts, call, plan, event);
}

/** What is wrong with the amount of a plan is nothing that this request could change. */
function withoutPointers({ errors: _, ...problem }: ProblemAnswer): ProblemAnswer {
  return problem;
}

/** The problem of an event that the plan as it stands would refuse; undefined when it would not. */
export function refusalOf(parts: PaymentParts, plan: Plan, event: PlanEvent): ProblemAnswer | undefined {
  const trial = decide(plan, event, parts.nowMs());
  return trial.ok ? undefined : eventRefused(trial.refusal);
}

/** POST …/steps/{stepId}/retry: takes a step that failed back. */
export async function retryStep(
  fields: Fields,
  parts: PaymentParts,
  call: Call,
): Promise<Answer<PaymentPlan>> {
  const found = await findStep(fields, parts, call);
  if (!found.ok) return found;
  const { plan, step } = found.body;
  return shown(parts, await happened(parts, call, plan, { type: 'STEP_RETRIED', stepId: step.stepId }));
}

/** POST …/steps/{stepId}/reports: what became of a step, checked on the chain as far as it can be. */
export async function reportStep(
  fields: Fields,
  parts: PaymentParts,
  call: Call,
): Promise<Answer<PaymentPlan>> {
  const report = readReport(fields, parts.nowMs());
  const found = await findStep(fields, parts, call);
  if (!found.ok) return found;
  const { plan, step } = found.body;
  return reportOn(parts, call, plan, step, report);
}

/** Records a report on a step. */
export async function reportOn(
  parts: PaymentParts,
  call: Call,
  plan: Plan,
  step: Step,
  report: Report,
): Promise<Answer<PaymentPlan>> {
  const ignored = new Set<string>();
  for (;;) {
    const event = await reportEvent(parts, plan, step, report, ignored);
    if (!event.ok) return event;
    const changed = await record(parts, call, plan, event.body);
    // What came to a watched address for another step is passed over there, so that the rest can count.
    const isWatched = event.body.type === 'DEPOSIT_OBSERVED';
    if (!isWatched || changed.ok || changed.reason !== 'TRANSFER_CLAIMED')
      return shown(parts, await afterwards(parts, call, changed));
    const known = ignored.size;
    for (const transfer of changed.transfers) ignored.add(transferName(transfer));
    if (ignored.size === known) return refuse(changeRefused(changed));
  }
}
