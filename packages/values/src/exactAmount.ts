/**
 * Writes an amount in smallest units as whole tokens, with every digit and commas between thousands.
 *
 * @example
 * ```ts
 * import { exactAmount } from '@fairway/values';
 *
 * exactAmount(2_999_574_122n, 6); // '2,999.574122'
 * ```
 */
export function exactAmount(units: bigint, decimals: number): string {
  const digits = String(units).padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals).replace(/\B(?=(\d{3})+$)/g, ',');
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return fraction === '' ? whole : `${whole}.${fraction}`;
}
