import { FIELD_LENGTHS, referenceForm } from '@fairway/statements';
import { END_TO_END_IDS, IS_END_TO_END_ID } from '../keys/endToEndIds.ts';

/** How many parts of a text one reference may have: banks break lines and set signs and spaces within references. */
const MOST_IN_A_RUN = 10;
/** What can be a reference of ours. */
const FORM_LENGTHS = { least: 3, most: 128 } as const;
/** How many words of a text are kept as hashes. A text with all marks of SEPA has fewer. */
const MOST_TAGGED = 400;
/** Between these a text is parted: at spaces, and at all signs. */
const PARTS = [/\S+/g, /[\p{L}\p{M}\p{N}]+/gu] as const;

/**
 * What of a text may be a reference of ours. `tagged`: the first ones, those of few parts before others. By their hashes,
 * references are found that are told later. `hasMore`: others are left out there. `named`: those that may be known now.
 */
export type Words = {
  readonly tagged: ReadonlySet<string>;
  readonly hasMore: boolean;
  readonly named: ReadonlySet<string>;
};

/** A part of a text: its form, and where it begins and ends. */
type Part = {
  readonly form: string;
  readonly hasDigit: boolean;
  readonly first: number;
  readonly end: number;
};

/**
 * What of a text may be a reference of ours, in the form in which references are compared. These are what stands between
 * signs or spaces, also several in a row. Each has a digit, or is as long as a field that may have cut off the digits.
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
  const runs = PARTS.map((parts) => createRuns(partsOf(text, parts), add));
  for (let count = 1; count <= MOST_IN_A_RUN; count += 1) for (const addNext of runs) addNext();
  for (const [, id = ''] of referenceForm(text).matchAll(END_TO_END_IDS)) add(id);
  return { tagged, named, hasMore };
}

/** Whether the form of a reference is an id of ours, or its beginning. */
export function isOwnId(form: string): boolean {
  return IS_END_TO_END_ID.test(form);
}

function partsOf(text: string, parts: RegExp): readonly Part[] {
  return Array.from(text.matchAll(parts), ({ 0: part, index }) => {
    const form = referenceForm(part);
    return { form, hasDigit: /\d/.test(form), first: index, end: index + part.length };
  });
}

/** Makes what adds the runs of parts: those of one part, then those of two, and so on. */
function createRuns(parts: readonly Part[], add: (form: string) => void): () => void {
  const runs = parts.map(({ form, hasDigit }) => ({ form, hasDigit }));
  let count = 1;
  return () => {
    for (const [index, run] of runs.entries()) {
      const [start, last] = [parts[index], parts[index + count - 1]];
      if (start === undefined || last === undefined) break;
      if (count > 1) {
        run.form += last.form;
        run.hasDigit ||= last.hasDigit;
      }
      const { length } = run.form;
      const mayBeOurs = run.hasDigit || isFieldLong(length, last.end - start.first);
      if (mayBeOurs && length >= FORM_LENGTHS.least && length <= FORM_LENGTHS.most) add(run.form);
    }
    count += 1;
  };
}

/** Whether a field may have cut a reference to these letters, with its signs or without. A sign at its end may be lost. */
function isFieldLong(formLength: number, length: number): boolean {
  return FIELD_LENGTHS.some((field) => field === formLength || field === length || field === length + 1);
}
