import { type Amount, amountOf, isLess, mostOf, unitsOf } from '../terms/amount.ts';
import { type Corridor, conversionOf } from '../terms/corridor.ts';
import { minorDecimalsOf } from '../terms/currencies.ts';
import type { Unallocated } from './equations.ts';
import { transfersOf } from './ledger.ts';
import { assetsOf, isSameAsset } from '../terms/money.ts';
import type { Movement } from '../plan/movement.ts';
import type { Plan } from '../plan/types.ts';

/**
 * The smallest unit of the currency, in units of the token that is pegged to it. Undefined unless the token is finer
 * than the currency.
 *
 * @example
 * ```ts
 * import { minorUnitIn, type Plan } from '@fairway/plan';
 *
 * declare const plan: Plan; // pays a token of six decimals that is pegged to AUD
 * const cent = minorUnitIn(plan); // '10000'
 * ```
 */
export function minorUnitIn({
  corridor,
}: {
  readonly corridor: Pick<Corridor, 'target'>;
}): Amount | undefined {
  const { decimals = 0, currency } = corridor.target;
  const minor = minorDecimalsOf(currency);
  if (conversionOf(corridor) !== 'PEGGED' || minor === undefined || decimals <= minor) return undefined;
  return amountOf(10n ** BigInt(decimals - minor));
}

/**
 * Whether money that was paid above what is due is less than the smallest unit of the currency. Then an account was
 * paid in whole units, rounded up, and nobody can send the difference back. It stays in the funds, and asks nobody
 * for anything.
 */
export function isRoundedUp(plan: Plan, { asset, amount, reason, direction }: Unallocated): boolean {
  const minorUnit = minorUnitIn(plan);
  if (minorUnit === undefined || direction !== 'OUT' || reason !== 'PAID_ABOVE_DUE') return false;
  if (!isSameAsset(asset, assetsOf(plan).target) || !isLess(amount, minorUnit)) return false;
  return transfersOf(plan, 'PAYOUT').length === 0;
}

const ONE = amountOf(1n);
/** The decimals of most tokens: amounts of other tokens are told as if they had them. */
const USUAL_DECIMALS = [6, 18];
/** The largest power of ten that is tried for a plan that does not know the decimals of its token. */
const MOST_SHIFTED = 18;

/**
 * A question about the unit of a payment whose amount differs from what was due by the factor of a common mistake.
 * Such mistakes are cents for units of the token, or units for cents. Others are whole euros or tokens for either, or
 * units of a token with other decimals. The payment may have been rounded, or lack a fee. A hundred times what is due is
 * asked about whatever explains it. Empty where no mistake explains the amount. `dueUnits`: what it should have been, in units of the token.
 */
export function unitsAsked(plan: Plan, { actual, paid }: Movement, dueUnits: bigint): string {
  const { currency } = plan.corridor.target;
  const isInCurrency =
    paid !== undefined && 'currency' in paid.asset && conversionOf(plan.corridor) === 'PEGGED';
  const reportedUnits = unitsOf(isInCurrency ? paid.amount : actual);
  if (reportedUnits === 0n || dueUnits <= 0n) return '';
  const actualUnits = unitsOf(actual);
  const meant = meantBy(plan, { actualUnits, reportedUnits, dueUnits });
  // A hundred times what is due is no payment in the right unit, whatever was meant.
  if (meant === undefined && actualUnits < dueUnits * 100n) return '';
  const counts = isInCurrency
    ? `paid counts in the smallest units of ${currency}`
    : 'amount counts in the smallest units of the token';
  const such = isInCurrency ? `whole ${currency} or units of the token` : 'cents or whole tokens';
  return ` Was ${reportedUnits} told in another unit, such as ${such}? ${counts}: correct it with ${meant === undefined ? 'what was paid' : `${meant} if that was meant`}.`;
}

/**
 * The amount that would have been told in the right unit. `reportedUnits` was told, which is `actualUnits` of the token.
 */
function meantBy(
  plan: Plan,
  {
    actualUnits,
    reportedUnits,
    dueUnits,
  }: Readonly<Record<'actualUnits' | 'reportedUnits' | 'dueUnits', bigint>>,
): bigint | undefined {
  const minorUnits = unitsOf(minorUnitIn(plan) ?? ONE);
  const sizeUnits = actualUnits / reportedUnits;
  for (const shift of shiftsOf(plan)) {
    const roundedUnits = mostOf([sizeUnits * 10n ** BigInt(shift), minorUnits]);
    if (isNear(actualUnits * 10n ** BigInt(shift), dueUnits, roundedUnits))
      return reportedUnits * 10n ** BigInt(shift);
    const factorUnits = 10n ** BigInt(shift);
    if (isNear(actualUnits, dueUnits * 10n ** BigInt(shift), minorUnits * 10n ** BigInt(shift)))
      return reportedUnits / factorUnits;
  }
  return undefined;
}

/** Amounts in different units need not agree exactly: the fiftieth part may be a fee or a rounding. */
function isNear(units: bigint, otherUnits: bigint, leastUnits: bigint): boolean {
  const offUnits = units > otherUnits ? units - otherUnits : otherUnits - units;
  return offUnits < leastUnits || offUnits * 50n < otherUnits;
}

/** The powers of ten between the units that an amount may be told in: all, of a plan that does not know its token's decimals. */
function shiftsOf({ corridor }: Plan): readonly number[] {
  const { decimals, currency } = corridor.target;
  const minor = minorDecimalsOf(currency) ?? 0;
  const shifts =
    decimals === undefined
      ? Array.from({ length: MOST_SHIFTED + 1 }, (_, shift) => shift)
      : [
          ...[decimals - minor, minor, decimals],
          ...USUAL_DECIMALS.flatMap((usual) => [usual - decimals, decimals - usual]),
        ];
  // A tenth of what is due is more likely a part of it.
  return shifts.filter((shift) => shift > 1);
}
