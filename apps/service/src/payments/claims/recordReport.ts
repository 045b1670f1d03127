import type { Plan, PlanEvent } from '@fairway/plan';
import { type Outcome, refuse } from '../../problems/problem.ts';
import { transferName } from '../chainFacts.ts';
import type { Acting, PaymentParts } from '../paymentParts.ts';
import { afterChange, recordEvent } from '../planChanges.ts';
import { changeRefused } from '../planProblems.ts';

/**
 * Records the event of a report. When transfers of the event settle something else, the event is made again without
 * them. Another transfer of the same transaction may be the right one.
 *
 * @param eventOf makes the event without some transfers, which it is given by `transferName`.
 */
export async function recordReport(
  parts: PaymentParts,
  acting: Acting,
  plan: Plan,
  eventOf: (ignored: ReadonlySet<string>) => Promise<Outcome<PlanEvent>>,
): Promise<Outcome<Plan>> {
  const ignored = new Set<string>();
  for (;;) {
    const event = await eventOf(ignored);
    if (!event.ok) {
      if (event.problem.code === 'evidence-mismatch') parts.onClaimRefused('EVIDENCE');
      return event;
    }
    const changed = await recordEvent(parts, acting, plan, event.value);
    if (!changed.ok && changed.reason === 'REFERENCE_USED') parts.onClaimRefused(changed.reason);
    if (changed.ok || changed.reason !== 'TRANSFER_CLAIMED') return afterChange(parts, acting, changed);
    const known = ignored.size;
    for (const transfer of changed.transfers) ignored.add(transferName(transfer));
    if (!ANOTHER_MAY_FIT.has(event.value.type) || ignored.size === known) {
      parts.onClaimRefused(changed.reason);
      return refuse(changeRefused(changed));
    }
  }
}

/** The events that can be made from some of the transfers that were found. */
const ANOTHER_MAY_FIT: ReadonlySet<PlanEvent['type']> = new Set([
  'DEPOSIT_REPORTED',
  'PAYOUT_DONE',
  'PAYMENT_REPEATED',
  'DELIVERY_REPORTED',
  'REFUND_RECORDED',
]);
