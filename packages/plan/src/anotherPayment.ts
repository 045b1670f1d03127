import { defined } from './defined.ts';
import type { Decision, PlanEvent } from './events.ts';
import { standingMovements, withMovements } from './ledger.ts';
import { placeOf } from './missingMovements.ts';
import { assetsOf } from './money.ts';
import type { NewMovement } from './movement.ts';
import { endToEndIdOf, lastStep, payingState } from './payoutTurn.ts';
import {
  changed,
  dueSentence,
  evidenceOf,
  isReturned,
  notOfThisStep,
  notReady,
  unchanged,
} from './planSteps.ts';
import type { TimeMs } from './scalars.ts';
import { mayBeSameTransfer } from './transferPlaces.ts';
import type { Plan } from './types.ts';

type Repeated = Extract<PlanEvent, { type: 'PAYMENT_REPEATED' }>;

/**
 * Whether the wallet of a plan has been paid all that is due by a final transaction. Another one that pays it was made by
 * mistake.
 *
 * @example
 * ```ts
 * import { isWalletPaid, type Plan } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * const isAboveDue = isWalletPaid(plan);
 * ```
 */
export function isWalletPaid(plan: Plan): boolean {
  const step = lastStep(plan);
  if (step === undefined || plan.ended !== undefined || isReturned(plan)) return false;
  return payingState(step) === 'PAID' && evidenceOf(step)?.status === 'FINAL';
}

/** Records a transaction that paid the wallet although all was paid: it is above what is due, and no step changes. */
export function onPaymentRepeated(plan: Plan, event: Repeated, atMs: TimeMs): Decision {
  const step = lastStep(plan);
  if (step?.stepId !== event.stepId) return notOfThisStep(plan, event.stepId);
  const { evidence, verification, occurredAtMs } = event;
  const isKnown = standingMovements(plan).some(
    ({ kind, transfer }) =>
      kind === 'PAYOUT' &&
      transfer !== undefined &&
      evidence.transfers.some((each) => mayBeSameTransfer(transfer, each)),
  );
  if (isKnown) return unchanged(plan);
  if (!isWalletPaid(plan)) return notReady(plan, dueSentence(plan));
  if (evidence.status !== 'FINAL')
    return notReady(
      plan,
      `The payout is DONE already. Report the transaction ${evidence.txHash}, which paid the recipient once more, when it has the confirmations of the corridor.`,
    );
  const rows = evidence.transfers.map(
    (transfer): NewMovement => ({
      kind: 'PAYOUT',
      side: 'TARGET',
      stepId: step.stepId,
      asset: assetsOf(plan).target,
      actual: transfer.amount,
      transfer: placeOf(transfer),
      endToEndId: endToEndIdOf(plan),
      verification,
      reason: 'PAID_ABOVE_DUE',
      ...defined({ occurredAtMs }),
    }),
  );
  return changed(withMovements(plan, rows, atMs));
}
