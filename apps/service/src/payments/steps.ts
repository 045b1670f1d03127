import {
  defined,
  isTransferOnly,
  openAttempt,
  type Plan,
  type PlanEvent,
  planStatus,
  swapStep,
} from '@fairway/plan';
import type { EventOn, PlanScope } from '@fairway/store';
import { done, type Outcome, type ProblemFacts, refuse } from '../problems/problem.ts';
import { withChainRead } from './comparePlan.ts';
import { nextEndToEndId } from './endToEndId.ts';
import type { FoundStep } from './findPlan.ts';
import { nextAttempt } from './instructions.ts';
import { resolvePendingTransactions } from './resolvePendingTransactions.ts';
import type { Acting, PaymentParts } from './paymentParts.ts';
import { changePlan, recordEvent, refusalOf } from './planChanges.ts';
import { changeRefused } from './planProblems.ts';

/**
 * How a step is tried anew. `force`: the integrator says that no submitted transaction will be mined any more, and that no
 * untraced one executed the instructions.
 */
export type StepAgain = { readonly force?: true };

/**
 * Derives new instructions of a step from the current block. Refused when the step takes none now. `slippageBps`: in
 * place of the plan's.
 */
export async function refreshStep(
  parts: PaymentParts,
  acting: Acting,
  found: FoundStep,
  again: StepAgain,
  slippageBps?: number,
): Promise<Outcome<Plan>> {
  const compared = await withChainRead(parts, acting.scope, found.plan);
  if (!compared.ok) return compared;
  const { stepId } = found.step;
  const resolved = await resolvePendingTransactions(parts, acting, compared.value);
  if (!resolved.ok) return resolved;
  const { plan, acting: by } = resolved.value;
  // Tried first, so that no quote is derived for a step that takes no instructions now.
  const asked = { stepId, askedBy: 'INTEGRATOR', ...again } as const;
  const withheld = { type: 'INSTRUCTIONS_WITHHELD', ...asked, reason: 'NOT_DERIVABLE', detail: '' } as const;
  const problem = refusalOf(parts, plan, withheld);
  if (problem !== undefined) return refuse(problem);
  const untraced = await refuseUntraced(parts, acting.scope, plan, again);
  if (untraced !== undefined) return untraced;
  // The same transfer twice would pay twice, and the first one never expires.
  if (isTransferOnly(plan.corridor) && openAttempt(swapStep(plan)) !== undefined) return done(plan);
  const derivation = await parts.derive(nextAttempt(plan, slippageBps));
  if (derivation.kind === 'PROBLEM') return refuse(withoutPointers(derivation.problem));
  const event: PlanEvent =
    derivation.kind === 'DERIVED'
      ? { type: 'INSTRUCTIONS_DERIVED', ...asked, ...derivation.derived }
      : { type: 'INSTRUCTIONS_WITHHELD', ...asked, ...derivation.withheld };
  return changePlan(parts, by, plan, event);
}

/** Drops `errors`: they point to fields of a plan's request, and this request does not have those fields. */
function withoutPointers({ errors: _, ...problem }: ProblemFacts): ProblemFacts {
  return problem;
}

/** Sets a failed step back, so that it can be tried again. `slippageBps`: of the swap, in place of the plan's. */
export async function retryStep(
  parts: PaymentParts,
  acting: Acting,
  found: FoundStep,
  again: StepAgain,
  slippageBps?: number,
): Promise<Outcome<Plan>> {
  const compared = await withChainRead(parts, acting.scope, found.plan);
  if (!compared.ok) return compared;
  const { stepId } = found.step;
  const isSwap = stepId === swapStep(found.plan).stepId;
  const resolved = isSwap
    ? await resolvePendingTransactions(parts, acting, compared.value)
    : done({ plan: compared.value, acting });
  if (!resolved.ok) return resolved;
  const { plan, acting: by } = resolved.value;
  const untraced = isSwap ? await refuseUntraced(parts, acting.scope, plan, again) : undefined;
  if (untraced !== undefined) return untraced;
  const retried: EventOn = (now) => {
    // After money came back the next payment needs an id of its own.
    const isBack = planStatus(now) === 'RETURNED';
    const endToEndId = isBack
      ? nextEndToEndId(parts, acting.scope, now, now.recipient.fingerprint)
      : undefined;
    return { type: 'STEP_RETRIED', stepId, ...again, ...defined({ endToEndId }) };
  };
  if (slippageBps === undefined) return changePlan(parts, by, plan, retried);
  // Instructions are derived once: those with another slippage could be executed, too.
  const recorded = await recordEvent(parts, by, plan, retried);
  if (!recorded.ok) return refuse(changeRefused(recorded));
  const { expectedRevisions: _seen, ...anyRevision } = by;
  const waiting = { plan: recorded.plan, step: swapStep(recorded.plan) };
  return refreshStep(parts, anyRevision, waiting, again, slippageBps);
}

/**
 * Why no other instructions are given out: a transaction that no node traces may have executed the instructions that were
 * given out before. With `force` the integrator says that it did not. Undefined when there is no such transaction.
 */
async function refuseUntraced(
  { store }: PaymentParts,
  scope: PlanScope,
  plan: Plan,
  { force }: StepAgain,
): Promise<Outcome<never> | undefined> {
  if (force === true || swapStep(plan).status === 'DONE') return undefined;
  const { txHash } = await store.record.untracedExecution(scope, plan);
  if (txHash === undefined) return undefined;
  const detail = `The transaction ${txHash} paid the settlement address after instructions of this plan were given out, and no node can tell which calls it made. If it executed them, report it once a node offers traces, or end the plan. If it did not, send force: true.`;
  return refuse({ code: 'execution-in-flight', detail });
}
