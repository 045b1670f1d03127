import { type Amount, unitsOf } from '@fairway/plan';

/** An amount in smallest units as a decimal number of whole ones: digits all the way, no floating point. */
export function decimalOf(amount: Amount, decimals: number): string {
  const digits = String(unitsOf(amount)).padStart(decimals + 1, '0');
  const point = digits.length - decimals;
  return decimals === 0 ? digits : `${digits.slice(0, point)}.${digits.slice(point)}`;
}
