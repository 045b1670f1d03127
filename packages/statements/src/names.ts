import { createHash } from 'node:crypto';
import { referenceForm } from './references.ts';

/** How much of a name is compared: one character can become 18. */
const COMPARED_LENGTH = 1_024;
/** How much of a form is kept as it is, so that one that was cut can be compared. A digest is kept of the rest. */
const KEPT_LENGTH = 140;
/** How long the fields for names are. A space at the end of a name that was cut is lost. */
const FIELD_LENGTHS: readonly number[] = [34, 35, 69, 70];
/** Stands behind the form of a name that may have been cut. */
const CUT = '…';

/** How banks write the letters that they do not have. */
const LETTERS: Readonly<Record<string, string>> = {
  ...{
    ß: 'ss',
    æ: 'ae',
    œ: 'oe',
    ø: 'o',
    đ: 'd',
    ð: 'd',
    þ: 'th',
    ł: 'l',
    ħ: 'h',
    ı: 'i',
    ŋ: 'n',
    ŧ: 't',
    ĸ: 'k',
  },
};
const SPELT = new RegExp(`[${Object.keys(LETTERS).join('')}]`, 'gu');

/**
 * A name in the form in which it is compared: without accents, punctuation, letter case and the order of spaces. Letters
 * are as banks spell them, so that Jürgen, JUERGEN and JURGEN are one. Empty when it has neither letters nor digits, and
 * when it says that there is none. A name as long as the field of a bank may have been cut.
 *
 * @example
 * ```ts
 * import { nameForm } from '@fairway/statements';
 *
 * nameForm("Zoë  O'Neil") === nameForm('ZOE O NEIL'); // true
 * ```
 */
export function nameForm(name: string): string {
  if (referenceForm(name.slice(0, 20)) === 'NOTPROVIDED') return '';
  const form = name
    .normalize('NFKD')
    .slice(0, COMPARED_LENGTH)
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(SPELT, (letter) => LETTERS[letter] ?? letter)
    // Å, ä, ö and ü are also spelt with two letters.
    .replaceAll('aa', 'a')
    .replaceAll(/([aou])e/g, '$1')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
  if (form.length > KEPT_LENGTH)
    return `${form.slice(0, KEPT_LENGTH)} ${createHash('sha256').update(form).digest('base64')}`;
  return FIELD_LENGTHS.includes(name.trim().length) ? `${form}${CUT}` : form;
}

/** Whether two names in the form in which they are compared are the same; undefined where one says nothing. */
export function areSameName(one: string | undefined, other: string | undefined): boolean | undefined {
  if (one === undefined || other === undefined || one === '' || other === '') return undefined;
  return isBeginning(one, other) || isBeginning(other, one);
}

/** Whether a name is another one, or the beginning of it that a field has left. */
function isBeginning(one: string, other: string): boolean {
  const whole = other.endsWith(CUT) ? other.slice(0, -CUT.length) : other;
  return one.endsWith(CUT) ? whole.startsWith(one.slice(0, -CUT.length)) : one === whole;
}
