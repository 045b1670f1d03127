import { createHash } from 'node:crypto';

/**
 * A name as it is compared: without accents, punctuation, letter case and the order of spaces. Equal for `Zoë  O'Neil` and `ZOE O NEIL`.
 */
function comparableName(name: string): string {
  return name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/** How many characters of names are looked at in the time of a step. */
const CHARACTERS_A_STEP = 4;
/** How long a form is kept as it is. */
const KEPT_LENGTH = 32;

/** Compares names, and says how many steps each comparison takes. */
export type Names = {
  /** Whether two names are the same as far as they can be compared; undefined where one is absent, or has neither letters nor digits. */
  areSame(one: string | undefined, other: string | undefined): boolean | undefined;
  /** How many steps were done since this was asked last. */
  takeSteps(): number;
};

/** Compares names. Each is brought into the form in which it is compared once; of long forms digests are kept, because one character can become 18. */
export function createNames(): Names {
  const forms = new Map<string, string>();
  let characters = 0;
  const formOf = (name: string): string => {
    const known = forms.get(name);
    if (known !== undefined) return known;
    const whole = comparableName(name);
    const form = whole.length > KEPT_LENGTH ? createHash('sha256').update(whole).digest('base64') : whole;
    characters += name.length;
    forms.set(name, form);
    return form;
  };
  return {
    areSame(one = '', other = '') {
      const [a, b] = [formOf(one), formOf(other)];
      return a === '' || b === '' ? undefined : a === b;
    },
    takeSteps() {
      const steps = Math.ceil(characters / CHARACTERS_A_STEP);
      characters = 0;
      return steps;
    },
  };
}
