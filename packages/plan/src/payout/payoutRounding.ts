import { type Amount, isLess, unitsOf, ZERO } from '../terms/amount.ts';
import { reversalOf, withMovements } from '../book/ledger.ts';
import { assetsOf } from '../terms/money.ts';
import type { Movement } from '../plan/movement.ts';
import { paymentsOf } from '../book/payoutPayments.ts';
import { endToEndIdOf } from '../book/payoutTurn.ts';
import type { TimeMs } from '../terms/scalars.ts';
import type { PayingStep, Plan } from '../plan/types.ts';

/** The note of a deduction that nobody reported: the rest of a payout that the currency has no unit for. */
function roundingNote({ corridor }: Plan): string {
  return `less than the smallest unit of ${corridor.target.currency}`;
}

/** Whether a deduction is the rest that could not be paid. */
export function isRounding(plan: Plan, { note }: Movement): boolean {
  return note === roundingNote(plan);
}

/**
 * Whether all whole units of the currency were paid or deducted, and the rest is too small for a payment in the currency.
 * A report in fractions of such a unit is no payment in the currency, so a person looks at it.
 */
export function hasRest(plan: Plan, step: PayingStep, minorUnit: Amount | undefined): boolean {
  const { paid, deducted, left } = paymentsOf(plan, step);
  if (left === ZERO || minorUnit === undefined || !isLess(left, minorUnit)) return false;
  const [reportedUnits, wholeUnits] = [unitsOf(paid) + unitsOf(deducted), unitsOf(minorUnit)];
  return reportedUnits % wholeUnits === 0n;
}

/** The plan with the rest deducted, where no payment in the currency can be that small. So no money vanishes. */
export function withRounding(
  plan: Plan,
  step: PayingStep,
  { providerReference, minorUnit }: { readonly providerReference: string; readonly minorUnit?: Amount },
  atMs: TimeMs,
): Plan {
  const { payouts, left } = paymentsOf(plan, step);
  if (payouts.length === 0 || !hasRest(plan, step, minorUnit)) return plan;
  const row = {
    kind: 'DEDUCTION',
    side: 'TARGET',
    stepId: step.stepId,
    asset: assetsOf(plan).target,
    actual: left,
    providerReference,
    endToEndId: endToEndIdOf(plan),
    verification: 'REPORTED',
    note: roundingNote(plan),
  } as const;
  return withMovements(plan, [row], atMs);
}

/** The plan without the deducted rest, before a corrected payment is recorded and the rest is counted again. */
export function withoutRounding(plan: Plan, step: PayingStep, atMs: TimeMs): Plan {
  const rests = paymentsOf(plan, step).deductions.filter((row) => isRounding(plan, row));
  return withMovements(plan, rests.map(reversalOf), atMs);
}
