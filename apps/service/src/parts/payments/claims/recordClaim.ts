import type { Plan, PlanCommand } from '@fairway/plan';
import type { Acting, Outcome, ProblemFacts } from '@fairway/api';
import { transferName } from '../chainFacts.ts';
import type { PaymentParts } from '../paymentParts.ts';
import { type RecordedChange, recordCommand } from '../planChanges.ts';

/**
 * Makes the command of a claim without some transfers, which it is given by `transferName`. A problem: the chain does not
 * show what is claimed.
 */
export type ClaimedCommand = (ignored: ReadonlySet<string>) => Promise<Outcome<PlanCommand>>;

/** What became of a claim: the store's answer, or the problem of its command. */
export type RecordedClaim = RecordedChange | { readonly problem: ProblemFacts };

/**
 * Records the command of a claim. When transfers of the command settle something else, the command is made again without
 * them. Another transfer of the same transaction may be the right one.
 */
export async function recordClaim(
  parts: PaymentParts,
  acting: Acting,
  plan: Plan,
  commandOf: ClaimedCommand,
): Promise<RecordedClaim> {
  const ignored = new Set<string>();
  for (;;) {
    const command = await commandOf(ignored);
    if (!command.ok) return { problem: command.problem };
    const changed = await recordCommand(parts, acting, plan, command.value);
    if (changed.ok || changed.reason !== 'TRANSFER_CLAIMED') return changed;
    const known = ignored.size;
    for (const transfer of changed.transfers) ignored.add(transferName(transfer));
    if (!ANOTHER_MAY_FIT.has(command.value.type) || ignored.size === known) return changed;
  }
}

/** The commands that can be made from some of the transfers that were found. */
const ANOTHER_MAY_FIT: ReadonlySet<PlanCommand['type']> = new Set([
  'DEPOSIT_REPORTED',
  'PAYOUT_DONE',
  'PAYMENT_REPEATED',
  'DELIVERY_REPORTED',
  'REFUND_RECORDED',
]);
