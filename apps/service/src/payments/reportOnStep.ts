import type { Plan } from '@fairway/plan';
import { type Outcome, refuse } from '../problems/problem.ts';
import { transferName } from './chainFacts.ts';
import { claimEvent } from './claims.ts';
import type { FoundStep } from './findPlan.ts';
import type { Acting, PaymentParts } from './paymentParts.ts';
import { afterChange, recordEvent } from './planChanges.ts';
import { changeRefused } from './planProblems.ts';
import type { Report } from './stepReport.ts';

/** Records a report on a step. What the report claims about the chain is checked there, as far as possible. */
export async function reportOnStep(
  parts: PaymentParts,
  acting: Acting,
  { plan, step }: FoundStep,
  report: Report,
): Promise<Outcome<Plan>> {
  const ignored = new Set<string>();
  for (;;) {
    const event = await claimEvent(parts, plan, step, report, ignored);
    if (!event.ok) return event;
    const changed = await recordEvent(parts, acting, plan, event.value);
    // A transfer that settles another step does not count; the event is made again from the other transfers.
    const isWatched = event.value.type === 'DEPOSIT_OBSERVED';
    if (!isWatched || changed.ok || changed.reason !== 'TRANSFER_CLAIMED')
      return afterChange(parts, acting, changed);
    const known = ignored.size;
    for (const transfer of changed.transfers) ignored.add(transferName(transfer));
    if (ignored.size === known) return refuse(changeRefused(changed));
  }
}
