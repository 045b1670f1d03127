import type { PlanId, Recipient } from '@fairway/plan';
import { KEY_AWAY, type Acting, done, type Outcome, refuse } from '@fairway/api';
import { findPlan } from './findPlan.ts';
import type { PaymentParts } from './paymentParts.ts';
import { contextOf } from './planChanges.ts';
import { DETAILS_ERASED, NO_SUCH_PLAN, revisionMismatch } from './planProblems.ts';

/** The full details of a plan's recipient. The request for them is recorded first, with who made it. */
export async function revealRecipient(
  parts: PaymentParts,
  acting: Acting,
  planId: string,
): Promise<Outcome<{ readonly planId: PlanId; readonly recipient: Recipient }>> {
  const found = await findPlan(parts, acting.scope, planId);
  if (!found.ok) return found;
  const plan = found.value;
  const context = contextOf(parts, acting);
  const revealed = await parts.store.payments.revealRecipient(acting.scope, plan.planId, context);
  if (revealed.ok) return done({ planId: plan.planId, recipient: revealed.recipient });
  if (revealed.reason === 'PLAN_UNKNOWN') return refuse(NO_SUCH_PLAN);
  if (revealed.reason === 'DETAILS_ERASED') return refuse(DETAILS_ERASED);
  if (revealed.reason === 'REVISION_MISMATCH') return refuse(revisionMismatch(revealed.plan));
  return refuse(KEY_AWAY);
}
