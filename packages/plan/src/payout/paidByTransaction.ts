import { defined } from '@fairway/values';
import { assetsOf } from '../terms/money.ts';
import { PLAIN_WORDS } from '../terms/words.ts';
import { isLess, ZERO } from '../terms/amount.ts';
import {
  placeOf,
  placesOf,
  restingOn,
  reversalOf,
  standingMovements,
  withMovements,
} from '../book/ledger.ts';
import { endedPayments, payoutOf, payoutRow, restsOn, type Told } from '../book/payout.ts';
import type { CommandOf, Ruling } from '../plan/commands.ts';
import { mismatch, notReady } from '../plan/rulings.ts';
import { lastStep, payingState, without, withStep } from '../plan/steps.ts';
import type { Evidence, PayingStep, Plan, StepEvidence, Transfer } from '../plan/types.ts';
import { begunTurn, endToEndIdOf, withPartId } from '../book/payoutTurn.ts';
import { walletFor } from './lostParts.ts';
import { isSamePlace, mayBeSameTransfer } from '../plan/transferPlaces.ts';
import type { Movement, NewMovement } from '../plan/movement.ts';
import type { TimeMs } from '../terms/scalars.ts';

// What is the same of a payout and of a delivery when a transaction pays them.

type Paid = CommandOf<'PAYOUT_DONE' | 'DELIVERY_REPORTED'>;

/** What a payout step or a delivery tells of its payment. */
type Payment = { readonly evidence?: StepEvidence };

/** The transaction that a payment rests on, unless the chain took it back. */
export function standing({ evidence }: Payment): StepEvidence | undefined {
  return evidence?.status === 'LOST' ? undefined : evidence;
}

/** Whether a transaction is the one that a payment rests on. */
export function isSameTransaction(payment: Payment, evidence: Evidence | undefined): boolean {
  return evidence !== undefined && standing(payment)?.txHash === evidence.txHash;
}

/**
 * Whether a transaction is known as final and told as one that is being confirmed. A final transaction stays final: before it
 * can be confirming again, it must be reported as lost.
 */
function isDowngrade(payment: Payment, evidence: Evidence): boolean {
  const isFinal = standing(payment)?.status === 'FINAL';
  return isFinal && isSameTransaction(payment, evidence) && evidence.status === 'CONFIRMING';
}

/** Whether a payment rests on a transaction as it is told. */
export function isToldAgain(payment: Payment, evidence: Evidence): boolean {
  if (!isSameTransaction(payment, evidence)) return false;
  const known = standing(payment);
  const isAlike = known?.status === evidence.status && known.blockHash === evidence.blockHash;
  return isAlike || isDowngrade(payment, evidence);
}

/** What a payment rests on after a report with a transaction. */
export function restsAfter(payment: Payment, evidence: Evidence | undefined): StepEvidence | undefined {
  if (evidence === undefined) return undefined;
  return isDowngrade(payment, evidence) ? payment.evidence : restingOn(evidence);
}

/** Why a payment cannot be made now: another transaction is being confirmed; undefined when it can. */
export function refuseWhileConfirming(plan: Plan, payment: Payment, { evidence }: Paid): Ruling | undefined {
  const known = standing(payment);
  if (known?.status !== 'CONFIRMING' || isSameTransaction(payment, evidence)) return undefined;
  return notReady(
    plan,
    `The transaction ${known.txHash} paid the recipient and is being confirmed. Wait until it is confirmed, or is no longer on the chain.`,
  );
}

/** The refusal of a transaction that pays less than is due, and was not told as a part. */
export function refuseTooLittle(plan: Plan, payment: Payment, command: Paid): Ruling | undefined {
  const { evidence } = command;
  // A payment that was enough when it was accepted stays enough, even if the swap was executed anew since.
  const isAccepted = isSameTransaction(payment, evidence) && restsOn(plan) === evidence?.amount;
  if (evidence === undefined || isAccepted) return undefined;
  const { left } = payoutOf(plan);
  if (!isLess(evidence.amount, left) || isPart(plan, command)) return undefined;
  const [paid, due] = [evidence.amount, left].map((each) => PLAIN_WORDS.amount(each, assetsOf(plan).target));
  return mismatch(
    `The transaction paid ${paid} to the recipient, ${due} is due. Report the transaction that paid what is due.`,
  );
}

/** The refusal of a failure where a transaction paid. */
export function refuseFailed(payment: Payment): Ruling | undefined {
  const known = standing(payment);
  if (known === undefined) return undefined;
  return mismatch(
    `The transaction ${known.txHash} paid the recipient, so the payment has not failed. Report what comes back of it as RETURNED.`,
  );
}

/** Whether a transaction pays a part of what is due, and was told as one. */
export function isPart(plan: Plan, { evidence, part }: Paid): boolean {
  const step = lastStep(plan);
  if (evidence === undefined || payingState(step) === 'PAID') return false;
  const { payouts, left } = payoutOf(plan);
  // An account is not paid by transactions. Where payments to an account were told, a transaction pays no part.
  if (payouts.length > 0 || !isLess(evidence.amount, left)) return false;
  return evidence.amount !== ZERO && (part === true || step.payout?.part === evidence.txHash);
}

