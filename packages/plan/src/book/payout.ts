import { defined } from '@fairway/values';
import { type Amount, amountOf, isLess, leastOf, mostOf, sumOf, unitsOf, ZERO } from '../terms/amount.ts';
import { type Misfit, misfitOf } from './doubtfulAmounts.ts';
import { openOf, totalOf } from './equations.ts';
import { evidenceWith, placesOf, standingMovements } from './ledger.ts';
import type { Movement, MovementTransfer, NewMovement } from '../plan/movement.ts';
import { collectStep, evidenceOf, lastStep, payingState, standingEvidence } from '../plan/steps.ts';
import { begunTurn, idsOf } from './payoutTurn.ts';
import { assetsOf } from '../terms/money.ts';
import { refundedBeforeSwap } from './deposit.ts';
import { swapOf } from './swap.ts';
import { mayBeSameTransfer } from '../plan/transferPlaces.ts';
import type { CustodianPayoutStep, Delivery, Plan } from '../plan/types.ts';

/** What the last step has paid of what is due, in units of the payout token. */
export type Payout = {
  /** All that the attempt to pay which is under way is to pay, or has paid. An estimate until the swap is final. */
  readonly due: Amount;
  /** What it has paid, by transactions and to accounts. */
  readonly paidOut: Amount;
  /** The payments to accounts since the last return, oldest first, and what was kept back from them. */
  readonly payouts: readonly Movement[];
  readonly deductions: readonly Movement[];
  readonly paid: Amount;
  readonly deducted: Amount;
  /** What transactions beside the one that the step rests on have paid, and what of it did not come back. */
  readonly parts: readonly Movement[];
  readonly inParts: Amount;
  /** What is due and neither paid nor deducted. The payment of the transaction that the step rests on is in it. */
  readonly left: Amount;
};

/**
 * How much the custodian has still to pay of what is due: less what was paid, kept back, or is being confirmed. Nothing,
 * while so much went back to the payer that nothing can be swapped.
 *
 * @example
 * ```ts
 * import { amountToPayOf, type Plan } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * const rest = amountToPayOf(plan);
 * ```
 */
export function amountToPayOf(plan: Plan): Amount {
  const step = lastStep(plan);
  if (plan.ended !== undefined) return ZERO;
  // Refunds left too little for the swap, so it brings nothing that could be paid out.
  if (payingState(step) === 'PAID' || refundedBeforeSwap(plan) !== ZERO) return ZERO;
  const { left } = payoutOf(plan);
  const onChain = restsOn(plan);
  const delivery = step.type === 'CUSTODIAN_PAYOUT' ? undefined : step.delivery;
  // What was sent is not on the ledger before it has arrived.
  const isOnItsWay = delivery?.status === 'SENT' && onChain === ZERO;
  return less(left, isOnItsWay ? (delivery.sentAmount ?? left) : onChain);
}

/** What the transaction pays that the last step rests on; nothing where the chain has lost it. */
export function restsOn(plan: Plan): Amount {
  const evidence = standingEvidence(lastStep(plan));
  return evidence === undefined ? ZERO : evidenceWith(plan, 'PAYOUT', evidence).amount;
}

function less(amount: Amount, taken: Amount): Amount {
  return isLess(taken, amount) ? amountOf(unitsOf(amount) - unitsOf(taken)) : ZERO;
}

/**
 * What the last step has paid, and how much of what is due that leaves, as the ledger has it. Payments before this attempt
 * to pay began do not count, nor do those to accounts that came back.
 *
 * @example
 * ```ts
 * import { payoutOf, type Plan } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * const { due, paidOut, left } = payoutOf(plan);
 * ```
 */
