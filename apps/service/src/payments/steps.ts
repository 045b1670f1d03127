import type { Plan, PlanEvent } from '@fairway/plan';
import { type Outcome, type ProblemFacts, refuse } from '../problems/problem.ts';
import type { FoundStep } from './findPlan.ts';
import type { Acting, PaymentParts } from './paymentParts.ts';
import { changePlan, refusalOf } from './planChanges.ts';

/** Derives the instructions of a step from the current block, where it is the step's turn. */
export async function refreshStep(
  parts: PaymentParts,
  acting: Acting,
  { plan, step: { stepId } }: FoundStep,
): Promise<Outcome<Plan>> {
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
  return changePlan(parts, acting, plan, event);
}

/** The amount of a plan can be wrong now, but no field of this request could change it. */
function withoutPointers({ errors: _, ...problem }: ProblemFacts): ProblemFacts {
  return problem;
}

/** Takes a step that failed back. */
export function retryStep(
  parts: PaymentParts,
  acting: Acting,
  { plan, step: { stepId } }: FoundStep,
): Promise<Outcome<Plan>> {
  return changePlan(parts, acting, plan, { type: 'STEP_RETRIED', stepId });
}
