import { defined } from '@fairway/values';
import { type Amount, sumOf, unitsOf, ZERO } from '../terms/amount.ts';
import { type Contradiction, type Discharge, dischargeOf } from '../book/discharge.ts';
import type { CommandOf, Ruling } from '../plan/commands.ts';
import {
  cameBack,
  changed,
  dueSentence,
  mismatch,
  nothingLeft,
  notReady,
  unchanged,
} from '../plan/rulings.ts';
import { netPaidOf } from '../book/equations.ts';
import { reversalOf, standingMovements, withMovements } from '../book/ledger.ts';
import { assetsOf, type Kept } from '../terms/money.ts';
import type { Movement, NewMovement } from '../plan/movement.ts';
import { returnedAs } from '../returns/payAgain.ts';
import { refuseDelivery, withDeliveryPaid } from './deliveryRules.ts';
import { misfitIn, payoutOf, payoutRow } from '../book/payout.ts';
import { misfitText } from './review.ts';
import { hasRest, isRounding, withoutRounding, withRounding } from './rounding.ts';
import { endToEndIdOf, withPartId } from '../book/payoutTurn.ts';
import { evidenceOf, isReturned, isTurnOf, lastStep, payingState, without, withStep } from '../plan/steps.ts';
import { isSameMoney, moneyText } from '../returns/returnedMoney.ts';
import type { TimeMs } from '../terms/scalars.ts';
import { onPayoutUndone } from '../swap/rules.ts';
import type { PayingStep, Plan } from '../plan/types.ts';
import { PLAIN_WORDS } from '../terms/words.ts';

type Report = CommandOf<'PAYOUT_REPORTED'>;

/**
 * Records what the custodian has paid to an account, as a report tells with amounts. A payout is DONE, or a
 * recipient's delivery is DELIVERED, when payments and deductions account for all that is due. Until then a person is
 * asked. A report of a payment that is known adds what was absent, and is refused where it contradicts.
 */
export function onPayoutReported(plan: Plan, report: Report, atMs: TimeMs): Ruling {
  const step = lastStep(plan);
  if (report.corrects !== undefined) return onCorrection(plan, step, report, atMs);
  const known = payoutOf(plan).payouts.find(
    ({ providerReference }) => providerReference === report.providerReference,
  );
  return known === undefined ? onNew(plan, step, report, atMs) : onKnown(plan, step, known, report, atMs);
}

function onNew(plan: Plan, step: PayingStep, report: Report, atMs: TimeMs): Ruling {
  if (payingState(step) === 'PAID') return onAnother(plan, step, report, atMs);
  const refusal = refuseNew(plan, step, report, atMs);
  if (refusal !== undefined) return refusal;
  const { left, payouts, paid } = payoutOf(plan);
  if (left === ZERO && payouts.length === 0) return nothingLeft(plan);
  const misfit = report.discharged === undefined ? misfitIn(plan) : undefined;
  if (left === ZERO && misfit !== undefined) return notReady(plan, misfitText(plan, misfit, PLAIN_WORDS));
  const told = dischargeOf(left, { deductions: [], ...report, paid });
  if (!told.ok) return contradicts(plan, told);
  if (told.discharge.discharged === ZERO) return mismatch(nothingOf(plan, left));
  return changed(withPayments(plan, step, rowsOf(plan, report, told.discharge, left), report, atMs));
}

function refuseNew(
  plan: Plan,
  step: PayingStep,
  { providerReference }: Report,
  atMs: TimeMs,
): Ruling | undefined {
  const isPayout = step.type === 'CUSTODIAN_PAYOUT';
  if (isPayout && (step.status !== 'READY' || !isTurnOf(plan, step)))
    return notReady(plan, dueSentence(plan));
  const refusal = isPayout ? undefined : refuseDelivery(plan, step.stepId, providerReference, atMs);
  if (refusal !== undefined) return refusal;
  const evidence = evidenceOf(step);
  if (evidence !== undefined)
    return notReady(
      plan,
      `The payout rests on the transaction ${evidence.txHash}. Report that transaction by its txHash.`,
    );
  // A payment that was taken back, and is told once more, did not come back.
  const isRestored = voidedPayment(plan, providerReference) !== undefined;
  if (isPayout && !isRestored && returnedAs(step, { providerReference }) !== undefined)
    return cameBack(providerReference);
  return undefined;
}

