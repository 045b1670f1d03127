import { defined } from '@fairway/values';
import { amountOf, unitsOf, ZERO } from './terms/amount.ts';
import { conversionOf } from './terms/corridor.ts';
import {
  type CommandOf,
  isFailure,
  isReturn,
  type PlanCommand,
  type Ruling,
  type ToldReturn,
} from './plan/commands.ts';
import { cameBack, mismatch, notReady, unchanged } from './plan/rulings.ts';
import { refuseWhileHeld } from './payout/holdRules.ts';
import { netPaidOf } from './book/equations.ts';
import { evidenceWith, placesOf, standingMovements } from './book/ledger.ts';
import { assetsOf } from './terms/money.ts';
import type { Movement } from './plan/movement.ts';
import { namedHash } from './plan/providerReferences.ts';
import { endedPayments, misfitIn, paymentNamed, payoutOf } from './book/payout.ts';
import { misfitText } from './payout/review.ts';
import {
  besideCorrected,
  contradictsKnown,
  differenceOf,
  keptDifferenceOf,
  timeText,
  voidedPayment,
} from './payout/reports.ts';
import { evidenceOf, isReturned, lastStep, payingState, standingEvidence, stepAs } from './plan/steps.ts';
import { refuseSettled } from './ending/refundRules.ts';
import {
  isReturnKnown,
  isSameReturn,
  moneyText,
  movementOfReturn,
  refuseReturnedMoney,
  returnedMoneyOf,
} from './returns/returnedMoney.ts';
import type { TimeMs } from './terms/scalars.ts';
import { isSamePlace, mayBeSameTransfer } from './plan/transferPlaces.ts';
import type { Evidence, Plan } from './plan/types.ts';
import { PLAIN_WORDS } from './terms/words.ts';

type PaymentReported = CommandOf<'PAYOUT_DONE' | 'PAYOUT_REPORTED' | 'DELIVERY_REPORTED'>;

/**
 * Why a command is refused after what it did to a plan. It reports on another payment than the held one, moves money
 * that was settled elsewhere, returns more than was paid, or fails a recorded payment. Undefined when nothing speaks
 * against it. `after`: the plan with what the command did.
 */
export function refuseOutcome(plan: Plan, command: PlanCommand, after: Plan): Ruling | undefined {
  const held = refuseWhileHeld(plan, command, after);
  if (held !== undefined) return held;
  if (command.type === 'REFUND_RECORDED') return refuseSettled(plan, command);
  if (!isReturn(command)) return refuseFailure(plan, command);
  const refusal = isReturnKnown(plan, command) ? undefined : refuseReturn(plan, command);
  return refusal ?? refuseReturnedMoney(after, command);
}

/** The decision about a command that is recorded already, or that what is recorded contradicts; undefined for others. */
export function decidedBefore(plan: Plan, command: PlanCommand): Ruling | undefined {
  if (isReturn(command)) return contradictedReturn(plan, command) ?? returnedAlike(plan, command);
  if (command.type === 'PAYOUT_DONE') return paymentBefore(plan, command);
  if (command.type === 'PAYMENT_REPEATED') return movedMeanwhile(plan, command);
  if (command.type === 'PAYOUT_REPORTED') return paidBefore(plan, command);
  if (command.type !== 'DELIVERY_REPORTED') return undefined;
  const unnamed = refuseUnnamed(plan, command);
  if (unnamed !== undefined || command.status === 'FAILED') return unnamed;
  return paymentBefore(plan, command);
}

function paymentBefore(
  plan: Plan,
  command: CommandOf<'PAYOUT_DONE' | 'DELIVERY_REPORTED'>,
): Ruling | undefined {
  return (
    paidOtherwise(plan, command) ??
    movedMeanwhile(plan, command) ??
    paidBefore(plan, command) ??
    besideConfirming(plan, command) ??
    paidAlready(plan, command)
  );
}

