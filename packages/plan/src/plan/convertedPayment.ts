import { unitsOf } from '../terms/amount.ts';
import { conversionOf } from '../terms/corridor.ts';
import { minorDecimalsOf } from '../terms/currencies.ts';
import { defined } from '@fairway/values';
import { isSameAsset, type Money } from '../terms/money.ts';
import type { Movement } from './movement.ts';
import { convertedAt, type Rate, rateOf, type RateUnits, rateUnitsOf } from '../terms/rate.ts';
import type { Plan } from './types.ts';

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