/**
 * Records a payment that was made although all was paid: it is above what is due, and the step stays as it is. Only a
 * report that says how much it was is taken for that: without an amount another reference is more likely a mistake.
 */
function onAnother(plan: Plan, step: PayingStep, report: Report, atMs: TimeMs): Ruling {
  const { discharged = ZERO } = report;
  const isPaid = payoutOf(plan).payouts.length > 0;
  if (plan.ended === undefined && isReturned(plan)) return notReady(plan, RETURNED_FIRST);
  if (discharged === ZERO || !isPaid || !isOpen(plan, step))
    return notReady(
      plan,
      `${paidSentence(step)} If this is the same payment, report it with the providerReference that is recorded; a payment that was made beside it by mistake is recorded when it is reported with its amount.`,
    );
  const told = dischargeOf(ZERO, { discharged, deductions: report.deductions ?? [] });
  if (!told.ok) return contradicts(plan, told);
  return changed(withMovements(plan, rowsOf(plan, report, told.discharge, ZERO), atMs));
}

const RETURNED_FIRST =
  'The payment came back, so nothing is due. Send POST …/again, and report the payment then.';

function paidSentence(step: PayingStep): string {
  if (step.type === 'CUSTODIAN_PAYOUT') return 'The payout is DONE already.';
  return `The delivery is ${step.delivery?.status} already.`;
}

/**
 * Whether what was told of payments can be changed. A payout that failed is retried first; one that came back, or that
 * rests on a transaction, stays as it is.
 */
function isOpen(plan: Plan, step: PayingStep): boolean {
  if (plan.ended !== undefined || evidenceOf(step) !== undefined || isReturned(plan)) return false;
  return ['DUE', 'PAID'].includes(payingState(step));
}

/** The movements of a payment: what it settles, and what was kept back from it. */
function rowsOf(
  plan: Plan,
  report: Report,
  { discharged }: Discharge,
  expected: Amount,
  endToEndId = endToEndIdOf(plan),
): NewMovement[] {
  const { paid, fee, rate, estimatedRate } = report;
  return [
    {
      ...payoutRow(plan, 'PAYOUT', report),
      endToEndId,
      expected,
      actual: discharged,
      ...defined({ paid, fee, rate, estimatedRate }),
    },
    ...deductionRows(plan, report, endToEndId),
  ];
}

function deductionRows(plan: Plan, report: Report, endToEndId: string): NewMovement[] {
  return (report.deductions ?? []).map(
    ({ amount, reason }): NewMovement => ({
      ...payoutRow(plan, 'DEDUCTION', report),
      endToEndId,
      actual: amount,
      note: reason,
    }),
  );
}

/**
 * The plan with these movements. Its step is paid when they account for all that is due, and no payment contradicts its
 * rate, else open. An open step has what the swap brought in its present block as due. That block may have changed since
 * the step was paid.
 */
function withPayments(
  plan: Plan,
  step: PayingStep,
  rows: readonly NewMovement[],
  report: Report & { readonly isPaid?: boolean },
  atMs: TimeMs,
): Plan {
  const { providerReference, occurredAtMs, nextEndToEndId } = report;
  const next = withRounding(withMovements(plan, rows, atMs), report, atMs);
  const told = { providerReference, ...defined({ occurredAtMs }) };
  const isAccounted = report.isPaid === true || payoutOf(next).left === ZERO;
  const isPaid = isAccounted && misfitIn(next) === undefined;
  const paidAll = isPaid ? ({ verification: 'REPORTED', ...told } as const) : undefined;
  if (step.type !== 'CUSTODIAN_PAYOUT')
    return withRestNamed(withDeliveryPaid(next, step, paidAll, providerReference), nextEndToEndId);
  const before = without(step, 'verification', 'providerReference', 'occurredAtMs');
  if (paidAll !== undefined) return withStep(next, { ...before, status: 'DONE', ...paidAll });
  const open = withStep(next, { ...before, status: 'READY' });
  return withRestNamed(step.status === 'DONE' ? onPayoutUndone(open, atMs) : open, nextEndToEndId);
}

