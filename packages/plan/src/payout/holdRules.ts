import { defined } from '@fairway/values';
import { PLAIN_WORDS } from '../terms/words.ts';
import { type CommandOf, isReturn, type PlanCommand, type Ruling } from '../plan/commands.ts';
import { changed, dueSentence, mismatch, nothingLeft, notReady, unchanged } from '../plan/rulings.ts';
import { payer } from './review.ts';
import { isNothingDue, paymentNamed } from '../book/payout.ts';
import { evidenceOf, isTurnOf, lastStep, payingState, withStep } from '../plan/steps.ts';
import type { TimeMs } from '../terms/scalars.ts';
import { onPayoutUndone } from '../swap/rules.ts';
import type { CustodianPayoutStep, Hold, PayingStep, Plan, SendDigitalCollectStep } from '../plan/types.ts';
import { onItsWayAs } from './deliveryRules.ts';

type Held = CommandOf<'PAYOUT_HELD'>;

/**
 * Records that the custodian holds the payment back. Only a payment that is due can be held, and none that rests on a
 * transaction: what a chain has is in no custodian's hands. Another hold takes the place of the one before.
 */
export function onPayoutHeld(plan: Plan, command: Held, atMs: TimeMs): Ruling {
  const step = lastStep(plan);
  if (step.hold !== undefined && isSameHold(step.hold, command)) return unchanged(plan);
  if (isOfEndedPayment(step, command)) return unchanged(plan);
  const refusal = refuseHold(plan, step, command);
  if (refusal !== undefined) return refusal;
  const { hold: told, providerReference, occurredAtMs = atMs } = command;
  const hold: Hold = { ...told, heldAtMs: occurredAtMs, ...defined({ providerReference }) };
  return changed(withStep(plan, { ...step, hold }));
}

function isSameHold(known: Hold, { hold, providerReference, occurredAtMs = known.heldAtMs }: Held): boolean {
  const { reason, needs, untilMs, heldAtMs } = known;
  return (
    reason === hold.reason &&
    JSON.stringify(needs) === JSON.stringify(hold.needs) &&
    untilMs === hold.untilMs &&
    heldAtMs === occurredAtMs &&
    known.providerReference === providerReference
  );
}

/** Whether a report names a payment that failed or came back: it was late, and the payment that is due now is another one. */
function isOfEndedPayment(step: PayingStep, { providerReference }: Held): boolean {
  const ended =
    step.type === 'CUSTODIAN_PAYOUT' ? step.attempts : step.rounds.flatMap(({ delivery }) => delivery ?? []);
  return (
    providerReference !== undefined && ended.some((each) => each.providerReference === providerReference)
  );
}

function refuseHold(plan: Plan, step: PayingStep, { providerReference }: Held): Ruling | undefined {
  const early =
    step.type === 'CUSTODIAN_PAYOUT' ? refusePayoutHold(plan, step) : refuseDeliveryHold(plan, step);
  if (early !== undefined) return early;
  const evidence = evidenceOf(step);
  if (evidence !== undefined)
    return notReady(
      plan,
      `The payment rests on the transaction ${evidence.txHash}, which nobody can hold back. Report what becomes of that transaction.`,
    );
  if (isNothingDue(plan)) return nothingLeft(plan);
  const made = paymentNamed(plan, providerReference);
  if (made !== undefined)
    return mismatch(
      `The payment ${providerReference} is recorded with ${PLAIN_WORDS.amount(made.actual, made.asset)}, so it is not held. Report the one that is held with its own providerReference.`,
    );
  const sent = step.type === 'CUSTODIAN_PAYOUT' ? undefined : step.delivery?.providerReference;
  if (sent === undefined || providerReference === undefined || sent === providerReference) return undefined;
  return onItsWayAs(plan, sent, providerReference);
}

function refusePayoutHold(plan: Plan, step: CustodianPayoutStep): Ruling | undefined {
  if (step.status === 'READY' && isTurnOf(plan, step)) return undefined;
  const isPaid = plan.ended === undefined && step.status === 'DONE';
  return notReady(plan, `${isPaid ? 'The payout is DONE already. ' : ''}${dueSentence(plan)}`);
}

