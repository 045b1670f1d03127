import { hash } from 'node:crypto';
import {
  createTurns,
  FILE_LIMITS,
  hasUmlaut,
  referenceForm,
  type StatementUnit,
  umlautForm,
} from '@fairway/statements';
import type { Database } from '../database/database.ts';
import type { PlanScope } from '../plans/planScope.ts';
import { type NamedPayment, paymentsNamed, startsOfReferences } from './namedPayments.ts';
import type { StatementParts } from './statement.ts';
import { isOwnId, type Words, wordsOf } from './words.ts';

/** How many forms are gathered before they are looked up, so that few are kept at once. */
const FORMS_KEPT = 20_000;
/** From how many characters of texts on, words that can name no payment are left out first. */
const MANY_CHARACTERS = 20_000;
/** How many characters a hash is cut to: enough that no two words of an organisation have one by chance. */
const TAG_LENGTH = 16;

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
  const tagOf = wordTags(parts, scope);
  const named: (Of & Tagged)[] = [];
  let waiting: { readonly line: Of; readonly words: Words; readonly umlauts: ReadonlySet<string> }[] = [];
  let count = 0;
  const settle = async () => {
    const forms = waiting.flatMap(({ words, umlauts }) => [...words.named, ...umlauts]);
    const found = await paymentsNamed(transaction, scope, forms);
    for (const { line, words, umlauts } of waiting) {
      const hasMoreWords = words.hasMore || line.unit.isTextCut === true;
      const tags = [...words.tagged].map(tagOf);
      named.push({
        ...withReferences(line, [...referencesIn(words.named, found), ...spelledInTwo(umlauts, found)]),
        ...{ wordTags: tags, hasMoreWords },
      });
      await turns.step(tags.length);
    }
    waiting = [];
    count = 0;
  };
  const textLength = lines.reduce((sum, { unit }) => sum + (unit.text ?? '').length, 0);
  const mayName = textLength > MANY_CHARACTERS ? await startsOfReferences(transaction, scope) : () => true;
  for (const line of lines) {
    const words = wordsOf(line.unit.text ?? '', mayName);
    const { endToEndId = '', references } = line.unit;
    const umlauts = umlautForms([...words.named, ...[endToEndId, ...references].map(referenceForm)]);
    waiting.push({ line, words, umlauts });
    const size = words.tagged.size + words.named.size + umlauts.size;
    count += size;
    await turns.step(1 + size);
    if (count >= FORMS_KEPT) await settle();
  }
  await settle();
  return named;
}

/**
 * Makes keyed hashes of words of a text, in the form in which references are compared. A hash that is cut tells nobody
 * the hash of a longer word, as an HMAC does not, which takes five times as long.
 */
export function wordTags(
  { fingerprints }: StatementParts,
  { organisationId }: PlanScope,
): (form: string) => string {
  const key = fingerprints.fingerprint('request', organisationId, 'statements words').toString('base64');
  return (form) => hash('sha256', `${key} ${form}`, 'base64').slice(0, TAG_LENGTH);
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

/** The forms that differ where each umlaut is spelled with one letter. */
function umlautForms(forms: readonly string[]): ReadonlySet<string> {
  return new Set(forms.filter((form) => umlautForm(form) !== form).map(umlautForm));
}

/** The references of ours with an umlaut that a text or a field spells with two letters. */
function spelledInTwo(
  forms: ReadonlySet<string>,
  named: ReadonlyMap<string, NamedPayment>,
): readonly string[] {
  const found = [...forms].flatMap((form) => {
    const { reference, planIds } = named.get(form) ?? { reference: '', planIds: [] };
    return planIds.length > 0 && hasUmlaut(reference) ? [reference] : [];
  });
  return found.slice(0, FILE_LIMITS.references);
}

function withReferences<Of extends { readonly unit: StatementUnit }>(line: Of, found: readonly string[]): Of {
  if (found.length === 0) return line;
  return { ...line, unit: { ...line.unit, references: [...new Set([...line.unit.references, ...found])] } };
}
