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
  return pointed((2n * numerator * 10n ** BigInt(places) + denominator) / (2n * denominator), places);
}

/** Writes an amount in smallest units as whole tokens, with every digit and commas between thousands. */
export function exactAmount(units: bigint, decimals: number): string {
  return pointed(units, decimals);
}

/** Writes an amount in smallest units as whole tokens, with `digits` significant digits. */
export function roundedAmount(units: bigint, decimals: number, digits = 8): string {
  return decimalOf(units, 10n ** BigInt(decimals), digits);
}

function pointed(scaled: bigint, places: number): string {
  const digits = String(scaled).padStart(places + 1, '0');
  const whole = digits.slice(0, digits.length - places).replace(/\B(?=(\d{3})+$)/g, ',');
  const fraction = digits.slice(digits.length - places).replace(/0+$/, '');
  return fraction === '' ? whole : `${whole}.${fraction}`;
}
