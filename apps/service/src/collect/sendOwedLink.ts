import { owedLink, type Plan } from '@fairway/plan';
import type { PlanScope } from '@fairway/store';
import type { PaymentParts, WorkDone } from '../payments/paymentParts.ts';
import { AGAIN_SOON_MS, SERVICE_ACTOR } from '../payments/planWork.ts';
import { makeLink } from './links.ts';

/** Makes the link that a plan owes its recipient: the first one, or another one after a failed delivery. */
export async function sendOwedLink(parts: PaymentParts, scope: PlanScope, plan: Plan): Promise<WorkDone> {
  const owed = owedLink(plan);
  if (owed === undefined) return { plan };
  const made = await makeLink(parts, scope, plan, owed.reason, { actor: SERVICE_ACTOR, atMs: parts.nowMs() });
  if (made.ok) return { plan: made.plan };
  return made.reason === 'REFUSED' ? { plan: made.plan } : { plan, againMs: AGAIN_SOON_MS };
}
