import { defined } from '@fairway/values';
import { amountOf, mostOf, unitsOf } from '../terms/amount.ts';
import { conversionOf, minorUnitIn } from '../terms/corridor.ts';
import { minorDecimalsOf } from '../terms/currencies.ts';
import { isSameAsset, type Money } from '../terms/money.ts';
import type { Movement } from '../plan/movement.ts';
import { convertedAt, type Rate, rateOf, type RateUnits, rateUnitsOf } from '../terms/rate.ts';
import type { Plan } from '../plan/types.ts';

/**
 * How far the rate that a report tells can be from the true one, in per cent. It is rounded, or cut off, in its last
 * digit. That explains no more than this, however few digits the rate has.
 */
const ROUNDED_PERCENT = 1n;

/**
 * How far a payment can be from the operator's rate, in per cent. The market moves, and a custodian takes a margin
 * that nobody tells.
 */
const ESTIMATED_PERCENT = 10n;

/** A payment that its rate does not explain. `worth`: what the settled amount comes to at that rate. */
export type Misfit = {
  readonly payment: Movement;
  readonly paid: Money;
  readonly rate: Rate;
  readonly isTold: boolean;
  readonly worth?: Money;
};

/**
 * Why a payment that the custodian converted cannot be as it was reported. The beneficiary was not paid what
 * the settled amount comes to, with the fee or without it. The rate is the one that was told, else the operator's.
 * Undefined where it fits, and where there is no rate.
 */
export function misfitOf({ corridor }: Plan, payment: Movement): Misfit | undefined {
  const { paid, rate: told, estimatedRate, actual } = payment;
  const { currency, decimals: from } = corridor.target;
  const rate = rateOf(told ?? estimatedRate ?? '');
  const to = minorDecimalsOf(currency);
  if (paid === undefined || rate === undefined || from === undefined || to === undefined) return undefined;
  if (conversionOf(corridor) !== 'CUSTODIAN' || !isSameAsset(paid.asset, { currency })) return undefined;
  const isTold = told !== undefined;
  const terms = { from, to, ...rateUnitsOf(rate), isTold };
  if (amountsOf(payment, paid).some((amounts) => isNear(amounts, terms))) return undefined;
  const amount = convertedAt(actual, rate, { from, to });
  const worth = amount === undefined ? undefined : { amount, asset: paid.asset };
  return { payment, paid, rate, isTold, ...defined({ worth }) };
}

/** What was converted, in units of the token, and to how much, in `roundings` amounts of whole minor units. */
type Converted = { readonly units: bigint; readonly minor: bigint; readonly roundings: bigint };

/** What can have been converted: the fee may be charged beside it, or have been taken from what was paid or converted. */
function amountsOf({ fee, actual, asset }: Movement, paid: Money): readonly Converted[] {
  const whole = { units: unitsOf(actual), minor: unitsOf(paid.amount), roundings: 1n };
  if (fee === undefined) return [whole];
  const feeUnits = unitsOf(fee.amount);
  if (isSameAsset(fee.asset, paid.asset))
    return [whole, { ...whole, minor: whole.minor + feeUnits, roundings: 2n }];
  const isKept = isSameAsset(fee.asset, asset) && feeUnits < whole.units;
  return isKept ? [whole, { ...whole, units: whole.units - feeUnits }] : [whole];
}

/** `from`, `to`: the decimals of the token and of the currency. */
type Terms = RateUnits & { readonly from: number; readonly to: number; readonly isTold: boolean };

/** Whether an amount comes to another one, but for roundings. Both are compared in hundredths of the smallest part. */
function isNear(
  { units, minor: paidUnits, roundings: roundingUnits }: Converted,
  { from, to, digits: rateUnits, scale, isTold }: Terms,
): boolean {
  const minorUnits = 100n * 10n ** BigInt(from + scale);
  const hundredthUnits = units * 10n ** BigInt(to);
  const percentUnits = isTold ? ROUNDED_PERCENT : ESTIMATED_PERCENT;
  const marginUnits = rateUnits * percentUnits;
  const mostUnits = isTold && marginUnits > 100n ? 100n : marginUnits;
  const differenceUnits = minorUnits * paidUnits - hundredthUnits * rateUnits * 100n;
  const awayUnits = differenceUnits < 0n ? -differenceUnits : differenceUnits;
  return awayUnits <= hundredthUnits * mostUnits + minorUnits * roundingUnits;
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
    if (isAlike(actualUnits * 10n ** BigInt(shift), dueUnits, roundedUnits))
      return reportedUnits * 10n ** BigInt(shift);
    const factorUnits = 10n ** BigInt(shift);
    if (isAlike(actualUnits, dueUnits * 10n ** BigInt(shift), minorUnits * 10n ** BigInt(shift)))
      return reportedUnits / factorUnits;
  }
  return undefined;
}

/** Amounts in different units need not agree exactly: the fiftieth part may be a fee or a rounding. */
function isAlike(units: bigint, otherUnits: bigint, leastUnits: bigint): boolean {
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
