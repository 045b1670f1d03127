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
  for (const signs of [/\s+/, /[\s+:;,/|=?()]+/]) addRuns(found, text.split(signs).map(referenceForm));
  for (const [, id = ''] of referenceForm(text).matchAll(END_TO_END_IDS)) found.add(id);
  return found;
}

/** Whether the form of a reference is an id of ours, or its beginning. */
export function isOwnId(form: string): boolean {
  return IS_END_TO_END_ID.test(form);
}

function addRuns(found: Set<string>, forms: readonly string[]): void {
  for (const first of forms.keys()) {
    let run = '';
    for (const form of forms.slice(first, first + MOST_IN_A_RUN)) {
      run += form;
      if (run.length > FORM_LENGTHS.most) break;
      if (run.length >= FORM_LENGTHS.least && /\d/.test(run)) found.add(run);
    }
  }
}
