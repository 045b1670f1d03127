import {
  isTransferOnly,
  openAttempt,
  pendingTransactionsOf,
  type Plan,
  type PlanCommand,
  swapStep,
} from '@fairway/plan';
import { defined } from '@fairway/values';
import type { PlanScope } from '@fairway/store';
import { type Acting, done, type Outcome, type ProblemFacts, refuse } from '@fairway/api';
import { withChainRead } from './comparePlan.ts';
import type { FoundStep } from './findPlan.ts';
import { nextAttempt } from './instructions.ts';
import { resolvePendingTransactions } from './resolvePendingTransactions.ts';
import type { PaymentParts } from './paymentParts.ts';
import { changePlan } from './changePlan.ts';
import { recordCommand, refusalOf } from './planChanges.ts';
import { changeRefused } from './planProblems.ts';

/**
 * How a step is tried anew. `force`: the integrator says that no submitted transaction will be mined any more, and that no
 * untraced one executed the instructions.
 */
export type StepAgain = { readonly force?: true };

/**
 * Derives new instructions of a step from the current block, and gives them out unless the present ones can be executed.
 * Refused when the step takes none now. `slippageBps`: in place of the plan's.
 */
export async function refreshStep(
  parts: PaymentParts,
  acting: Acting,
  found: FoundStep,
  again: StepAgain,
  slippageBps?: number,
): Promise<Outcome<Plan>> {
  const now = await lookedAt(parts, acting, found, again);
  return now.ok ? instructed(parts, now.value, again, slippageBps) : now;
}

/** A plan as its chain shows it now. `acting`: for the next change. */
type Looked = { readonly plan: Plan; readonly acting: Acting };

/**
 * The beginning of every other try: what the chain shows comes first, and for a swap what became of its submitted
 * transactions. Refused while a transaction that no node traces may have executed it.
 */
async function lookedAt(
  parts: PaymentParts,
  acting: Acting,
  { plan, step }: FoundStep,
  again: StepAgain,
): Promise<Outcome<Looked>> {
  const compared = await withChainRead(parts, acting.scope, plan);
  if (!compared.ok) return compared;
  if (step.type !== 'EXECUTE_SWAP') return done({ plan: compared.value, acting });
  const resolved = await resolvePendingTransactions(parts, acting, compared.value, 'ASKED');
  if (!resolved.ok) return resolved;
  const untraced = await refuseUntraced(parts, acting.scope, resolved.value.plan, again);
  return untraced ?? resolved;
}

/** Gives out new instructions for a plan that was looked at. */
async function instructed(
  parts: PaymentParts,
  { plan, acting: by }: Looked,
  again: StepAgain,
  slippageBps: number | undefined,
): Promise<Outcome<Plan>> {
  const { stepId } = swapStep(plan);
  // Tried first, so that no quote is derived for a step that takes no instructions now.
  const asked = { type: 'INSTRUCTED', stepId, askedBy: 'INTEGRATOR', ...again } as const;
  const problem = refusalOf(parts, plan, { ...asked, withheld: { reason: 'NOT_DERIVABLE', detail: '' } });
  if (problem !== undefined) return refuse(problem);
  // The same transfer twice would pay twice, and the first one never expires.
  if (isTransferOnly(plan.corridor) && openAttempt(swapStep(plan)) !== undefined)
    return withoutPending(parts, by, plan);
  const derivation = await parts.derive(nextAttempt(plan, slippageBps));
  if (derivation.kind === 'PROBLEM') return refuse(withoutPointers(derivation.problem));
  const command: PlanCommand =
    derivation.kind === 'DERIVED'
      ? { ...asked, ...defined({ slippageBps }), derived: derivation.derived }
      : { ...asked, withheld: derivation.withheld };
  return changePlan(parts, by, plan, command);
}

/** The plan without its submitted transactions, because the integrator says that none of them will be mined. */
async function withoutPending(parts: PaymentParts, acting: Acting, before: Plan): Promise<Outcome<Plan>> {
  let [plan, by] = [before, acting];
  for (const { position, txHash } of pendingTransactionsOf(before)) {
    const { stepId } = swapStep(plan);
    const command = { type: 'EXECUTION_ENDED', stepId, position, txHash, fate: 'FORCED' } as const;
    const recorded = await recordCommand(parts, by, plan, command);
    if (!recorded.ok) return refuse(changeRefused(recorded));
    plan = recorded.plan;
    const { expectedRevisions: _seen, ...anyRevision } = acting;
    by = anyRevision;
  }
  return done(plan);
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
  const looked = await lookedAt(parts, acting, found, again);
  if (!looked.ok) return looked;
  const { plan, acting: by } = looked.value;
  const { stepId } = found.step;
  const retried: PlanCommand = { type: 'STEP_RETRIED', stepId, ...again };
  if (slippageBps === undefined) return changePlan(parts, by, plan, retried);
  // Instructions are derived once: those with another slippage could be executed, too.
  const recorded = await recordCommand(parts, by, plan, retried);
  if (!recorded.ok) return refuse(changeRefused(recorded));
  const { expectedRevisions: _seen, ...anyRevision } = by;
  return instructed(parts, { plan: recorded.plan, acting: anyRevision }, again, slippageBps);
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
