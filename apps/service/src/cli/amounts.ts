/** A fraction as people read it: `digits` significant ones, rounded half up, thousands apart. Needs a positive denominator. */
export function decimalOf(numerator: bigint, denominator: bigint, digits = 8): string {
  if (numerator === 0n) return '0';
  const whole = numerator / denominator;
  // Below one, the digits of the inverse tell how many zeros follow the point.
  const places =
    whole > 0n
      ? Math.max(0, digits - String(whole).length)
      : String((denominator - 1n) / numerator).length - 1 + digits;
  return pointed((2n * numerator * 10n ** BigInt(places) + denominator) / (2n * denominator), places);
}

/** An amount in smallest units as whole tokens, every digit of it, thousands apart. */
export function exactAmount(units: bigint, decimals: number): string {
  return pointed(units, decimals);
}

/** An amount in smallest units as whole tokens, to some significant digits. */
export function roundedAmount(units: bigint, decimals: number, digits = 8): string {
  return decimalOf(units, 10n ** BigInt(decimals), digits);
}

function pointed(scaled: bigint, places: number): string {
  const digits = String(scaled).padStart(places + 1, '0');
  const whole = digits.slice(0, digits.length - places).replace(/\B(?=(\d{3})+$)/g, ',');
  const fraction = digits.slice(digits.length - places).replace(/0+$/, '');
  return fraction === '' ? whole : `${whole}.${fraction}`;
}
