import { amountOf, unitsOf } from '../terms/amount.ts';
import { leftOf, type Unallocated } from './equations.ts';
import { isSameAsset } from '../terms/money.ts';
import { isRoundedUp } from './payoutUnits.ts';
import type { Acknowledged, Plan } from '../plan/types.ts';

/**
 * The money that is left and that nobody has acknowledged yet. Money that is there is one amount of each asset. Money
 * that was spent without a recorded arrival is listed apart. It counts as known once a person ends the plan. A
 * payment that was rounded up to the smallest unit of its currency does not count.
 *
 * @example
 * ```ts
 * import { acknowledgementOf, type Plan } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * const isAllKnown = acknowledgementOf(plan).length === 0;
 * ```
 */
export function acknowledgementOf(plan: Plan): readonly Acknowledged[] {
  const parts = leftOf(plan).flatMap(({ asset, outstanding, unallocated }) => [
    { asset, direction: 'IN' as const, units: outstanding },
    ...unallocated
      .filter((entry) => isUnknown(plan, entry))
      .map(({ direction, amount }) => ({ asset, direction, units: unitsOf(amount) })),
  ]);
  const isAlike = (a: (typeof parts)[number], b: (typeof parts)[number]) =>
    a.direction === b.direction && isSameAsset(a.asset, b.asset);
  return parts
    .filter((part, index) => parts.findIndex((each) => isAlike(each, part)) === index)
    .map((part) => {
      const alike = parts.filter((each) => isAlike(each, part));
      return { ...part, units: alike.reduce((sum, { units }) => sum + units, 0n) };
    })
    .filter(({ units }) => units > 0n)
    .map(({ asset, direction, units }) => ({ amount: amountOf(units), asset, direction }));
}

/**
 * Whether a person still has to acknowledge money that is not where the plan wants it.
 *
 * @example
 * ```ts
 * import { fundsOf, isUnknown, type Plan } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * const entries = fundsOf(plan).flatMap(({ unallocated }) => unallocated);
 * const unknown = entries.filter((entry) => isUnknown(plan, entry));
 * ```
 */
export function isUnknown(plan: Plan, entry: Unallocated): boolean {
  return !entry.acknowledged && !isRoundedUp(plan, entry);
}
