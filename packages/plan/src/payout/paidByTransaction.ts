import { assetsOf } from '../terms/money.ts';
import { PLAIN_WORDS } from '../terms/words.ts';
import { isLess } from '../terms/amount.ts';
import { restingOn } from '../book/evidence.ts';
import { payoutOf, restsOn } from '../book/payout.ts';
import type { CommandOf, Ruling } from '../plan/commands.ts';
import { mismatch, notReady } from '../plan/steps.ts';
import { isPart } from './partPayments.ts';
import type { Evidence, Plan, StepEvidence } from '../plan/types.ts';

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
export function isDowngrade(payment: Payment, evidence: Evidence): boolean {
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
