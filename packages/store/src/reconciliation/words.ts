import { referenceForm } from '@fairway/statements';
import { END_TO_END_IDS, IS_END_TO_END_ID } from '../keys/endToEndIds.ts';

/** How many parts of a text one reference may have: banks break lines and set spaces within references. */
const MOST_IN_A_RUN = 6;
/** What can be a reference of ours. */
const FORM_LENGTHS = { least: 3, most: 128 } as const;

/**
 * What of a text may be a reference of ours, in the form in which references are compared. These are words, also
 * several in a row, and what stands between signs that banks set around references, such as `EREF+`. Each has a digit.
 * Our own ids are found wherever they stand.
 */
export function wordsOf(text: string): ReadonlySet<string> {
  const found = new Set<string>();
  // Most words have no signs that part them further.
  const splits = new Set([/\s+/, /[\s+:;,/|=?()]+/].map((signs) => text.split(signs).join(' ')));
  const runs = [...splits].map((words) => createRuns(words.split(' ').map(referenceForm)));
  for (let count = 1; count <= MOST_IN_A_RUN; count += 1) for (const addNext of runs) addNext(found);
  for (const [, id = ''] of referenceForm(text).matchAll(END_TO_END_IDS)) found.add(id);
  return found;
}

/**
 * How many words of a text are kept as hashes, those of few parts first. By them, references are found that are told
 * later. A text with all marks of SEPA has fewer.
 */
export const MOST_TAGGED = 200;

/** Whether the form of a reference is an id of ours, or its beginning. */
export function isOwnId(form: string): boolean {
  return IS_END_TO_END_ID.test(form);
}

/** Makes what adds the runs of words: those of one word, then those of two, and so on. */
function createRuns(forms: readonly string[]): (found: Set<string>) => void {
  const hasDigits = forms.map((form) => /\d/.test(form));
  const runs = forms.map((form, first) => ({ form, hasDigit: hasDigits[first] === true }));
  let count = 1;
  return (found) => {
    for (const [first, run] of runs.entries()) {
      if (first + count > forms.length) break;
      const last = first + count - 1;
      if (count > 1) {
        run.form += forms[last] ?? '';
        run.hasDigit ||= hasDigits[last] === true;
      }
      const { length } = run.form;
      if (run.hasDigit && length >= FORM_LENGTHS.least && length <= FORM_LENGTHS.most) found.add(run.form);
    }
    count += 1;
  };
}