/** The refusal of a return that is recorded with other facts; undefined when nothing contradicts. */
function contradictedReturn(plan: Plan, told: ToldReturn): Ruling | undefined {
  const known = plan.returns.find((each) => isSameReturn(each, told));
  if (known === undefined) return undefined;
  const row = movementOfReturn(plan, told);
  const money = row && returnedMoneyOf(plan, row);
  const members = [
    ['amount', known.amount ?? row?.actual, told.amount],
    ['returned', money && moneyText(money), told.returned && moneyText(told.returned)],
    ['failure', known.failure?.code, told.failure?.code],
    ['occurredAt', known.occurredAtMs, told.occurredAtMs],
  ] as const;
  for (const [member, before, now] of members)
    if (before !== undefined && now !== undefined && before !== now)
      return mismatch(
        `The return ${known.providerReference ?? ''} is recorded with ${member} ${saidOf(before)}, this report says ${saidOf(now)}. Send what is recorded, or give another return its own providerReference.`,
      );
  return undefined;
}

/** The decision about a return whose transaction is known by the same hash in other letters: it came back once. */
function returnedAlike(plan: Plan, told: ToldReturn): Ruling | undefined {
  const hash = namedHash(told.providerReference);
  if (hash === undefined || told.providerReference === undefined) return undefined;
  const known = plan.returns.find(({ providerReference }) => namedHash(providerReference) === hash);
  if (known === undefined || known.providerReference === told.providerReference) return undefined;
  if (told.returned !== undefined)
    return mismatch(
      `The return ${told.providerReference} is recorded as ${known.providerReference}. Send that providerReference.`,
    );
  return (
    contradictedReturn(plan, { ...told, ...defined({ providerReference: known.providerReference }) }) ??
    unchanged(plan)
  );
}

function saidOf(value: string | TimeMs): string {
  return typeof value === 'string' ? value : timeText(value);
}

/** Why a return cannot be recorded: it is a deposit of the plan already, or more would be back than was paid. */
function refuseReturn(plan: Plan, { amount, providerReference, returned }: ToldReturn): Ruling | undefined {
  const hash = namedHash(providerReference);
  const deposit = standingMovements(plan, 'DEPOSIT').find(
    ({ transfer }) => hash !== undefined && transfer?.txHash.toLowerCase() === hash,
  );
  if (deposit !== undefined)
    return mismatch(
      `The transaction ${providerReference} brought the money to the deposit address: it is with the payer and not with the custodian, and listed as the movement ${deposit.movementId}. If the custodian got it back and sent it on, report the return with the custodian's reference, and then this transaction as a refund. Else end the plan: then you have seen it.`,
    );
  const paid = netPaidOf(plan);
  if (paid <= 0n)
    return notReady(
      plan,
      'Nothing is left to return: all that was paid out has come back already. Look at the returns of the plan, which list it.',
    );
  if (amount === undefined)
    return paymentsBack(plan) < 2
      ? undefined
      : mismatch('Several payments are recorded: say how much came back (amount, in units of the token).');
  if (unitsOf(amount) <= paid) return undefined;
  const [back, out] = [amount, amountOf(paid)].map((each) => PLAIN_WORDS.amount(each, assetsOf(plan).target));
  if (returned !== undefined)
    return mismatch(
      `The report says that ${moneyText(returned)} came back (returned), which are ${back}; ${out} are paid out and not back yet. Give in returned what came back, in minor units of ${plan.corridor.target.currency}.`,
    );
  return mismatch(
    `The report says that ${back} came back, ${out} are paid out and not back yet. Give the amount that came back, in units of the token.`,
  );
}

/** How many payments can have come back: those since the last return. */
function paymentsBack(plan: Plan): number {
  const last = standingMovements(plan, 'RETURN').at(-1)?.seq ?? 0;
  return standingMovements(plan, 'PAYOUT').filter(({ seq }) => seq > last).length;
}

