import { type Amount, unitsOf } from '@fairway/plan';

/** Converts an amount in smallest units to a decimal number of whole units, exactly and without floating point. */
export function decimalOf(amount: Amount, decimals: number): string {
  const digits = String(unitsOf(amount)).padStart(decimals + 1, '0');
  const point = digits.length - decimals;
  return decimals === 0 ? digits : `${digits.slice(0, point)}.${digits.slice(point)}`;
}
