import { createHash } from 'node:crypto';

/** How much of a name is compared: one character can become 18. */
const COMPARED_LENGTH = 1_024;
/** The longest form that is kept as it is. For a longer one a digest is kept. */
const KEPT_LENGTH = 32;

/**
 * A name in the form in which it is compared: without accents, punctuation, letter case and the order of spaces.
 * Empty when it has neither letters nor digits.
 *
 * @example
 * ```ts
 * import { nameForm } from '@fairway/statements';
 *
 * nameForm("Zoë  O'Neil") === nameForm('ZOE O NEIL'); // true
 * ```
 */
export function nameForm(name: string): string {
  const form = name
    .normalize('NFKD')
    .slice(0, COMPARED_LENGTH)
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
  return form.length > KEPT_LENGTH ? createHash('sha256').update(form).digest('base64') : form;
}

/** Whether two names in the form in which they are compared are the same; undefined where one says nothing. */
export function areSameName(one: string | undefined, other: string | undefined): boolean | undefined {
  return one === undefined || other === undefined || one === '' || other === '' ? undefined : one === other;
}