/** Why a payment cannot have failed: it is recorded as made. */
export function refuseFailure(plan: Plan, command: PlanCommand): Ruling | undefined {
  if (!isFailure(command)) return undefined;
  const made = paymentNamed(plan, command.providerReference);
  if (made === undefined) return undefined;
  return mismatch(
    `The payment ${command.providerReference} is recorded with ${PLAIN_WORDS.amount(made.actual, made.asset)}, so it has not failed. Report what comes back of it as RETURNED, or take it back with "corrects": "${made.movementId}" and "amount": "0".`,
  );
}

/**
 * The effect of a report about a payment of an earlier attempt. Such a payment does not settle anything again. The
 * report is refused where the payment came back, or where the report gives another amount. Otherwise the report is
 * already known.
 */
function paidBefore(plan: Plan, told: PaymentReported): Ruling | undefined {
  const isCorrection = told.type === 'PAYOUT_REPORTED' && told.corrects !== undefined;
  const voided = isCorrection ? undefined : voidedPayment(plan, told.providerReference);
  if (voided !== undefined)
    return mismatch(
      `The payment ${voided.providerReference} was taken back. If it was made for this plan after all, report it with "corrects": "${voided.movementId}".`,
    );
  const known = endedPayments(plan).find((row) => isOf(row, told));
  if (known === undefined) return undefined;
  const name = known.transfer?.txHash ?? known.providerReference;
  if (told.type === 'PAYOUT_REPORTED' && told.corrects !== undefined)
    return told.corrects === known.movementId ? undefined : besideCorrected(name);
  // A return that was told once more stands where it was told first.
  const isBack = standingMovements(plan, 'RETURN').some(({ seq }) => seq > known.seq);
  // The round of the delivery that came back says what becomes of its reference.
  if (isBack && told.type === 'DELIVERY_REPORTED' && told.evidence === undefined) return undefined;
  // While the return is the last that is known, the payment that came back is simply told once more.
  if (isBack && !isReturned(plan)) return cameBack(name);
  if (told.type !== 'PAYOUT_REPORTED')
    return isBack && told.evidence !== undefined ? undefined : unchanged(plan);
  // What was kept back from it can no longer be added: the next attempt pays what it left.
  const differs = differenceOf(known, told) ?? keptDifferenceOf(plan, known, told);
  if (differs !== undefined) return contradictsKnown(known, differs);
  const addsPaid = told.paid !== undefined && known.paid === undefined;
  if (addsPaid && conversionOf(plan.corridor) !== 'PEGGED')
    return mismatch(
      `The payment ${name} ${isBack ? 'came back' : 'is of a part of the plan that is over'}, so paid can no longer be added to it. Leave paid out. What is not known in the currency is in no camt.053.`,
    );
  return unchanged(plan);
}

/**
 * The refusal of a report without a reference where another payment has one. When the report is delivered again,
 * nothing would say which of the two payments it is about.
 */
function refuseUnnamed(
  plan: Plan,
  { status, providerReference, evidence }: CommandOf<'DELIVERY_REPORTED'>,
): Ruling | undefined {
  const step = stepAs(plan, 'SEND_DIGITAL_COLLECT');
  if (providerReference !== undefined || evidence !== undefined) return undefined;
  const { delivery } = step;
  if (status === 'FAILED' && delivery?.status === 'SENT' && delivery.providerReference !== undefined)
    return notReady(
      plan,
      `The delivery is on its way as ${delivery.providerReference}: name this providerReference if it failed.`,
    );
  const [last] = payoutOf(plan).payouts.slice(-1);
  if (status !== 'SENT' || last === undefined || payingState(step) !== 'DUE') return undefined;
  return notReady(
    plan,
    `The payment ${last.providerReference} is recorded: name the providerReference of the one that was sent.`,
  );
}

/** The refusal of a transaction that came back and is told to have paid another amount: more could be back than was paid then. */
function paidOtherwise(
  plan: Plan,
  { evidence }: CommandOf<'PAYOUT_DONE' | 'DELIVERY_REPORTED'>,
): Ruling | undefined {
  const known = evidenceOf(lastStep(plan));
  if (!isReturned(plan) || evidence === undefined || known?.txHash !== evidence.txHash) return undefined;
  const { amount } = evidenceWith(plan, 'PAYOUT', known);
  if (amount === evidence.amount) return undefined;
  const { target } = assetsOf(plan);
  return mismatch(
    `The transaction ${known.txHash} paid ${PLAIN_WORDS.amount(amount, target)} before that came back, not ${PLAIN_WORDS.amount(evidence.amount, target)}. Report another payment by its own transaction.`,
  );
}

