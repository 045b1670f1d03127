import type { Plan } from '@fairway/plan';
import { type Outcome, refuse } from '../problems/problem.ts';
import { transferName } from './chainFacts.ts';
import { claimEvent } from './claims.ts';
import type { FoundStep } from './findPlan.ts';
import type { Acting, PaymentParts } from './paymentParts.ts';
import { afterChange, recordEvent } from './planChanges.ts';
import { changeRefused } from './planProblems.ts';
import type { Report } from './stepReport.ts';

/** Records what is reported of a step, checked on the chain as far as that is possible. */
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
    // A transfer to a watched address that settles another step is passed over, so that the other transfers can count.
    const isWatched = event.value.type === 'DEPOSIT_OBSERVED';
    if (!isWatched || changed.ok || changed.reason !== 'TRANSFER_CLAIMED')
      return afterChange(parts, acting, changed);
    const known = ignored.size;
    for (const transfer of changed.transfers) ignored.add(transferName(transfer));
    if (ignored.size === known) return refuse(changeRefused(changed));
  }
}