export function payoutOf(plan: Plan): Payout {
  const known = payoutsOf.get(plan);
  if (known !== undefined) return known;
  const { stepId } = lastStep(plan);
  const { movements } = begunTurn(plan);
  const own = standingMovements(plan).filter((row) => row.stepId === stepId && row.seq > movements);
  const since = beginOf(plan);
  const toAccounts = own.filter(({ seq, transfer }) => seq > since && transfer === undefined);
  const payouts = toAccounts.filter(({ kind }) => kind === 'PAYOUT');
  const deductions = toAccounts.filter(({ kind }) => kind === 'DEDUCTION');
  const isPart = ({ kind, transfer, reason }: Movement) =>
    kind === 'PAYOUT' && reason === undefined && transfer !== undefined && !isOfEvidence(plan, transfer);
  const parts = own.filter(isPart);
  const toAccountUnits = totalOf(
    own.filter(({ transfer }) => transfer === undefined),
    'PAYOUT',
  );
  const backUnits = backOf(plan, own);
  const openUnits = openOf(plan) + (swapOf(plan).brought === ZERO ? unitsOf(swapOf(plan).expected) : 0n);
  const found: Payout = {
    due: positive(openUnits + totalOf(own, 'PAYOUT') + totalOf(own, 'DEDUCTION') - backUnits),
    paidOut: amountOf(
      totalOf(
        own.filter(({ reason }) => reason === undefined),
        'PAYOUT',
      ),
    ),
    payouts,
    deductions,
    paid: amountOf(totalOf(payouts, 'PAYOUT')),
    deducted: amountOf(totalOf(deductions, 'DEDUCTION')),
    parts: parts.filter(({ seq }) => seq > since),
    inParts: positive(totalOf(parts, 'PAYOUT') - mostOf([backUnits - toAccountUnits])),
    left: positive(openUnits + unitsOf(restsOn(plan))),
  };
  payoutsOf.set(plan, found);
  return found;
}

/**
 * How much of what came back this attempt to pay had paid, so that it was due once. Other money that comes back while the
 * attempt is under way is of earlier ones, and is due once more. A return that ends the attempt makes nothing due.
 */
function backOf(plan: Plan, own: readonly Movement[]): bigint {
  const returned = own.filter(({ kind }) => kind === 'RETURN');
  const endedCount = Math.max(0, plan.returns.length - begunTurn(plan).returns);
  const meanwhile = returned.slice(0, Math.max(0, returned.length - endedCount));
  let backUnits = 0n;
  for (const { seq, actual } of meanwhile) {
    const before = own.filter((row) => row.seq < seq && !isOfEvidence(plan, row.transfer));
    backUnits += mostOf([leastOf([unitsOf(actual), totalOf(before, 'PAYOUT') - backUnits])]);
  }
  return backUnits + totalOf(returned.slice(meanwhile.length), 'RETURN');
}

/** What was paid, of each plan: a plan never changes, and one decision asks for it a dozen times. */
const payoutsOf = new WeakMap<Plan, Payout>();

function positive(units: bigint): Amount {
  return amountOf(mostOf([units]));
}

/** Whether a transfer may be one that the last step rests on. */
function isOfEvidence(plan: Plan, transfer: MovementTransfer | undefined): boolean {
  return placesOf(evidenceOf(lastStep(plan))).some((place) => mayBeSameTransfer(transfer, place));
}

/**
 * What a delivery has paid, as the ledger has it or, while it is on its way, as the custodian said. Undefined where it has
 * paid nothing, or has failed.
 *
 * @example
 * ```ts
 * import { collectStep, paidAmountOf, type Plan } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * const { delivery } = collectStep(plan) ?? {};
 * const amount = delivery && paidAmountOf(plan, delivery);
 * ```
 */
export function paidAmountOf(plan: Plan, delivery: Delivery): Amount | undefined {
  const { status, sentAmount, endToEndId = plan.endToEndId } = delivery;
  const step = collectStep(plan);
  if (status === 'PENDING' || status === 'FAILED') return undefined;
  const round =
    step?.delivery === delivery ? step.payout : step?.rounds.find((each) => each.delivery === delivery);
  const payments = paymentsWith(plan, [...(round?.earlierIds ?? []), endToEndId]);
  const paid = sumOf(payments.map(({ actual }) => actual));
  return paid === ZERO ? sentAmount : paid;
}

/** The payment that stands with a reference; undefined where there is none, or no reference is told. */
export function paymentNamed(plan: Plan, name: string | undefined): Movement | undefined {
  if (name === undefined) return undefined;
  return standingMovements(plan, 'PAYOUT').find(({ providerReference }) => providerReference === name);
}