/**
 * The refusal of a transaction that is now in another block than several recorded payments of it. The record takes
 * those payments back and finds them again. Until then nothing says which transfer of it is which payment. A report
 * with the amount of a recorded payment is only a repetition. It is refused nevertheless if the last step rests on
 * that transaction, because the other payments would be lost.
 */
function movedMeanwhile(plan: Plan, { evidence }: { readonly evidence?: Evidence }): Ruling | undefined {
  if (evidence === undefined) return undefined;
  const { txHash, blockHash, amount } = evidence;
  const rests = evidenceOf(lastStep(plan));
  const places = placesOf(rests);
  const others = standingMovements(plan, 'PAYOUT').filter(
    ({ reason, transfer }) =>
      reason === undefined &&
      transfer?.txHash === txHash &&
      transfer.blockHash !== blockHash &&
      !places.some((each) => isSamePlace(each, transfer)),
  );
  const isKnown = rests?.txHash !== txHash && others.some(({ actual }) => actual === amount);
  if (others.length === 0 || isKnown) return undefined;
  return notReady(
    plan,
    `The transaction ${txHash} is in another block than the payments of it that are recorded. Report it again when the plan shows that.`,
  );
}

/** The refusal of another transfer of the transaction that the last step rests on: one is confirmed after the other. */
function besideConfirming(plan: Plan, { evidence }: { readonly evidence?: Evidence }): Ruling | undefined {
  const rests = standingEvidence(lastStep(plan));
  if (rests === undefined || evidence?.txHash !== rests.txHash) return undefined;
  const isSame = evidence.transfers.some((told) =>
    placesOf(rests).some((each) => mayBeSameTransfer(told, each)),
  );
  if (isSame) return undefined;
  return notReady(
    plan,
    `The payout rests on another transfer of the transaction ${rests.txHash}. Report this one when that is confirmed.`,
  );
}

/**
 * The refusal of a payment without a transaction that this attempt to pay already has, with its amount. If it were
 * taken as another payment, it would settle the rest as well.
 */
function paidAlready(
  plan: Plan,
  command: CommandOf<'PAYOUT_DONE' | 'DELIVERY_REPORTED'>,
): Ruling | undefined {
  const { evidence, providerReference } = command;
  if (evidence !== undefined) return undefined;
  const known = payoutOf(plan).payouts.find((row) => row.providerReference === providerReference);
  if (known === undefined) return paidDoubtfully(plan);
  if (command.type === 'DELIVERY_REPORTED' && command.status === 'SENT') return unchanged(plan);
  if (payingState(lastStep(plan)) !== 'DUE') return undefined;
  return notReady(
    plan,
    `The payment ${providerReference} is recorded with ${PLAIN_WORDS.amount(known.actual, known.asset)}, and more is due. Report the other payment with its own providerReference, or this one with its deductions.`,
  );
}

/** The refusal of a payment without amounts after one that its rate does not explain, and that may have paid all. */
function paidDoubtfully(plan: Plan): Ruling | undefined {
  const misfit = payoutOf(plan).left === ZERO ? misfitIn(plan) : undefined;
  return misfit && notReady(plan, misfitText(plan, misfit, PLAIN_WORDS));
}

/** Whether a movement is the payment that is told: a transfer, in whatever block, or a payment of this reference. */
function isOf({ transfer, providerReference }: Movement, told: PaymentReported): boolean {
  const evidence = told.type === 'PAYOUT_REPORTED' ? undefined : told.evidence;
  if (evidence === undefined)
    return providerReference !== undefined && providerReference === told.providerReference;
  return evidence.transfers.some((each) => mayBeSameTransfer(transfer, each));
}
