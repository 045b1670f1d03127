import { isCancelable, isOver, type Plan } from '@fairway/plan';
import { type Acting, done, invalidFields, type Outcome, type ProblemFacts, refuse } from '@fairway/api';
import { withChainRead } from './comparePlan.ts';
import type { EndRequest } from './planRequests.ts';
import { currentPlan } from './findPlan.ts';
import type { PaymentParts } from './paymentParts.ts';
import { recordCommand } from './planChanges.ts';
import { changeRefused } from './planProblems.ts';
import { resolvePendingTransactions } from './resolvePendingTransactions.ts';

/**
 * Ends a plan for the integrator, who has seen it at the revision that the request names: what is left then counts as
 * known. Without a reason only a plan ends whose money has not moved. With `force` it ends even if the chain does not
 * answer.
 */
export async function endPlan(
  parts: PaymentParts,
  acting: Acting,
  planId: string,
  request: EndRequest,
): Promise<Outcome<Plan>> {
  const found = await currentPlan(parts, acting.scope, planId);
  if (!found.ok) return found;
  if (acting.expectedRevisions?.length !== 1) return refuse(unseen(found.value));
  const { reason, force } = request;
  const compared = mayHaveMoved(found.value, request)
    ? await withChainRead(parts, acting.scope, found.value)
    : found;
  if (!compared.ok && !force) return compared;
  const plan = compared.ok ? compared.value : found.value;
  const resolved =
    force || reason === undefined
      ? done({ plan, acting })
      : await resolvePendingTransactions(parts, acting, plan, 'ASKED');
  if (!resolved.ok) return resolved;
  // What came to light meanwhile has another revision, which the sender has not seen.
  const changed = await recordCommand(parts, acting, resolved.value.plan, { type: 'PLAN_ENDED', ...request });
  return changed.ok ? done(changed.plan) : refuse(changeRefused(changed));
}

/** Whether money may have moved since the chain was last read, so that the plan would not end in this way. */
function mayHaveMoved(plan: Plan, { reason }: EndRequest): boolean {
  if (reason !== undefined) return !isOver(plan);
  return isCancelable(plan) && plan.options.depositAddress !== undefined;
}

/** The problem of a request that does not say which state of the plan its sender has seen. */
function unseen({ revision }: Plan): ProblemFacts {
  const detail = `The header If-Match has to name one revision: send the ETag of the plan that you have looked at, which is "${revision}" now, with its quotation marks. What is left of its money counts as known then.`;
  return invalidFields([{ pointer: '/headers/If-Match', detail }]);
}
