import { exactAmount } from '@fairway/values';

/**
 * Writes a fraction for people: `digits` significant digits, rounded half up, commas between thousands. The
 * denominator must be positive.
 */
export function decimalOf(numerator: bigint, denominator: bigint, digits = 8): string {
  if (numerator === 0n) return '0';
  const whole = numerator / denominator;
  // For a fraction below one, the number of digits of its inverse tells how many zeros follow the point.
  const places =
    whole > 0n
      ? Math.max(0, digits - String(whole).length)
      : String((denominator - 1n) / numerator).length - 1 + digits;
  return exactAmount((2n * numerator * 10n ** BigInt(places) + denominator) / (2n * denominator), places);
}

/** Writes an amount in smallest units as whole tokens, with `digits` significant digits. */
export function roundedAmount(units: bigint, decimals: number, digits = 8): string {
  return decimalOf(units, 10n ** BigInt(decimals), digits);
}
