import { isCancelable, isOver, type Plan } from '@fairway/plan';
import { done, invalidFields, type Outcome, type ProblemFacts, refuse } from '../problems/problem.ts';
import { withChainRead } from './comparePlan.ts';
import type { EndRequest } from './endingRequests.ts';
import { currentPlan } from './findPlan.ts';
import type { Acting, PaymentParts } from './paymentParts.ts';
import { recordEvent } from './planChanges.ts';
import { changeRefused } from './planProblems.ts';
import { resolvePendingTransactions } from './resolvePendingTransactions.ts';

/**
 * Ends a plan for the integrator, who has seen it at the revision that the request names: what is left then counts as
 * known. Without a reason only a plan ends whose money has not moved.
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
  return request.reason === undefined
    ? cancel(parts, acting, found.value, request)
    : close(parts, acting, found.value, { ...request, reason: request.reason });
}

/** The problem of a request that does not say which state of the plan its sender has seen. */
function unseen({ revision }: Plan): ProblemFacts {
  const detail = `The header If-Match has to name one revision: send the ETag of the plan that you have looked at, which is "${revision}" now. What is left of its money counts as known then.`;
  return invalidFields([{ pointer: '/headers/If-Match', detail }]);
}

async function cancel(
  parts: PaymentParts,
  acting: Acting,
  plan: Plan,
  { force }: EndRequest,
): Promise<Outcome<Plan>> {
  // A deposit may have arrived since the chain was last read.
  if (isCancelable(plan) && plan.options.depositAddress !== undefined) {
    const compared = await withChainRead(parts, acting.scope, plan);
    if (!compared.ok && !force) return compared;
  }
  const changed = await recordEvent(parts, acting, plan, { type: 'PLAN_CANCELLED' });
  return changed.ok ? done(changed.plan) : refuse(changeRefused(changed));
}

type Close = EndRequest & { readonly reason: NonNullable<EndRequest['reason']> };

/**
 * A plan that is not over is first compared with its chain, because money may have moved, and its submitted transactions
 * are looked for. With `force` it is ended even if the chain does not answer.
 */
async function close(
  parts: PaymentParts,
  acting: Acting,
  found: Plan,
  request: Close,
): Promise<Outcome<Plan>> {
  const { force } = request;
  const compared = isOver(found) ? done(found) : await withChainRead(parts, acting.scope, found);
  if (!compared.ok && !force) return compared;
  const known = compared.ok ? compared.value : found;
  const resolved = force
    ? done({ plan: known, acting })
    : await resolvePendingTransactions(parts, acting, known);
  if (!resolved.ok) return resolved;
  // What came to light meanwhile has another revision, which the sender has not seen.
  const changed = await recordEvent(parts, acting, resolved.value.plan, { type: 'PLAN_CLOSED', ...request });
  return changed.ok ? done(changed.plan) : refuse(changeRefused(changed));
}
