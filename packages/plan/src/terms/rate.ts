import { type Amount, amountOf, unitsOf } from './amount.ts';

declare const rateBrand: unique symbol;

/** How many units of a currency one unit of a token is worth: a positive decimal number as text, such as "56.5". */
export type Rate = string & { readonly [rateBrand]: true };

const DECIMAL = /^(0|[1-9][0-9]{0,17})(?:\.([0-9]{1,18}))?$/;

/**
 * The rate that a text tells. It is a positive decimal number of at most 18 digits before and 18 after its point,
 * without sign or exponent. Undefined for any other text.
 *
 * @example
 * ```ts
 * import { rateOf } from '@fairway/plan';
 *
 * rateOf('56.50'); // '56.50'
 * rateOf('5.65e1'); // undefined
 * ```
 */
export function rateOf(text: string): Rate | undefined {
  return DECIMAL.test(text) && /[1-9]/.test(text) ? (text as Rate) : undefined;
}

/** A rate as a whole number of its last digits. `scale`: how many of them are behind the point. */
export type RateUnits = { readonly digits: bigint; readonly scale: number };

/** The digits of a rate: those of "56.50" are 5650, with a scale of 2. */
export function rateUnitsOf(rate: Rate): RateUnits {
  const [, whole = '', fraction = ''] = DECIMAL.exec(rate) ?? [];
  return { digits: BigInt(whole + fraction), scale: fraction.length };
}

/**
 * What an amount is worth at a rate, rounded down to a whole unit; undefined when it has more digits than an amount can
 * have. `decimals`: those of the token and of the currency.
 *
 * @example
 * ```ts
 * import { amountOf, convertedAt, type Rate } from '@fairway/plan';
 *
 * declare const rate: Rate; // '56.5'
 * convertedAt(amountOf(250_000_000n), rate, { from: 6, to: 2 }); // '1412500': 250 USDC are 14,125.00 PHP
 * ```
 */
export function convertedAt(
  amount: Amount,
  rate: Rate,
  { from, to }: { readonly from: number; readonly to: number },
): Amount | undefined {
  const { digits: rateUnits, scale } = rateUnitsOf(rate);
  const amountUnits = unitsOf(amount);
  const scaledUnits = amountUnits * rateUnits * 10n ** BigInt(to);
  const wholeUnits = 10n ** BigInt(from + scale);
  const convertedUnits = scaledUnits / wholeUnits;
  return convertedUnits < 10n ** 78n ? amountOf(convertedUnits) : undefined;
}
