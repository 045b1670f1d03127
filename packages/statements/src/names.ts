import { createHash } from 'node:crypto';
import { referenceForm } from './references.ts';

/** How much of a name is compared: one character can become 18. */
const COMPARED_LENGTH = 1_024;
/** How much of a form is kept as it is, so that one that was cut can be compared. A digest is kept of the rest. */
const KEPT_LENGTH = 140;
/** How long the fields for names are. A space at the end of a name that was cut is lost. */
const FIELD_LENGTHS: readonly number[] = [34, 35, 69, 70];
/** Letters that are also spelt with two letters. */
const TWO_SPELT = /[äöüåæœø]/u;
/** Stands before the form of a name that has such a letter. */
const SPELT_IN_TWO = '¨';
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
 * are as banks spell them: Jürgen may be JUERGEN or JURGEN, while Joe is not Jo. Empty when it has neither letters nor digits, and
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
  const begin = name.slice(0, COMPARED_LENGTH).normalize('NFC').toLowerCase();
  const form = begin
    .normalize('NFKD')
    .slice(0, COMPARED_LENGTH)
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(SPELT, (letter) => LETTERS[letter] ?? letter)
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
  const short = withoutSecondLetters(form);
  if (short.length > KEPT_LENGTH) {
    const digest = createHash('sha256').update(short).digest('base64');
    return `${SPELT_IN_TWO}${short.slice(0, KEPT_LENGTH)} ${digest}`;
  }
  const marked = form !== '' && TWO_SPELT.test(begin) ? `${SPELT_IN_TWO}${form}` : form;
  return FIELD_LENGTHS.includes(name.trim().length) ? `${marked}${CUT}` : marked;
}

/** A form with one letter where banks may write two for å, ä, ö and ü. */
function withoutSecondLetters(form: string): string {
  return form.replaceAll(/([aou])e+/g, '$1').replaceAll(/a{2,}/g, 'a');
}

/** Whether two names in the form in which they are compared are the same; undefined where one says nothing. */
export function areSameName(one: string | undefined, other: string | undefined): boolean | undefined {
  if (one === undefined || other === undefined || one === '' || other === '') return undefined;
  // Where neither has such a letter, an e is a letter of the name.
  const [first, second] = [one, other].some((form) => form.startsWith(SPELT_IN_TWO))
    ? [shortened(one), shortened(other)]
    : [one, other];
  return isBeginning(first, second) || isBeginning(second, first);
}

function shortened(form: string): string {
  const name = form.startsWith(SPELT_IN_TWO) ? form.slice(SPELT_IN_TWO.length) : form;
  return withoutSecondLetters(name);
}

/** Whether a name is another one, or the beginning of it that a field has left. */
function isBeginning(one: string, other: string): boolean {
  const whole = other.endsWith(CUT) ? other.slice(0, -CUT.length) : other;
  return one.endsWith(CUT) ? whole.startsWith(one.slice(0, -CUT.length)) : one === whole;
}
