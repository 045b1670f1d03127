import { type Amount, amountOf, isLess, sumOf, unitsOf, ZERO } from '../terms/amount.ts';
import { type Misfit, misfitOf } from '../plan/convertedPayment.ts';
import { defined } from '../terms/defined.ts';
import { standingMovements } from './ledger.ts';
import type { Movement } from '../plan/movement.ts';
import { evidenceOf } from '../plan/planSteps.ts';
import { lastStep, payingState } from './payoutTurn.ts';
import { refundedBeforeSwap } from './refundedBeforeSwap.ts';
import { mayBeSameTransfer } from '../plan/transferPlaces.ts';
import type { CustodianPayoutStep, PayingStep, PayoutTurn, Plan } from '../plan/types.ts';

/** What accounts were paid, and how much of what is due that leaves. Amounts in units of the payout token. */
export type Payments = {
  /** The payments of the attempt to pay that is under way, oldest first, and what was kept back from them. */
  readonly payouts: readonly Movement[];
  readonly deductions: readonly Movement[];
  readonly paid: Amount;
  readonly deducted: Amount;
  /** What is due and neither paid nor deducted. */
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
  if (step === undefined || plan.ended !== undefined) return ZERO;
  // Refunds left too little for the swap, so it brings nothing that could be paid out.
  if (payingState(step) === 'PAID' || refundedBeforeSwap(plan) !== ZERO) return ZERO;
  const { left } = paymentsOf(plan, step);
  if (step.type === 'CUSTODIAN_PAYOUT') {
    const { status, amount } = step.evidence ?? {};
    return status === undefined || status === 'LOST' ? left : less(left, amount ?? ZERO);
  }
  const { status, paidAmount } = step.delivery ?? {};
  return status === 'SENT' ? less(left, paidAmount ?? left) : left;
}

function less(amount: Amount, taken: Amount): Amount {
  return isLess(taken, amount) ? amountOf(unitsOf(amount) - unitsOf(taken)) : ZERO;
}

/**
 * What the accounts of the last step were paid, as its reports told. Money that came back does not count any more,
 * and neither do payments before this attempt to pay began.
 *
 * @example
 * ```ts
 * import { type PayingStep, paymentsOf, type Plan } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * declare const step: PayingStep;
 * const { payouts, left } = paymentsOf(plan, step);
 * ```
 */
export function paymentsOf(plan: Plan, { stepId, asset, payout }: PayingStep): Payments {
  const standing = standingMovements(plan);
  const before = beginOf(standing, payout);
  const own = standing.filter(
    ({ stepId: of, seq, transfer }) => of === stepId && seq > before && transfer === undefined,
  );
  const payouts = own.filter(({ kind }) => kind === 'PAYOUT');
  const deductions = own.filter(({ kind }) => kind === 'DEDUCTION');
  const [paid, deducted] = [payouts, deductions].map((rows) => sumOf(rows.map(({ actual }) => actual)));
  const left = unitsOf(asset.amount) - unitsOf(paid ?? ZERO) - unitsOf(deducted ?? ZERO);
  return {
    payouts,
    deductions,
    paid: paid ?? ZERO,
    deducted: deducted ?? ZERO,
    left: left > 0n ? amountOf(left) : ZERO,
  };
}

/** The first payment of the attempt to pay that its rate does not explain, so that a person is asked about it. */
export function misfitIn(plan: Plan, step: PayingStep): Misfit | undefined {
  for (const payment of paymentsOf(plan, step).payouts) {
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
  return standingMovements(plan).filter(
    ({ kind, endToEndId = '' }) => kind === 'PAYOUT' && endToEndIds.includes(endToEndId),
  );
}

/**
 * The fields of a step after one of its payments came back before all that is due was paid. The attempt to pay is
 * over then. The rest is due when the payment is tried again. Undefined where no payment to an account is recorded.
 */
export function endedByReturn(
  plan: Plan,
  step: PayingStep,
):
  | Pick<CustodianPayoutStep, 'verification' | 'providerReference' | 'occurredAtMs' | 'paidAmount'>
  | undefined {
  const { payouts, paid } = paymentsOf(plan, step);
  const last = payouts.at(-1);
  if (last === undefined || evidenceOf(step) !== undefined) return undefined;
  const { providerReference, occurredAtMs } = last;
  return { verification: 'REPORTED', paidAmount: paid, ...defined({ providerReference, occurredAtMs }) };
}

/**
 * The payments of attempts to pay that are over: those that another attempt followed, and those that came back. They
 * settle nothing once more. Other transfers of the transaction that the last step rests on can be among them.
 */
export function endedPayments(plan: Plan): readonly Movement[] {
  const step = lastStep(plan);
  const standing = standingMovements(plan);
  const before = beginOf(standing, step?.payout);
  const rests = (step && evidenceOf(step)?.transfers) ?? [];
  return standing.filter(
    ({ kind, stepId, seq, transfer }) =>
      kind === 'PAYOUT' &&
      stepId === step?.stepId &&
      seq <= before &&
      (transfer === undefined || !rests.some((each) => mayBeSameTransfer(transfer, each))),
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
export function hasPaidOut({ ledger, returns, steps }: Plan): boolean {
  if (ledger?.some(({ kind }) => kind === 'PAYOUT') === true) return true;
  const last = steps.at(-1);
  return returns.length > 0 && last !== undefined && 'payout' in last && last.payout !== undefined;
}

/** The payments of a part by transactions, of the attempt to pay that is under way. */
export function partsOf(plan: Plan): readonly Movement[] {
  const last = standingMovements(plan).findLast(({ kind }) => kind === 'RETURN')?.seq ?? 0;
  return endedPayments(plan).filter(({ transfer, seq }) => transfer !== undefined && seq > last);
}

/** The last movement before the attempt to pay that is under way. */
export function beginOf(standing: readonly Movement[], payout: PayoutTurn | undefined): number {
  const returnIndex = standing.findLast(({ kind }) => kind === 'RETURN')?.seq ?? 0;
  return Math.max(returnIndex, payout?.movements ?? 0);
}
