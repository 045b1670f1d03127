import { type Amount, amountOf, sumOf, unitsOf, ZERO } from './amount.ts';
import { standingMovements } from './ledger.ts';
import type { Movement } from './movement.ts';
import type { CustodianPayoutStep, Plan } from './types.ts';

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
 * What the accounts of a payout step were paid, as its reports told. What came back counts no longer, nor does what
 * was paid before another attempt began.
 *
 * @example
 * ```ts
 * import { type CustodianPayoutStep, paymentsOf, type Plan } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * declare const step: CustodianPayoutStep;
 * const { payouts, left } = paymentsOf(plan, step);
 * ```
 */
export function paymentsOf(plan: Plan, { stepId, asset, payout }: CustodianPayoutStep): Payments {
  const standing = standingMovements(plan);
  const returnIndex = standing.findLast(({ kind }) => kind === 'RETURN')?.seq ?? 0;
  const before = Math.max(returnIndex, payout?.movements ?? 0);
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
