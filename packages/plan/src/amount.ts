declare const amountBrand: unique symbol;

/**
 * An amount in smallest units, as its canonical decimal digits. Plans are records: kept as digits, an amount is the
 * same in memory, in the database and in the history, and no floating point can come near it.
 */
export type Amount = string & { readonly [amountBrand]: true };

const canonical = /^(0|[1-9][0-9]{0,77})$/;

/** The amount of a whole number of smallest units. @throws RangeError for a negative one and beyond 78 digits. */
export function amountOf(units: bigint): Amount {
  const digits = String(units);
  if (!canonical.test(digits))
    throw new RangeError('An amount is not negative and has at most 78 digits, as 2^256 has.');
  return digits as Amount;
}

/** The smallest units of an amount. @throws RangeError for anything but canonical digits. */
export function unitsOf(amount: Amount): bigint {
  if (!canonical.test(amount)) throw new RangeError('An amount is canonical decimal digits.');
  return BigInt(amount);
}

/** The sum of amounts. */
export function sumOf(amounts: readonly Amount[]): Amount {
  return amountOf(amounts.reduce((sum, amount) => sum + unitsOf(amount), 0n));
}

/** Whether `a` is less than `b`. */
export function isLess(a: Amount, b: Amount): boolean {
  return unitsOf(a) < unitsOf(b);
}

/** No units at all. */
export const ZERO: Amount = amountOf(0n);
