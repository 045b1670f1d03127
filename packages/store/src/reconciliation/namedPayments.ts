import { createTurns, FILE_LIMITS, referenceForm, type StatementUnit } from '@fairway/statements';
import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { PlanScope } from '../plans/planScope.ts';
import { isOwnId, wordsOf } from './words.ts';

/** How many forms of references are looked up by one query. */
const FORMS_AT_ONCE = 5_000;

/** What a form of a reference names. `reference`: as it is ours; `planIds`: two at most. */
export type NamedPayment = { readonly reference: string; readonly planIds: readonly string[] };

/**
 * What forms of references name: the client's reference of a plan, or a reference of a payment of it. Two plans are
 * found for each form at most. A third one says no more than the second, and thousands of payments may have one
 * reference.
 */
export async function paymentsNamed(
  transaction: Database,
  { organisationId, environment }: PlanScope,
  forms: Iterable<string>,
): Promise<ReadonlyMap<string, NamedPayment>> {
  const all = [...new Set(forms)].filter((form) => form !== '');
  const named = new Map<string, NamedPayment>();
  for (let index = 0; index < all.length; index += FORMS_AT_ONCE) {
    const part = all.slice(index, index + FORMS_AT_ONCE);
    const ofPlan = sql`p.organisation_id = ${organisationId} and p.environment = ${environment}`;
    const ofMovement = sql`m.organisation_id = ${organisationId} and m.environment = ${environment}
      and m.kind in ('PAYOUT', 'RETURN')`;
    // Each part has an index of its own. End-to-end ids are of their own form.
    const { rows } = await sql<{ reference: string; first: string; last: string }>`
      select min(named.text) as reference, min(named.plan_id) as first, max(named.plan_id) as last from (
      select p.client_reference as text, p.plan_id from plans p
      where ${ofPlan} and reference_form(p.client_reference) = any(${part})
      union
      select p.end_to_end_id, p.plan_id from plans p where ${ofPlan} and p.end_to_end_id = any(${part})
      union
      select m.end_to_end_id, m.plan_id from movements m where ${ofMovement} and m.end_to_end_id = any(${part})
      union
      select m.provider_reference, m.plan_id from movements m
      where ${ofMovement} and reference_form(m.provider_reference) = any(${part})
      ) as named group by reference_form(named.text)`.execute(transaction);
    for (const { reference, first, last } of rows)
      named.set(referenceForm(reference), { reference, planIds: first === last ? [first] : [first, last] });
  }
  return named;
}

/** How many forms are gathered before they are looked up, so that few are kept at once. */
const FORMS_KEPT = 20_000;

/**
 * Units whose references include those of payments that their texts name, as they are ours. The texts themselves are
 * not kept: references of ours tell nothing of the other side.
 */
export async function withNamedPayments<Of extends { readonly unit: StatementUnit }>(
  transaction: Database,
  scope: PlanScope,
  lines: readonly Of[],
): Promise<readonly Of[]> {
  const turns = createTurns();
  const named: Of[] = [];
  let waiting: { readonly line: Of; readonly words: ReadonlySet<string> }[] = [];
  let count = 0;
  const settle = async () => {
    const found = await paymentsNamed(
      transaction,
      scope,
      waiting.flatMap(({ words }) => [...words]),
    );
    for (const { line, words } of waiting) named.push(withReferences(line, referencesIn(words, found)));
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

/** The references of ours that words are, as many as are kept; an id that a bank has cut, as it is. */
function referencesIn(
  words: ReadonlySet<string>,
  named: ReadonlyMap<string, NamedPayment>,
): readonly string[] {
  const found: string[] = [];
  for (const word of words) {
    const reference = named.get(word)?.reference ?? (isOwnId(word) ? word : undefined);
    if (reference !== undefined && found.push(reference) === FILE_LIMITS.references) break;
  }
  return found;
}

function withReferences<Of extends { readonly unit: StatementUnit }>(line: Of, found: readonly string[]): Of {
  if (found.length === 0) return line;
  return { ...line, unit: { ...line.unit, references: [...new Set([...line.unit.references, ...found])] } };
}