/** The plan with an id of its own for the rest, where a payment that stands had the present one. */
function withRestNamed(plan: Plan, nextEndToEndId: string | undefined): Plan {
  const step = lastStep(plan);
  if (payingState(step) !== 'DUE') return plan;
  if (step.type === 'SEND_DIGITAL_COLLECT' && step.delivery?.status !== 'PENDING') return plan;
  const { payouts, left } = payoutOf(plan);
  const isUsed = payouts.some(({ endToEndId }) => endToEndId === endToEndIdOf(plan));
  return isUsed && left !== ZERO ? withPartId(plan, nextEndToEndId) : plan;
}

/**
 * A report of a payment that the ledger has. New facts are added; a fact that differs is refused with both values.
 */
function onKnown(plan: Plan, step: PayingStep, known: Movement, report: Report, atMs: TimeMs): Ruling {
  const differs = differenceOf(known, report);
  if (differs !== undefined) return contradictsKnown(known, differs);
  const { left } = payoutOf(plan);
  const kept = keptFrom(plan, known);
  const addsDeductions = report.deductions !== undefined && kept.length === 0 && report.deductions.length > 0;
  const keptOtherwise = addsDeductions ? undefined : keptDifference(kept, report.deductions);
  if (keptOtherwise !== undefined) return contradictsKnown(known, keptOtherwise);
  const { paid, fee, rate, occurredAtMs } = report;
  const added = defined({ paid, fee, rate, occurredAtMs });
  const isCompleted = Object.keys(added).some((name) => known[name as keyof Movement] === undefined);
  // What is due can have become less since, when the swap was executed anew.
  const isAccounted = left === ZERO ? misfitIn(plan) === undefined : hasRest(plan, report.minorUnit);
  const isSettled = payingState(step) === 'DUE' && isAccounted;
  // What was paid stays paid, whatever the swap turns out to have brought since.
  const isPaid = payingState(step) === 'PAID';
  if (!addsDeductions && !isCompleted && !isSettled) return unchanged(plan);
  if (!isOpen(plan, step)) return notReady(plan, dueSentence(plan));
  if (addsDeductions) {
    const { deductions: more = [], minorUnit } = report;
    const due = isPaid ? ZERO : left;
    const told = dischargeOf(due, { discharged: ZERO, deductions: more, ...defined({ minorUnit }) });
    if (!told.ok) return contradicts(plan, told);
  }
  const { movementId: _id, seq: _seq, recordedAtMs: _at, ...row } = known;
  // The operator's rate is that of the time when it was told what was paid.
  const estimate = known.paid === undefined ? defined({ estimatedRate: report.estimatedRate }) : {};
  const completed = isCompleted ? [reversalOf(known), { ...row, ...added, ...estimate }] : [];
  const id = known.endToEndId ?? endToEndIdOf(plan);
  const rows = [...completed, ...(addsDeductions ? deductionRows(plan, report, id) : [])];
  return changed(withPayments(plan, step, rows, { ...report, isPaid }, atMs));
}

function keptFrom(plan: Plan, { providerReference }: Movement): readonly Movement[] {
  const { deductions } = payoutOf(plan);
  return deductions.filter((row) => row.providerReference === providerReference && !isRounding(plan, row));
}

/**
 * Takes a payment back that was told wrongly, with its deductions, and records it as it is told now. A payment that
 * is told as zero did not belong to this plan, and is only taken back.
 */
