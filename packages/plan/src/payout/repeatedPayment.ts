import type { CommandOf, Ruling } from '../plan/commands.ts';
import { changed, dueSentence, notReady, unchanged } from '../plan/rulings.ts';
import { placeOf, reversalOf, standingMovements, transfersOf, withMovements } from '../book/ledger.ts';
import type { Movement, NewMovement } from '../plan/movement.ts';
import { endToEndIdOf } from '../book/payoutTurn.ts';
import { evidenceOf, isReturned, lastStep, payingState } from '../plan/steps.ts';
import type { TimeMs } from '../terms/scalars.ts';
import { isSamePlace, mayBeSameTransfer } from '../plan/transferPlaces.ts';
import type { Evidence, Plan, TransferPlace } from '../plan/types.ts';
import { payoutRow } from '../book/payout.ts';

type Repeated = CommandOf<'PAYMENT_REPEATED'>;

/**
 * Whether another transaction that pays the wallet of a plan was made by mistake. It was, if the plan goes on or is
 * COMPLETED, nothing came back, and a final transaction paid what was due.
 *
 * @example
 * ```ts
 * import { takesRepeatedPayment, type Plan } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * const isByMistake = takesRepeatedPayment(plan);
 * ```
 */
export function takesRepeatedPayment(plan: Plan): boolean {
  const step = lastStep(plan);
  if (plan.ended !== undefined || isReturned(plan)) return false;
  return payingState(step) === 'PAID' && evidenceOf(step)?.status === 'FINAL';
}

/**
 * Whether the ledger has a transfer of a transaction as a payment, in whatever block it is.
 *
 * @example
 * ```ts
 * import { type Evidence, isPaymentKnown, type Plan } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * declare const evidence: Evidence;
 * const isKnown = isPaymentKnown(plan, evidence);
 * ```
 */
export function isPaymentKnown(plan: Plan, { transfers }: Pick<Evidence, 'transfers'>): boolean {
  const paid = transfersOf(plan, 'PAYOUT');
  return transfers.some((each) => paid.some((known) => mayBeSameTransfer(known, each)));
}

/**
 * Whether the ledger has a transfer as one that paid the wallet once more.
 *
 * @example
 * ```ts
 * import { isRepetitionKnown, type Plan, type TransferPlace } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * declare const place: TransferPlace;
 * const isKnown = isRepetitionKnown(plan, place);
 * ```
 */
export function isRepetitionKnown(plan: Plan, place: TransferPlace): boolean {
  return repeatedPayments(plan).some(({ transfer }) => isSamePlace(transfer, place));
}

/** The payments to the wallet that were made although all was paid. */
export function repeatedPayments(plan: Plan): readonly Movement[] {
  return standingMovements(plan, 'PAYOUT').filter(({ reason }) => reason === 'PAID_ABOVE_DUE');
}

/**
 * The plan without repeated payments to its wallet. The transaction that had paid what was due is no longer on the
 * chain, so another one may be the payment. It is then reported again, and recorded as the payment or as a repeated
 * one.
 */
export function withoutRepeated(plan: Plan, atMs: TimeMs): Plan {
  return isReturned(plan) ? plan : withMovements(plan, repeatedPayments(plan).map(reversalOf), atMs);
}

/** Records a transaction that paid the wallet although all was paid: it is above what is due, and no step changes. */
export function onPaymentRepeated(plan: Plan, command: Repeated, atMs: TimeMs): Ruling {
  const { evidence } = command;
  if (isPaymentKnown(plan, evidence)) return unchanged(plan);
  if (!takesRepeatedPayment(plan)) return notReady(plan, dueSentence(plan));
  if (evidence.status !== 'FINAL')
    return notReady(
      plan,
      `The payout is DONE already. Report the transaction ${evidence.txHash}, which paid the recipient once more, when it has the confirmations of the corridor.`,
    );
  const rows = evidence.transfers.map(
    (transfer): NewMovement => ({
      // REPORTED: the chain shows the transfer, and nobody can show that it was not meant for somebody else's plan.
      ...payoutRow(plan, 'PAYOUT', command),
      actual: transfer.amount,
      transfer: placeOf(transfer),
      endToEndId: endToEndIdOf(plan),
      reason: 'PAID_ABOVE_DUE',
    }),
  );
  return changed(withMovements(plan, rows, atMs));
}
