import type { Plan } from '@fairway/plan';
import { type Acting, type Outcome, refuse } from '@fairway/api';
import { afterChange } from './changePlan.ts';
import type { PaymentParts } from './paymentParts.ts';
import { type ClaimedCommand, recordClaim } from './claims/recordClaim.ts';

/** Records the command of a report, and counts what is refused. */
export async function recordReport(
  parts: PaymentParts,
  acting: Acting,
  plan: Plan,
  commandOf: ClaimedCommand,
): Promise<Outcome<Plan>> {
  const recorded = await recordClaim(parts, acting, plan, commandOf);
  if ('problem' in recorded) {
    if (recorded.problem.code === 'evidence-mismatch') parts.onClaimRefused('EVIDENCE');
    return refuse(recorded.problem);
  }
  const isUsed =
    !recorded.ok && (recorded.reason === 'REFERENCE_USED' || recorded.reason === 'TRANSFER_CLAIMED');
  if (isUsed) parts.onClaimRefused(recorded.reason);
  return afterChange(parts, acting, recorded);
}