function onCorrection(plan: Plan, step: PayingStep, report: Report, atMs: TimeMs): Ruling {
  const { corrects: movementId = '', ...told } = report;
  const wrong = (plan.ledger ?? []).find((row) => row.movementId === movementId);
  if (wrong?.kind !== 'PAYOUT' || wrong.stepId !== step.stepId)
    return mismatch(
      `The movement ${movementId}, which is to be corrected, is no payment of this step. Give the movementId of a PAYOUT that the movements of the plan list.`,
    );
  if (wrong.transfer !== undefined)
    return mismatch(
      `The movement ${movementId}, which is to be corrected, was read on the chain. Leave corrects out: what the chain shows is not corrected.`,
    );
  const { payouts } = payoutOf(plan);
  if (isReturned(plan) || !payouts.includes(wrong)) return onCorrected(plan, step, wrong, told, atMs);
  if (!isOpen(plan, step)) return notReady(plan, dueSentence(plan));
  const kept = keptFrom(plan, wrong);
  const exact = withoutRounding(plan, atMs);
  const reversed = withMovements(exact, [wrong, ...kept].map(reversalOf), atMs);
  const { payouts: others, left, paid } = payoutOf(reversed);
  if (told.discharged === ZERO)
    return refuseVoid(wrong, told) ?? changed(withoutPayment(reversed, step, told, atMs));
  const other = others.find(({ providerReference }) => providerReference === told.providerReference);
  // One payment was recorded twice, under two references.
  if (other !== undefined && told.deductions === undefined && differenceOf(other, told) === undefined)
    return changed(withPayments(reversed, step, [], told, atMs));
  if (other !== undefined) return besideCorrected(told.providerReference);
  const answer = dischargeOf(left, { deductions: [], ...told, paid });
  if (!answer.ok) return contradicts(plan, answer);
  if (answer.discharge.discharged === ZERO) return mismatch(nothingOf(plan, left));
  // The custodian was asked for the payment with the id that it had.
  const rows = rowsOf(plan, told, answer.discharge, left, wrong.endToEndId);
  return changed(withPayments(reversed, step, rows, told, atMs));
}

/** The refusal of a correction that tells another payment which is recorded. */
export function besideCorrected(name: string | undefined): Ruling {
  return mismatch(
    `The payment ${name} is recorded already, beside the one to correct. Leave corrects out, or give the movementId of this payment.`,
  );
}

/** The plan without a payment that did not belong to it. The step is as the other payments leave it. */
function withoutPayment(plan: Plan, step: PayingStep, told: Report, atMs: TimeMs): Plan {
  const last = payoutOf(plan).payouts.at(-1);
  const { type, stepId, minorUnit } = told;
  const { providerReference = told.providerReference, occurredAtMs } = last ?? {};
  const left = { type, stepId, providerReference, ...defined({ occurredAtMs, minorUnit }) };
  return withPayments(plan, step, [], left, atMs);
}

/** Why a report takes no payment back; undefined when it does. */
function refuseVoid(wrong: Movement, told: Report): Ruling | undefined {
  if (told.providerReference !== wrong.providerReference)
    return mismatch(
      `The movement ${wrong.movementId} is not the payment ${told.providerReference}. Give the providerReference of the payment that is taken back.`,
    );
  const { paid, fee, rate, deductions = [] } = told;
  return deductions.length > 0 || [paid, fee, rate].some((member) => member !== undefined)
    ? mismatch('A payment of nothing has no paid, fee, rate and deductions; leave them out.')
    : undefined;
}

/**
 * The plan without a payment that did not belong to it, of an attempt that is over: as much more is due. While the
 * plan waits to be paid again, it is due with the next attempt.
 */
function onEndedVoided(plan: Plan, step: PayingStep, wrong: Movement, told: Report, atMs: TimeMs): Ruling {
  if (plan.ended !== undefined || payingState(step) === 'FAILED') return notReady(plan, dueSentence(plan));
  const refusal = refuseVoid(wrong, told);
  if (refusal !== undefined) return refusal;
  const reversed = withMovements(plan, [wrong, ...keptBefore(plan, wrong)].map(reversalOf), atMs);
  if (isReturned(plan) || payingState(step) === 'EARLY') return changed(reversed);
  return changed(withoutPayment(reversed, step, told, atMs));
}

