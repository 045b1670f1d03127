/**
 * The characters that banks keep, drop or add within a reference: signs, spaces, hyphens, line breaks, and accents
 * that stand behind their letter. PostgreSQL has the same expression (`reference_form`).
 */
export const REFERENCE_SIGNS =
  '[\\u0001-\\u002F\\u003A-\\u0040\\u005B-\\u0060\\u007B-\\u00A9\\u00AB-\\u00B1\\u00B4\\u00B6-\\u00B8\\u00BB\\u00BF\\u0300-\\u036F\\u2000-\\u206F\\uFEFF]+';
const SIGNS = new RegExp(REFERENCE_SIGNS, 'g');

/**
 * A reference in the form in which it is compared: letters and digits, without letter case and accents. Empty when it has none.
 *
 * @example
 * ```ts
 * import { referenceForm } from '@fairway/statements';
 *
 * referenceForm('inv-2026 / 7'); // 'INV20267'
 * ```
 */
export function referenceForm(reference: string): string {
  // Only the letters that PostgreSQL changes, too.
  return reference
    .normalize('NFD')
    .replaceAll(SIGNS, '')
    .replaceAll(/[a-z]+/g, (letters) => letters.toUpperCase());
}

const UMLAUT = /[ÄÖÜÅ]/iu;

/**
 * Whether a reference has letters that banks also spell with two.
 *
 * @example
 * ```ts
 * import { hasUmlaut } from '@fairway/statements';
 *
 * hasUmlaut('MÜLLER-77'); // true
 * ```
 */
export function hasUmlaut(reference: string): boolean {
  return UMLAUT.test(reference.normalize('NFC'));
}

/**
 * A reference with two letters for each umlaut, as banks spell it.
 *
 * @example
 * ```ts
 * import { spelledOut } from '@fairway/statements';
 *
 * spelledOut('MÜLLER-77'); // 'MÜELLER-77', of which referenceForm makes 'MUELLER77'
 * ```
 */
export function spelledOut(reference: string): string {
  const two = (letter: string) => `${letter}${/å/iu.test(letter) ? 'A' : 'E'}`;
  return reference.normalize('NFC').replaceAll(/[ÄÖÜÅ]/giu, two);
}

/**
 * The form of a reference whose umlauts may be spelled with two letters: with one letter for each.
 *
 * @example
 * ```ts
 * import { umlautForm } from '@fairway/statements';
 *
 * umlautForm('MUELLER77'); // 'MULLER77'
 * ```
 */
export function umlautForm(form: string): string {
  return form.replaceAll(/([AOU])E/g, '$1').replaceAll('AA', 'A');
}

/** How many characters the fields for references have in the formats that banks use. Longer ones are cut. */
export const FIELD_LENGTHS = [16, 27, 30, 35] as const;

/**
 * The forms in which banks may show a reference: whole, and cut at the length of a field.
 *
 * @example
 * ```ts
 * import { cutForms } from '@fairway/statements';
 *
 * cutForms('PAY-2026-11-24-0007'); // ['PAY202611240007', 'PAY202611240']
 * ```
 */
export function cutForms(reference: string): readonly string[] {
  const form = referenceForm(reference);
  const cut = FIELD_LENGTHS.flatMap((length) => [
    // A bank cuts the reference with its signs or without them.
    referenceForm(reference.slice(0, length)),
    form.slice(0, length),
  ]);
  return [...new Set([form, ...cut])].filter((each) => each !== '');
}

const NONE: ReadonlySet<string> = new Set([
  '',
  'NOTPROVIDED',
  'NOREF',
  'NONREF',
  'NOREFERENCE',
  'NONE',
  'NA',
]);

/** Whether a text in the field of a reference says that there is none. */
export function isNoReference(text: string): boolean {
  return NONE.has(referenceForm(text));
}
