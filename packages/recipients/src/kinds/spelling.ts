/**
 * A number without the spaces and hyphens that it is printed with.
 *
 * @example
 * ```ts
 * import { withoutSeparators } from '@fairway/recipients';
 *
 * withoutSeparators('DE36 0000 0000 0000 0000 00'); // 'DE36000000000000000000'
 * ```
 */
export function withoutSeparators(number: string): string {
  return number.replaceAll(/[\s-]/gu, '');
}

/** A number without spaces and hyphens, its letters in upper case. */
export function compactUpperCase(number: string): string {
  return withoutSeparators(number).toUpperCase();
}

/** An e-mail address with its domain in lower case. The part before the @ stays: its case may matter to the server. */
export function withLowerCaseDomain(email: string): string {
  const at = email.lastIndexOf('@');
  return email.slice(0, at) + email.slice(at).toLowerCase();
}

/** A name in lower case and NFC, with one space between its words. */
export function oneCase(name: string): string {
  return wordsOf(name).join(' ').toLowerCase().normalize('NFC');
}

/** The words of a text, without the spaces around them. */
export function wordsOf(text: string): readonly string[] {
  return text.split(/\s/u).filter((word) => word !== '');
}
