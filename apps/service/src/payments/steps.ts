import type { Plan, PlanEvent } from '@fairway/plan';
import { type Outcome, type ProblemFacts, refuse } from '../problems/problem.ts';
import type { FoundStep } from './findPlan.ts';
import type { Acting, PaymentParts } from './paymentParts.ts';
import { changePlan, refusalOf } from './planChanges.ts';

/** Derives new instructions of a step from the current block. Refused when the step takes none now. */
export async function refreshStep(
  parts: PaymentParts,
  acting: Acting,
  { plan, step: { stepId } }: FoundStep,
): Promise<Outcome<Plan>> {
  // Tried first, so that no quote is derived for a step that takes no instructions now.
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
  return changePlan(parts, acting, plan, event);
}

/** Drops `errors`: they point to fields of a plan's request, and this request does not have those fields. */
function withoutPointers({ errors: _, ...problem }: ProblemFacts): ProblemFacts {
  return problem;
}

/** Sets a failed step back, so that it can be tried again. */
export function retryStep(
  parts: PaymentParts,
  acting: Acting,
  { plan, step: { stepId } }: FoundStep,
): Promise<Outcome<Plan>> {
  return changePlan(parts, acting, plan, { type: 'STEP_RETRIED', stepId });
}