function refuseDeliveryHold(plan: Plan, { delivery }: SendDigitalCollectStep): Ruling | undefined {
  if (plan.ended !== undefined) return notReady(plan, dueSentence(plan));
  if (delivery === undefined)
    return notReady(plan, `The recipient has not chosen where the money goes. ${dueSentence(plan)}`);
  if (delivery.status === 'PENDING' || delivery.status === 'SENT') return undefined;
  return notReady(plan, `The delivery is ${delivery.status}, so nothing of it is held. ${dueSentence(plan)}`);
}

/**
 * The plan after a command, without a hold that the command has ended. A hold stands while its payment can still be
 * carried out. It ends when the payment is made, has failed or rests on a transaction, or when the plan has ended.
 * The next report on the payment that is held ends it, too, also where more is due afterwards. A report on another
 * payment says nothing of the one that is held.
 */
export function withoutEndedHold(plan: Plan, command: PlanCommand, atMs: TimeMs): Plan {
  const { hold, ...step } = lastStep(plan);
  if (hold === undefined) return plan;
  const isOpen = plan.ended === undefined && !['PAID', 'FAILED'].includes(payingState(step));
  const isStanding = isOpen && evidenceOf(step) === undefined && !tellsOfHeld(hold, command);
  return isStanding ? plan : onPayoutUndone(withStep(plan, step), atMs);
}

/** The commands by which an integrator tells what became of a payment. */
type Report = CommandOf<
  'PAYOUT_DONE' | 'PAYOUT_REPORTED' | 'PAYOUT_FAILED' | 'PAYOUT_RETURNED' | 'DELIVERY_REPORTED'
>;

const REPORTS: ReadonlySet<PlanCommand['type']> = new Set<Report['type']>([
  'PAYOUT_DONE',
  'PAYOUT_REPORTED',
  'PAYOUT_FAILED',
  'PAYOUT_RETURNED',
  'DELIVERY_REPORTED',
]);

function isReport(command: PlanCommand): command is Report {
  return REPORTS.has(command.type);
}

/**
 * Whether a command says what becomes of the payment that is held: a report without a reference is of that payment. Returns and
 * corrections are of payments that were made, so of others.
 */
function tellsOfHeld({ providerReference: held }: Hold, command: PlanCommand): boolean {
  if (!isReport(command) || isReturn(command)) return false;
  if (command.type === 'PAYOUT_REPORTED' && command.corrects !== undefined) return false;
  const { providerReference: told } = command;
  return held === undefined || told === undefined || held === told;
}

/**
 * Why a report on another payment is refused while a payment is held. Such a report ends the attempt to pay, or says
 * that another payment is SENT. The held payment would be forgotten, although it may still be made. It has to wait
 * for the report on the held payment. Commands that the chain shows are accepted. Undefined where nothing speaks
 * against the command.
 */
export function refuseWhileHeld(before: Plan, command: PlanCommand, after: Plan): Ruling | undefined {
  const step = lastStep(before);
  if (step.hold === undefined || after.ended !== undefined) return undefined;
  if (!isReport(command) || tellsOfHeld(step.hold, command)) return undefined;
  const isOnChain = !isReturn(command) && 'evidence' in command && command.evidence !== undefined;
  const isSent = command.type === 'DELIVERY_REPORTED' && command.status === 'SENT';
  const isForgotten = isSent || lastStep(after).hold === undefined;
  if (isOnChain || !isForgotten) return undefined;
  const { providerReference: held } = step.hold;
  const name = held === undefined ? 'A payment' : `The payment ${held}`;
  const paid = step.type === 'CUSTODIAN_PAYOUT' ? 'DONE' : 'DELIVERED';
  const first = `${name} is held by ${payer(before)} and may still be made. Report first what becomes of it, ${paid} with its amount or FAILED`;
  const then = isReturn(command)
    ? ', and then what came back.'
    : `; this report is of the payment ${command.providerReference}.`;
  return notReady(before, `${first}${then}`);
}