/** Whether a transaction paid a part already, in whatever block. */
export function isKnownPart(plan: Plan, { evidence, part }: Paid): boolean {
  const isAfterPart = payoutOf(plan).inParts !== ZERO;
  if (evidence === undefined || (part !== true && !isAfterPart)) return false;
  return endedPayments(plan).some(({ transfer }) =>
    evidence.transfers.some((each) => mayBeSameTransfer(transfer, each)),
  );
}

/**
 * The plan with a part paid by a transaction that the ledger has. While it is being confirmed, the step rests on it. Then
 * the rest is due.
 */
function withPart(
  plan: Plan,
  evidence: Evidence,
  { nextEndToEndId = lastStep(plan).payout?.nextEndToEndId }: Pick<Paid, 'nextEndToEndId'>,
): Plan {
  const step = lastStep(plan);
  const { txHash, sender, nonce } = evidence;
  const turn = begunTurn(plan);
  if (evidence.status !== 'FINAL')
    return withStep(plan, { ...step, payout: { ...turn, part: txHash, ...defined({ nextEndToEndId }) } });
  const others = (turn.signed ?? []).filter((each) => each.txHash !== txHash);
  const wallet = walletFor(plan, evidence);
  const payout = {
    ...without(turn, 'part', 'nextEndToEndId'),
    signed: [...others, { txHash, sender, nonce, ...defined({ wallet }) }],
  };
  const next = withStep(plan, { ...openAgain(step), payout });
  return paidAs(plan, evidence) === endToEndIdOf(plan) ? withPartId(next, nextEndToEndId) : next;
}

/**
 * The plan with its last step as a report of a payment leaves it, and with what a transaction of that has paid. `before`: the
 * payment until then.
 */
export function withPaid(
  plan: Plan,
  before: Payment,
  command: Paid,
  { step, told }: { readonly step: PayingStep; readonly told: Told },
  atMs: TimeMs,
): Plan {
  const { evidence } = command;
  if (evidence === undefined || isDowngrade(before, evidence)) return withStep(plan, step);
  const paid = withStep(withPaidBy(plan, evidence, told, atMs), step);
  return isPart(plan, command) ? withPart(paid, evidence, command) : paid;
}

/** The step without the transaction that paid a part, so that the rest is due. */
function openAgain(step: PayingStep): PayingStep {
  if (step.type === 'CUSTODIAN_PAYOUT')
    return without(step, 'evidence', 'verification', 'providerReference', 'occurredAtMs');
  return { ...step, delivery: { status: 'PENDING', ...defined({ endToEndId: step.delivery?.endToEndId }) } };
}

/** The plan whose ledger has what a transaction paid, in place of what it had of these transfers in another block. */
function withPaidBy(plan: Plan, evidence: Evidence, told: Told, atMs: TimeMs): Plan {
  const { transfers } = evidence;
  const known = standingMovements(plan, 'PAYOUT');
  // A transfer that was recorded as paid once more is no payment of what is due.
  const isSame = ({ transfer, actual, reason }: Movement, moved: Transfer) =>
    reason === undefined && isSamePlace(transfer, moved) && actual === moved.amount;
  const replaced = known.filter(
    (row) =>
      transfers.some((moved) => mayBeSameTransfer(row.transfer, moved)) &&
      !transfers.some((moved) => isSame(row, moved)),
  );
  const fresh = transfers.filter(
    (moved) => moved.amount !== ZERO && !known.some((row) => isSame(row, moved)),
  );
  const endToEndId = paidAs(plan, evidence);
  const rows = fresh.map(
    (moved): NewMovement => ({
      ...payoutRow(plan, 'PAYOUT', told),
      actual: moved.amount,
      endToEndId,
      transfer: placeOf(moved),
    }),
  );
  return withMovements(plan, [...replaced.map(reversalOf), ...rows], atMs);
}

/** The plan whose ledger has a payment that was told without an amount: it paid all that is left. */
export function withRestPaid(plan: Plan, told: Told, atMs: TimeMs): Plan {
  const { left } = payoutOf(plan);
  if (left === ZERO) return plan;
  const row = payoutRow(plan, 'PAYOUT', told);
  const all = { ...row, endToEndId: endToEndIdOf(plan), expected: left, actual: left };
  return withMovements(plan, [all], atMs);
}

/** The plan whose ledger no longer has what a transaction paid, because the chain has lost it. */
export function withoutPaidBy(plan: Plan, evidence: StepEvidence, atMs: TimeMs): Plan {
  const places = placesOf(evidence);
  const gone = standingMovements(plan, 'PAYOUT').filter(({ transfer }) =>
    places.some((place) => isSamePlace(transfer, place)),
  );
  return withMovements(plan, gone.map(reversalOf), atMs);
}

/** The id that a transaction was paid with: the one that it had before a reorganisation took it back, else that of now. */
function paidAs(plan: Plan, { transfers }: Evidence): string {
  const known = (plan.ledger ?? []).findLast(
    ({ kind, reverses, transfer }) =>
      kind === 'PAYOUT' &&
      reverses === undefined &&
      transfers.some((each) => mayBeSameTransfer(transfer, each)),
  );
  return known?.endToEndId ?? endToEndIdOf(plan);
}