/** The first payment of the attempt to pay that its rate does not explain, so that a person is asked about it. */
export function misfitIn(plan: Plan): Misfit | undefined {
  for (const payment of payoutOf(plan).payouts) {
    const misfit = misfitOf(plan, payment);
    if (misfit !== undefined) return misfit;
  }
  return undefined;
}

/**
 * The payments that were made with these ids, oldest first: an attempt to pay has one for each part.
 *
 * @example
 * ```ts
 * import { endToEndIdOf, paymentsWith, type Plan } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * const references = paymentsWith(plan, [endToEndIdOf(plan)]).map((payment) => payment.providerReference);
 * ```
 */
export function paymentsWith(plan: Plan, endToEndIds: readonly string[]): readonly Movement[] {
  return standingMovements(plan, 'PAYOUT').filter(({ endToEndId = '' }) => endToEndIds.includes(endToEndId));
}

/**
 * What a step tells of its payment after that came back before all that is due was paid. The attempt to pay is over
 * then. The rest is due when the payment is tried again. Undefined where no payment to an account is recorded.
 */
export function endedByReturn(
  plan: Plan,
): Pick<CustodianPayoutStep, 'verification' | 'providerReference' | 'occurredAtMs'> | undefined {
  const back = standingMovements(plan, 'RETURN').at(-1)?.seq ?? 0;
  const last = payoutOf(plan).payouts.at(-1) ?? paidToAccount(plan).findLast(({ seq }) => seq > back);
  if (last === undefined || evidenceOf(lastStep(plan)) !== undefined) return undefined;
  const { providerReference, occurredAtMs } = last;
  return { verification: 'REPORTED', ...defined({ providerReference, occurredAtMs }) };
}

/** The payments to the account that is under way, also those before a refund of what they left: it begins no other attempt. */
export function paidToAccount(plan: Plan): readonly Movement[] {
  if (lastStep(plan).type !== 'CUSTODIAN_PAYOUT') return [];
  return paymentsWith(plan, idsOf(plan)).filter(({ transfer }) => transfer === undefined);
}

/**
 * The payments that settle nothing once more: those of attempts to pay that are over, those that came back, and parts by
 * transactions. Other transfers of the transaction that the last step rests on can be among them.
 */
export function endedPayments(plan: Plan): readonly Movement[] {
  const { stepId } = lastStep(plan);
  const { parts } = payoutOf(plan);
  const before = beginOf(plan);
  return standingMovements(plan, 'PAYOUT').filter(
    (row) =>
      row.stepId === stepId &&
      (row.seq <= before || parts.includes(row)) &&
      !isOfEvidence(plan, row.transfer),
  );
}

/**
 * Whether the plan has paid out something once, even if that was taken back, came back or was lost since.
 *
 * @example
 * ```ts
 * import { hasPaidOut, type Plan } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * const isAddressFree = hasPaidOut(plan);
 * ```
 */
export function hasPaidOut(plan: Plan): boolean {
  if (plan.ledger?.some(({ kind }) => kind === 'PAYOUT') === true) return true;
  return plan.returns.length > 0 && lastStep(plan).payout !== undefined;
}

/**
 * What the movements of the money that is paid out have in common. `told`: what is told of the payment, or of money that came
 * back, beside its amount.
 */
export function payoutRow(
  plan: Plan,
  kind: 'PAYOUT' | 'DEDUCTION' | 'RETURN',
  { verification = 'REPORTED', providerReference, occurredAtMs }: Told,
): Omit<NewMovement, 'actual'> {
  const { stepId } = lastStep(plan);
  const { target: asset } = assetsOf(plan);
  const told = defined({ providerReference, occurredAtMs });
  return { kind, side: 'TARGET', stepId, asset, verification, ...told };
}

/** What is told of a payment beside its amount. */
export type Told = Partial<Pick<Movement, 'verification' | 'providerReference' | 'occurredAtMs'>>;

/** Whether refunds and earlier payments took all that the swap brought. */
export function isNothingDue(plan: Plan): boolean {
  return lastStep(plan).status !== 'PENDING' && payoutOf(plan).due === ZERO;
}

/** The last movement before the attempt to pay that is under way. */
function beginOf(plan: Plan): number {
  const { movements: movementCount } = begunTurn(plan);
  return Math.max(movementCount, standingMovements(plan, 'RETURN').at(-1)?.seq ?? 0);
}
