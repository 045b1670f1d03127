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
  const splits = [/\s+/, /[\s+:;,/|=?()]+/].map((signs) => text.split(signs).map(referenceForm));
  for (let count = 1; count <= MOST_IN_A_RUN; count += 1)
    for (const forms of splits) addRuns(found, forms, count);
  for (const [, id = ''] of referenceForm(text).matchAll(END_TO_END_IDS)) found.add(id);
  return found;
}

/** How many words of a text are kept as hashes, and how long each is at least. A text with all marks of SEPA has fewer. */
export const TAGGED = { most: 200, least: 6 } as const;

/** The words of a text that may be references of payments which are told later, those of few parts first. */
export function wordsToTag(words: ReadonlySet<string>): readonly string[] {
  const long = words.values().filter(({ length }) => length >= TAGGED.least);
  return long.take(TAGGED.most).toArray();
}

/** Whether the form of a reference is an id of ours, or its beginning. */
export function isOwnId(form: string): boolean {
  return IS_END_TO_END_ID.test(form);
}

function addRuns(found: Set<string>, forms: readonly string[], count: number): void {
  for (let first = 0; first + count <= forms.length; first += 1) {
    const run = forms.slice(first, first + count).join('');
    if (run.length >= FORM_LENGTHS.least && run.length <= FORM_LENGTHS.most && /\d/.test(run)) found.add(run);
  }
}
