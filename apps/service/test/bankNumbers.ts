import { randomInt } from 'node:crypto';

/** Random decimal digits, none of the first ones a zero. */
export function digits(length: number): string {
  return Array.from({ length }, (_, index) => String(randomInt(index === 0 ? 1 : 0, 10))).join('');
}

/** A German IBAN with a right check (ISO 13616: 98 minus the remainder of the rearranged digits by 97). */
export function germanIban(): string {
  const bban = digits(18);
  const check = 98n - (BigInt(`${bban}131400`) % 97n);
  return `DE${String(check).padStart(2, '0')}${bban}`;
}
