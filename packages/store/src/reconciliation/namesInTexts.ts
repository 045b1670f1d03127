import { createTurns, FILE_LIMITS, type StatementUnit } from '@fairway/statements';
import type { Database } from '../database/database.ts';
import type { PlanScope } from '../plans/planScope.ts';
import { type NamedPayment, paymentsNamed } from './namedPayments.ts';
import type { StatementParts } from './statement.ts';
import { isOwnId, MOST_TAGGED, wordsOf } from './words.ts';

/** How many forms are gathered before they are looked up, so that few are kept at once. */
const FORMS_KEPT = 20_000;
/** How much of a hash is kept: a version, and enough that no two words of an organisation have one by chance. */
const TAG_BYTES = 12;

/**
 * A unit of a file. `wordTags`: hashes of words of its text, by which references are found that are told later.
 * `hasMoreWords`: some words have none, or were not read.
 */
type Tagged = { readonly wordTags: readonly string[]; readonly hasMoreWords: boolean };

/**
 * Units whose references include those of payments that their texts name, as they are ours. The texts themselves are
 * not kept: references of ours tell nothing of the other side.
 */
export async function withNamedPayments<Of extends { readonly unit: StatementUnit }>(
  transaction: Database,
  parts: StatementParts,
  scope: PlanScope,
  lines: readonly Of[],
): Promise<readonly (Of & Tagged)[]> {
  const turns = createTurns();
  const named: (Of & Tagged)[] = [];
  let waiting: { readonly line: Of; readonly words: ReadonlySet<string> }[] = [];
  let count = 0;
  const settle = async () => {
    const found = await paymentsNamed(
      transaction,
      scope,
      waiting.flatMap(({ words }) => [...words]),
    );
    for (const { line, words } of waiting) {
      const tagged = words.values().take(MOST_TAGGED);
      const wordTags = tagged.map((word) => wordTag(parts, scope, word)).toArray();
      const hasMoreWords = words.size > MOST_TAGGED || line.unit.isTextCut === true;
      named.push({ ...withReferences(line, referencesIn(words, found)), wordTags, hasMoreWords });
      // A hash takes about three steps.
      await turns.step(wordTags.length * 3);
    }
    waiting = [];
    count = 0;
  };
  for (const line of lines) {
    const words = wordsOf(line.unit.text ?? '');
    waiting.push({ line, words });
    count += words.size;
    await turns.step(1 + words.size);
    if (count >= FORMS_KEPT) await settle();
  }
  await settle();
  return named;
}

/** The keyed hash of a word of a text, in the form in which references are compared. */
export function wordTag(
  { fingerprints }: StatementParts,
  { organisationId }: PlanScope,
  form: string,
): string {
  const hash = fingerprints.fingerprint('request', organisationId, `statements word ${form}`);
  return hash.subarray(0, TAG_BYTES).toString('base64');
}

/**
 * The references of ours that words are, as many as are kept: whole ones, then those that a bank has cut, as it wrote
 * them. A word that only begins another one is none.
 */
function referencesIn(
  words: ReadonlySet<string>,
  named: ReadonlyMap<string, NamedPayment>,
): readonly string[] {
  const whole: string[] = [];
  const cut: string[] = [];
  const sorted = [...words].filter((word) => named.has(word) || isOwnId(word)).toSorted();
  for (const [index, word] of sorted.entries()) {
    const { reference = word, planIds = [] } = named.get(word) ?? {};
    if (planIds.length > 0 && reference !== word) whole.push(reference);
    else if (planIds.length > 0 || isOwnId(word)) whole.push(word);
    else if (sorted[index + 1]?.startsWith(word) !== true) cut.push(word);
  }
  return [...whole, ...cut].slice(0, FILE_LIMITS.references);
}

function withReferences<Of extends { readonly unit: StatementUnit }>(line: Of, found: readonly string[]): Of {
  if (found.length === 0) return line;
  return { ...line, unit: { ...line.unit, references: [...new Set([...line.unit.references, ...found])] } };
}
