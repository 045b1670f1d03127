import { amountOf, isLess, sumOf, unitsIn, unitsOf } from '../terms/amount.ts';
import { isDust, minorUnitIn } from '../terms/corridor.ts';
import { closingsOf, leftOf, type Unallocated } from './equations.ts';
import { standingMovements, transfersOf } from './ledger.ts';
import { type Asset, assetsOf, isSameAsset } from '../terms/money.ts';
import type { Acknowledged, CloseReason, Plan } from '../plan/types.ts';

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

/** Whether a person still has to acknowledge money that is not where the plan wants it. */
export function isUnknown(plan: Plan, entry: Unallocated): boolean {
  return !entry.acknowledged && !isRoundedUp(plan, entry);
}

/**
 * Whether the money that is left and unknown is dust, which anybody can send, again and again. The plan lists it, and
 * needs nobody to look at it. All of it together is less than what begins a plan: more than that is money.
 */
export function isOnlyDust(plan: Plan): boolean {
  const left = leftOf(plan);
  const entries = left.flatMap(({ unallocated }) => unallocated).filter((entry) => isUnknown(plan, entry));
  const dust = standingMovements(plan, 'DEPOSIT').filter(
    ({ reason, actual }) => reason !== 'OTHER_TOKEN' && isDust(plan, actual),
  );
  const isOfDust = ({ direction, movementId }: Unallocated) =>
    direction === 'IN' && dust.some((row) => row.movementId === movementId);
  const isUsed = left.every(({ outstanding }) => outstanding === 0n);
  return isUsed && entries.every(isOfDust) && isDust(plan, sumOf(entries.map(({ amount }) => amount)));
}

/**
 * Whether money that was paid above what is due is less than the smallest unit of the currency. Then an account was
 * paid in whole units, rounded up, and nobody can send the difference back. It stays in the funds, and asks nobody
 * for anything.
 */
function isRoundedUp(plan: Plan, { asset, amount, reason, direction }: Unallocated): boolean {
  const minorUnit = minorUnitIn(plan);
  if (minorUnit === undefined || direction !== 'OUT' || reason !== 'PAID_ABOVE_DUE') return false;
  if (!isSameAsset(asset, assetsOf(plan).target) || !isLess(amount, minorUnit)) return false;
  return transfersOf(plan, 'PAYOUT').length === 0;
}

/** How many units of an asset were there, and so were acknowledged, when a person ended a plan for a reason. */
export function acknowledgedAs(plan: Plan, closeReason: CloseReason, asset: Asset): bigint {
  const closings = closingsOf(plan).filter(({ reason }) => reason === closeReason);
  const named = closings.flatMap(({ acknowledged }) => acknowledged);
  return unitsIn(named.filter((each) => each.direction === 'IN' && isSameAsset(each.asset, asset)));
}
