import { owedLink, type Plan } from '@fairway/plan';
import type { PlanScope } from '@fairway/store';
import {
  AGAIN_SOON_MS,
  makeLink,
  type PaymentParts,
  SERVICE_ACTOR,
  type WorkDone,
} from '../payments/index.ts';

/** When a link is tried again whose address cannot be opened. Only another key or another address changes that. */
const AGAIN_CLOSED_MS = 60_000;

/**
 * Makes the link that a plan owes its recipient: the first one, or another one after a failed delivery. `onClosed`: the
 * plan's details, and the address with them, cannot be opened with the sealing keys.
 */
export async function sendOwedLink(
  parts: PaymentParts,
  scope: PlanScope,
  plan: Plan,
  onClosed: (planId: string) => void,
): Promise<WorkDone> {
  const owed = owedLink(plan);
  if (owed === undefined) return { plan };
  const made = await makeLink(parts, scope, plan, owed.reason, { actor: SERVICE_ACTOR, atMs: parts.nowMs() });
  if (made.ok) return { plan: made.plan };
  if (made.reason === 'KEY_UNKNOWN' || made.reason === 'SEAL_BROKEN') {
    onClosed(plan.planId);
    return { plan, againMs: AGAIN_CLOSED_MS };
  }
  // The plan goes on only when somebody names another recipient.
  if (made.reason === 'ADDRESSEE_ERASED') return { plan };
  return made.reason === 'REFUSED' ? { plan: made.plan } : { plan, againMs: AGAIN_SOON_MS };
}
