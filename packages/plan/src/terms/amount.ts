declare const amountBrand: unique symbol;

/**
 * An amount in smallest units, as its canonical decimal digits. As digits an amount is the same in memory, in the
 * database and in the history, and never becomes a floating point number.
 */
export type Amount = string & { readonly [amountBrand]: true };

const CANONICAL = /^(0|[1-9][0-9]{0,77})$/;

/**
 * The amount of a whole number of smallest units.
 *
 * @example
 * ```ts
 * import { amountOf } from '@fairway/plan';
 *
 * const amount = amountOf(1_000_000n); // '1000000'
 * ```
 * @throws RangeError for a negative number and for one of more than 78 digits.
 */
export function amountOf(units: bigint): Amount {
  const digits = String(units);
  if (!CANONICAL.test(digits))
    throw new RangeError('An amount is not negative and has at most 78 digits, as many as 2^256.');
  return digits as Amount;
}

/**
 * The smallest units of an amount.
 *
 * @example
 * ```ts
 * import { type Amount, unitsOf } from '@fairway/plan';
 *
 * declare const amount: Amount;
 * const half = unitsOf(amount) / 2n;
 * ```
 * @throws RangeError for anything but canonical digits.
 */
export function unitsOf(amount: Amount): bigint {
  if (!CANONICAL.test(amount)) throw new RangeError('An amount must be canonical decimal digits.');
  return BigInt(amount);
}

/**
 * The sum of amounts.
 *
 * @example
 * ```ts
 * import { amountOf, sumOf } from '@fairway/plan';
 *
 * const total = sumOf([amountOf(600n), amountOf(400n)]); // '1000'
 * ```
 */
export function sumOf(amounts: readonly Amount[]): Amount {
  return amountOf(amounts.reduce((sum, amount) => sum + unitsOf(amount), 0n));
}

/**
 * Whether `a` is less than `b`.
 *
 * @example
 * ```ts
 * import { amountOf, isLess } from '@fairway/plan';
 *
 * const isMissing = isLess(amountOf(999n), amountOf(1_000n)); // true
 * ```
 */
export function isLess(a: Amount, b: Amount): boolean {
  return unitsOf(a) < unitsOf(b);
}

/** How many units some amounts of money are together. */
export function unitsIn(all: readonly { readonly amount: Amount }[]): bigint {
  return all.reduce((sum, { amount }) => sum + unitsOf(amount), 0n);
}

/** The least of some numbers of units; there must be one. */
export function leastOf(units: readonly bigint[]): bigint {
  return units.reduce((least, each) => (each < least ? each : least));
}

/** The greatest of some numbers of units; zero when there are none. */
export function mostOf(units: readonly bigint[]): bigint {
  return units.reduce((most, each) => (each > most ? each : most), 0n);
}

/** The amount of no units. */
export const ZERO: Amount = amountOf(0n);
