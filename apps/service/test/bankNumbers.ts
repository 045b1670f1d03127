import { randomInt } from 'node:crypto';

/** Random decimal digits; the first digit is not zero. */
export function digits(length: number): string {
  return Array.from({ length }, (_, index) => String(randomInt(index === 0 ? 1 : 0, 10))).join('');
}

/** A German IBAN with right check digits (ISO 13616: 98 minus the rearranged digits modulo 97). */
export function germanIban(): string {
  const bban = digits(18);
  const check = 98n - (BigInt(`${bban}131400`) % 97n);
  return `DE${String(check).padStart(2, '0')}${bban}`;
}
