import type { Plan, PlanCommand } from '@fairway/plan';
import type { Acting, Outcome, ProblemFacts } from '@fairway/api';
import { transferName } from '../chainFacts.ts';
import type { PaymentParts } from '../paymentParts.ts';
import { type RecordedChange, recordEvent } from '../planChanges.ts';

/**
 * Makes the event of a claim without some transfers, which it is given by `transferName`. A problem: the chain does not
 * show what is claimed.
 */
export type ClaimedEvent = (ignored: ReadonlySet<string>) => Promise<Outcome<PlanCommand>>;

/** What became of a claim: the store's answer, or the problem of its event. */
export type RecordedClaim = RecordedChange | { readonly problem: ProblemFacts };

/**
 * Records the event of a claim. When transfers of the event settle something else, the event is made again without
 * them. Another transfer of the same transaction may be the right one.
 */
export async function recordClaim(
  parts: PaymentParts,
  acting: Acting,
  plan: Plan,
  eventOf: ClaimedEvent,
): Promise<RecordedClaim> {
  const ignored = new Set<string>();
  for (;;) {
    const event = await eventOf(ignored);
    if (!event.ok) return { problem: event.problem };
    const changed = await recordEvent(parts, acting, plan, event.value);
    if (changed.ok || changed.reason !== 'TRANSFER_CLAIMED') return changed;
    const known = ignored.size;
    for (const transfer of changed.transfers) ignored.add(transferName(transfer));
    if (!ANOTHER_MAY_FIT.has(event.value.type) || ignored.size === known) return changed;
  }
}

/** The events that can be made from some of the transfers that were found. */
const ANOTHER_MAY_FIT: ReadonlySet<PlanCommand['type']> = new Set([
  'DEPOSIT_REPORTED',
  'PAYOUT_DONE',
  'PAYMENT_REPEATED',
  'DELIVERY_REPORTED',
  'REFUND_RECORDED',
]);