/** What was kept back from a payment, also where that is of an attempt that is over. */
function keptBefore(plan: Plan, { providerReference, seq: since }: Movement): readonly Movement[] {
  return standingMovements(plan, 'DEDUCTION').filter(
    (row) => row.providerReference === providerReference && row.seq > since,
  );
}

/**
 * Corrects a payment after money came back, or restores one that was taken back. The plan waits to be paid again as
 * before. Undefined where less would have been paid than came back.
 */
function onReturnedCorrected(plan: Plan, wrong: Movement, told: Report, atMs: TimeMs): Ruling | undefined {
  const { providerReference: name, discharged, minorUnit, deductions = [] } = told;
  const standing = standingMovements(plan, 'PAYOUT');
  if (standing.some((row) => row !== wrong && row.providerReference === name)) return besideCorrected(name);
  const isStanding = standing.includes(wrong);
  const kept = isStanding ? keptBefore(plan, wrong) : [];
  const rounded = kept.filter((row) => isRounding(plan, row));
  const settled = isStanding
    ? kept.filter((row) => !rounded.includes(row)).map(({ actual }) => actual)
    : deductions.map(({ amount }) => amount);
  const expected = sumOf([wrong.actual, ...settled]);
  const answer = dischargeOf(expected, { deductions, ...defined({ discharged, minorUnit }) });
  if (!answer.ok) return contradicts(plan, answer);
  if (answer.discharge.discharged === ZERO) return mismatch(nothingOf(plan, expected));
  const reversed = withMovements(plan, (isStanding ? [wrong, ...kept] : []).map(reversalOf), atMs);
  const rests = rounded.map(({ movementId: _id, seq: _seq, recordedAtMs: _at, ...row }) => row);
  const rows = rowsOf(plan, told, answer.discharge, expected, wrong.endToEndId);
  const next = withMovements(reversed, [...rows, ...rests], atMs);
  return netPaidOf(next) < 0n ? undefined : changed(next);
}

/** The last payment of a reference that was taken back, and that no other of the same reference replaced; else undefined. */
export function voidedPayment(plan: Plan, providerReference: string | undefined): Movement | undefined {
  const isOf = (row: Movement) =>
    row.kind === 'PAYOUT' &&
    row.reverses === undefined &&
    row.transfer === undefined &&
    providerReference !== undefined &&
    row.providerReference === providerReference;
  const last = (plan.ledger ?? []).findLast(isOf);
  return last === undefined || standingMovements(plan).includes(last) ? undefined : last;
}

/** A correction of a payment that does not stand: it is repeated, or it comes too late. */
function onCorrected(plan: Plan, step: PayingStep, wrong: Movement, told: Report, atMs: TimeMs): Ruling {
  const now = payoutOf(plan).payouts.find(
    ({ providerReference }) => providerReference === told.providerReference,
  );
  if (now !== undefined && now !== wrong && differenceOf(now, told) === undefined) return unchanged(plan);
  const isTakenBack = !standingMovements(plan).includes(wrong);
  if (isTakenBack && now === undefined && told.discharged === ZERO) return unchanged(plan);
  const isVoided = voidedPayment(plan, told.providerReference) === wrong;
  const isWaiting = plan.ended === undefined && isReturned(plan) && evidenceOf(step) === undefined;
  const isTold = told.discharged !== ZERO && (isVoided || !isTakenBack);
  const corrected = isWaiting && isTold ? onReturnedCorrected(plan, wrong, told, atMs) : undefined;
  if (corrected !== undefined) return corrected;
  if (isVoided) return onNew(plan, step, told, atMs);
  // Returned money was paid before, so a payment that returns need is not taken back.
  const paidSince = isReturned(plan) ? 0n : unitsOf(payoutOf(plan).paid);
  const isNeeded = netPaidOf(plan) - paidSince < unitsOf(wrong.actual);
  if (!isTakenBack && told.discharged === ZERO && !isNeeded)
    return onEndedVoided(plan, step, wrong, told, atMs);
  const isBack = isNeeded && standingMovements(plan, 'RETURN').some(({ seq }) => seq > wrong.seq);
  const isOver = isBack ? 'came back after it was paid' : 'is of an attempt to pay that is over';
  const why = isTakenBack ? 'was corrected already' : isOver;
  return mismatch(
    `The movement ${wrong.movementId}, which is to be corrected, ${why}. Look at the movements of the plan for what stands.`,
  );
}

