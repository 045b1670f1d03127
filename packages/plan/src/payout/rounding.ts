import { type Amount, isLess, unitsOf, ZERO } from '../terms/amount.ts';
import { reversalOf, withMovements } from '../book/ledger.ts';
import type { Movement } from '../plan/movement.ts';
import { payoutOf, payoutRow } from '../book/payout.ts';
import { endToEndIdOf } from '../book/payoutTurn.ts';
import type { TimeMs } from '../terms/scalars.ts';
import type { Plan } from '../plan/types.ts';

/**
 * The note of a deduction that nobody reported: the rest of a payout that the currency has no unit for.
 *
 * @example
 * ```ts
 * import { type Movement, roundingNote } from '@fairway/plan';
 *
 * declare const movement: Movement;
 * const isRounding = movement.note === roundingNote('AUD');
 * ```
 */
export function roundingNote(currency: string): string {
  return `less than the smallest unit of ${currency}`;
}

/** Whether a deduction is the rest that could not be paid. */
export function isRounding({ corridor }: Plan, { note }: Movement): boolean {
  return note === roundingNote(corridor.target.currency);
}

/**
 * Whether whole units of the currency were paid, and what is left is too small for a payment in it. A report in fractions
 * of such a unit is no payment in the currency, so a person looks at it.
 */
export function hasRest(plan: Plan, minorUnit: Amount | undefined): boolean {
  const { paid, left } = payoutOf(plan);
  if (left === ZERO || minorUnit === undefined || !isLess(left, minorUnit)) return false;
  const [paidUnits, wholeUnits] = [unitsOf(paid), unitsOf(minorUnit)];
  return paidUnits % wholeUnits === 0n;
}

/** The plan with the rest deducted, where no payment in the currency can be that small. So no money vanishes. */
export function withRounding(
  plan: Plan,
  { providerReference, minorUnit }: { readonly providerReference: string; readonly minorUnit?: Amount },
  atMs: TimeMs,
): Plan {
  const { payouts, left } = payoutOf(plan);
  if (payouts.length === 0 || !hasRest(plan, minorUnit)) return plan;
  const row = {
    ...payoutRow(plan, 'DEDUCTION', { providerReference }),
    actual: left,
    endToEndId: endToEndIdOf(plan),
    note: roundingNote(plan.corridor.target.currency),
  };
  return withMovements(plan, [row], atMs);
}

/** The plan without the deducted rest, before a corrected payment is recorded and the rest is counted again. */
export function withoutRounding(plan: Plan, atMs: TimeMs): Plan {
  const rests = payoutOf(plan).deductions.filter((row) => isRounding(plan, row));
  return withMovements(plan, rests.map(reversalOf), atMs);
}
