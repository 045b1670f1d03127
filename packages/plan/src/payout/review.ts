import { sumOf, unitsOf, ZERO } from '../terms/amount.ts';
import { type Misfit, unitsAsked } from '../book/doubtfulAmounts.ts';
import { assetsOf } from '../terms/money.ts';
import type { Movement } from '../plan/movement.ts';
import { misfitIn, payoutOf } from '../book/payout.ts';
import { repeatedPayments } from './repeatedPayment.ts';
import type { Plan } from '../plan/types.ts';
import type { Words } from '../terms/words.ts';
import { totalOf } from '../book/equations.ts';

/** How many payments a sentence names: the newest. The movements of the plan have them all. */
const MOST_NAMED = 3;

/** Who pays the recipient of a plan, in sentences. */
export function payer({ corridor }: Plan): string {
  return `the custodian (${corridor.target.custodian})`;
}

/**
 * What a person has to do about payments to accounts that do not account for all that is due. The sentence names
 * them, and what a correction has to name. Undefined while no payment is recorded.
 */
export function paymentsToReview(plan: Plan, words: Words): string | undefined {
  const { payouts, paid, deducted, left } = payoutOf(plan);
  const last = payouts.at(-1);
  if (last === undefined) return undefined;
  const misfit = misfitIn(plan);
  if (misfit !== undefined) return misfitText(plan, misfit, words);
  if (left === ZERO)
    return `The payments account for all that is due by now: report the payment ${last.providerReference} once more.`;
  const { target } = assetsOf(plan);
  const known = sumOf([paid, deducted]);
  const [due, told, kept, missing] = [sumOf([known, left]), known, deducted, left].map((amount) =>
    words.amount(amount, target),
  );
  const deductions = deducted === ZERO ? '' : `, and ${kept} was deducted`;
  return `The reports account for ${told} of ${due}: ${named(payouts, plan, words)}${deductions}. Find out where ${missing} went: report the payment ${last.providerReference} with its deductions, report another payment of the rest, or correct a wrong one with its movement, such as "corrects": "${last.movementId}".${unitsOfPayment(plan, last)}`;
}

/** What a person has to do about a payment that its rate does not explain. */
export function misfitText(plan: Plan, { payment, paid, rate, isTold, worth }: Misfit, words: Words): string {
  const { providerReference, movementId, actual } = payment;
  const [got, settled, expected] = [
    words.amount(paid.amount, paid.asset),
    words.amount(actual, assetsOf(plan).target),
    worth && words.amount(worth.amount, worth.asset),
  ];
  const whose = isTold ? 'the rate that was told' : "the operator's rate";
  const comes = expected === undefined ? '' : `, at which that comes to ${expected}`;
  const told = isTold ? '' : `If it was converted at another rate, report it once more with its rate. Else `;
  const correct = `${isTold ? 'Correct' : 'correct'} it with "corrects": "${movementId}" and what is true of paid, rate, fee, amount and deductions.`;
  return `The payment ${providerReference} contradicts itself: ${got} were paid for ${settled}, and ${whose} is ${rate}${comes}. ${told}${correct} Have nothing paid before that.`;
}

/**
 * A question about the unit of a payment, where a mistake explains its amount. Deductions from the payment are not
 * part of the expected amount.
 */
function unitsOfPayment(plan: Plan, payment: Movement): string {
  const kept = payoutOf(plan).deductions.filter(
    ({ providerReference }) => providerReference === payment.providerReference,
  );
  const { expected = payoutOf(plan).due } = payment;
  return unitsAsked(plan, payment, unitsOf(expected) - totalOf(kept));
}

/** What a person has to do about transactions that paid less than what was due; undefined where none did. */
export function partsToReview(plan: Plan, words: Words): string | undefined {
  const { inParts, left, parts } = payoutOf(plan);
  if (inParts === ZERO) return undefined;
  const { target } = assetsOf(plan);
  const [paid, due, rest] = [inParts, sumOf([inParts, left]), left].map((amount) =>
    words.amount(amount, target),
  );
  // After a return no single payment tells what still stands.
  const told =
    parts.length === 0
      ? `Of ${due} the recipient was paid ${paid} that did not come back.`
      : `The transactions that were reported paid ${paid} of ${due}: ${named(parts, plan, words)}.`;
  return `${told} Have ${payer(plan)} pay the rest, ${rest}, in another transaction, and report it; or refund it.`;
}

/** What a person has to do about money that was paid above what was due. `amount`: how much, in words. */
export function paidAboveDue(plan: Plan, amount: string): string {
  const { payouts } = payoutOf(plan);
  const last = payouts.findLast(({ providerReference }) => providerReference !== undefined);
  const correction =
    last === undefined
      ? ''
      : `correct a payment that was told wrongly, such as ${last.providerReference} with "corrects": "${last.movementId}", `;
  const repeated = repeatedPayments(plan).flatMap(({ transfer }) => transfer?.txHash ?? []);
  const by = repeated.length === 0 ? '' : ` (${repeated.slice(-MOST_NAMED).join(', ')})`;
  const unit = last === undefined ? '' : unitsOfPayment(plan, last);
  return `${amount} was paid above what was due${by}: have it sent back and report it as RETURNED with its amount, ${correction}or end the plan.${unit}`;
}

/** The newest payments, such as "PO-1 paid 245 USDC (mov_…)". A payment that the chain shows is not corrected. */
function named(payouts: readonly Movement[], plan: Plan, words: Words): string {
  const earlierCount = Math.max(0, payouts.length - MOST_NAMED);
  const texts = payouts.slice(earlierCount).map(({ actual, providerReference, transfer, movementId }) => {
    const amount = words.amount(actual, assetsOf(plan).target);
    return transfer === undefined
      ? `${providerReference} paid ${amount} (${movementId})`
      : `${transfer.txHash} paid ${amount}`;
  });
  return [...(earlierCount === 0 ? [] : [`${earlierCount} earlier`]), ...texts].join(', ');
}