/** A member of a payment that a report tells otherwise: its name, and both values. */
type Difference = readonly [member: string, known: string, told: string];

/** Whether a payment was told with this amount. The rest that its currency has no unit for may be in it. */
function isSameAmount({ actual }: Movement, told: Amount, minorUnit: Amount | undefined): boolean {
  const restUnits = unitsOf(told) - unitsOf(actual);
  return restUnits === 0n || (minorUnit !== undefined && restUnits > 0n && restUnits < unitsOf(minorUnit));
}

/** What a report tells otherwise than the movement of its payment; undefined when nothing. */
export function differenceOf(known: Movement, report: Report): Difference | undefined {
  const { discharged, paid, fee, rate, occurredAtMs, minorUnit } = report;
  if (discharged !== undefined && !isSameAmount(known, discharged, minorUnit))
    return ['amount', known.actual, discharged];
  if (rate !== undefined && known.rate !== undefined && rate !== known.rate)
    return ['rate', known.rate, rate];
  for (const [member, before, now] of [
    ['paid', known.paid, paid],
    ['fee', known.fee, fee],
  ] as const)
    if (before !== undefined && now !== undefined && !isSameMoney(before, now))
      return [member, moneyText(before), moneyText(now)];
  if (occurredAtMs === undefined || known.occurredAtMs === undefined || occurredAtMs === known.occurredAtMs)
    return undefined;
  return ['occurredAt', timeText(known.occurredAtMs), timeText(occurredAtMs)];
}

/** What a report tells otherwise of what was kept back from a payment; undefined when nothing. */
export function keptDifferenceOf(
  plan: Plan,
  { stepId, providerReference }: Movement,
  { deductions }: Report,
): Difference | undefined {
  const kept = standingMovements(plan, 'DEDUCTION').filter(
    (row) => row.stepId === stepId && row.providerReference === providerReference,
  );
  return keptDifference(kept, deductions);
}

function keptDifference(
  kept: readonly Movement[],
  told: readonly Kept[] | undefined,
): Difference | undefined {
  if (told === undefined) return undefined;
  const known = keptText(kept.map(({ actual, note = '' }) => ({ amount: actual, reason: note })));
  return known === keptText(told) ? undefined : ['deductions', known, keptText(told)];
}

/** The refusal of a report that tells a known payment otherwise, with both values and the remedy. */
export function contradictsKnown(
  { movementId, providerReference }: Movement,
  [member, known, told]: Difference,
): Ruling {
  return mismatch(
    `The payment ${providerReference} is recorded with ${member} ${known}, this report says ${told}. Report it with "corrects": "${movementId}" if it was told wrongly before.`,
  );
}

/** A time as refusals say it. */
export function timeText(timeMs: TimeMs): string {
  // oxlint-disable-next-line eslint/no-restricted-globals -- it writes a given time, and reads no clock
  return new Date(timeMs).toISOString();
}

function nothingOf(plan: Plan, left: Amount): string {
  const due = PLAIN_WORDS.amount(left, assetsOf(plan).target);
  return `Nothing of the ${due} that are due was paid. Report how much was.`;
}

function keptText(kept: readonly Kept[]): string {
  return kept.length === 0 ? 'none' : kept.map(({ amount, reason }) => `${amount} (${reason})`).join(', ');
}

function contradicts(plan: Plan, { detail }: Contradiction): Ruling {
  return mismatch(
    `The report does not fit what is due in the token ${plan.corridor.target.token}: ${detail}`,
  );
}
