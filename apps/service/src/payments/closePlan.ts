import { isOver, type Plan, type PlanEvent } from '@fairway/plan';
import { done, type Outcome, refuse } from '../problems/problem.ts';
import { withChainRead } from './comparePlan.ts';
import type { CloseRequest } from './endingRequests.ts';
import { currentPlan } from './findPlan.ts';
import { resolvePendingTransactions } from './resolvePendingTransactions.ts';
import type { Acting, PaymentParts } from './paymentParts.ts';
import { recordEvent } from './planChanges.ts';
import { acknowledgementMismatch, changeRefused } from './planProblems.ts';
import { planWords } from './planWords.ts';

/**
 * Closes a plan for the integrator, who has to name exactly the money that is left. A plan that is not over is first compared with its
 * chain, because money may have moved, and its submitted transactions are looked for. With `force` it is closed even if the chain does
 * not answer.
 */
export async function closePlan(
  parts: PaymentParts,
  acting: Acting,
  planId: string,
  request: CloseRequest,
): Promise<Outcome<Plan>> {
  const found = await currentPlan(parts, acting.scope, planId);
  if (!found.ok) return found;
  const { force } = request;
  const compared = isOver(found.value) ? found : await withChainRead(parts, acting.scope, found.value);
  if (!compared.ok && !force) return compared;
  const known = compared.ok ? compared.value : found.value;
  const resolved = force
    ? done({ plan: known, acting })
    : await resolvePendingTransactions(parts, acting, known);
  if (!resolved.ok) return resolved;
  const { plan, acting: by } = resolved.value;
  const event: PlanEvent = { type: 'PLAN_CLOSED', ...request };
  const changed = await recordEvent(parts, by, plan, event);
  if (changed.ok) return done(changed.plan);
  if (changed.reason === 'REFUSED' && changed.refusal.reason === 'ACKNOWLEDGEMENT_MISMATCH')
    return refuse(acknowledgementMismatch(changed.refusal.acknowledge, planWords(parts.chains)));
  return refuse(changeRefused(changed));
}
