import { referenceForm } from '@fairway/statements';
import { END_TO_END_IDS, IS_END_TO_END_ID } from '../keys/endToEndIds.ts';

/** How many parts of a text one reference may have: banks break lines and set spaces within references. */
const MOST_IN_A_RUN = 6;
/** What can be a reference of ours. */
const FORM_LENGTHS = { least: 3, most: 128 } as const;
/** How many words of a text are kept as hashes. A text with all marks of SEPA has fewer. */
const MOST_TAGGED = 200;

/**
 * What of a text may be a reference of ours. `tagged`: the first ones, those of few parts before others. By their hashes,
 * references are found that are told later. `hasMore`: others are left out there. `named`: those that may be known now.
 */
export type Words = {
  readonly tagged: ReadonlySet<string>;
  readonly hasMore: boolean;
  readonly named: ReadonlySet<string>;
};

/**
 * What of a text may be a reference of ours, in the form in which references are compared. These are words, also
 * several in a row, and what stands between signs that banks set around references, such as `EREF+`. Each has a digit.
 * Our own ids are found wherever they stand.
 *
 * @param mayName - whether a reference begins like a form, by its first letters
 */
export function wordsOf(text: string, mayName: (form: string) => boolean = () => true): Words {
  const [tagged, named] = [new Set<string>(), new Set<string>()];
  let hasMore = false;
  const add = (form: string) => {
    if (tagged.size < MOST_TAGGED) tagged.add(form);
    else hasMore ||= !tagged.has(form);
    if (mayName(form)) named.add(form);
  };
  // Most words have no signs that part them further.
  const splits = new Set([/\s+/, /[\s+:;,/|=?()]+/].map((signs) => text.split(signs).join(' ')));
  const runs = [...splits].map((words) => createRuns(words.split(' ').map(referenceForm), add));
  for (let count = 1; count <= MOST_IN_A_RUN; count += 1) for (const addNext of runs) addNext();
  for (const [, id = ''] of referenceForm(text).matchAll(END_TO_END_IDS)) add(id);
  return { tagged, named, hasMore };
}

/** Whether the form of a reference is an id of ours, or its beginning. */
export function isOwnId(form: string): boolean {
  return IS_END_TO_END_ID.test(form);
}

/** Makes what adds the runs of words: those of one word, then those of two, and so on. */
function createRuns(forms: readonly string[], add: (form: string) => void): () => void {
  const hasDigits = forms.map((form) => /\d/.test(form));
  const runs = forms.map((form, first) => ({ form, hasDigit: hasDigits[first] === true }));
  let count = 1;
  return () => {
    for (const [first, run] of runs.entries()) {
      const last = first + count - 1;
      if (last >= forms.length) break;
      if (count > 1) {
        run.form += forms[last] ?? '';
        run.hasDigit ||= hasDigits[last] === true;
      }
      const { length } = run.form;
      if (run.hasDigit && length >= FORM_LENGTHS.least && length <= FORM_LENGTHS.most) add(run.form);
    }
    count += 1;
  };
}
