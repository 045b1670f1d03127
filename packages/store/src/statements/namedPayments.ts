import { createTurns, type StatementUnit } from '@fairway/statements';
import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { PlanScope } from '../plans/planScope.ts';
import { wordsOf } from './words.ts';

/** How many texts are looked up by one query. */
const TEXTS_AT_ONCE = 5_000;

/**
 * The ids of the plans that texts name, two of each text at most. A text is the client's reference of a plan, or a
 * reference of a payment of it. A third one says no more than the second, and thousands of payments may have one
 * reference.
 */
export async function paymentsNamed(
  transaction: Database,
  { organisationId, environment }: PlanScope,
  texts: Iterable<string>,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const all = [...new Set(texts)];
  const named = new Map<string, string[]>();
  for (let index = 0; index < all.length; index += TEXTS_AT_ONCE) {
    const part = all.slice(index, index + TEXTS_AT_ONCE);
    const ofPlan = sql`p.organisation_id = ${organisationId} and p.environment = ${environment}`;
    const ofMovement = sql`m.organisation_id = ${organisationId} and m.environment = ${environment}
      and m.kind in ('PAYOUT', 'RETURN')`;
    // Each part has an index of its own.
    const { rows } = await sql<{ text: string; first: string; last: string }>`
      select named.text, min(named.plan_id) as first, max(named.plan_id) as last from (
      select p.client_reference as text, p.plan_id from plans p where ${ofPlan} and p.client_reference = any(${part})
      union
      select p.end_to_end_id, p.plan_id from plans p where ${ofPlan} and p.end_to_end_id = any(${part})
      union
      select m.end_to_end_id, m.plan_id from movements m where ${ofMovement} and m.end_to_end_id = any(${part})
      union
      select m.provider_reference, m.plan_id from movements m where ${ofMovement} and m.provider_reference = any(${part})
      ) as named group by named.text`.execute(transaction);
    for (const { text, first, last } of rows) named.set(text, first === last ? [first] : [first, last]);
  }
  return named;
}

/**
 * Units whose references include those parts of their texts that name a payment. The texts themselves are not kept:
 * references of ours tell nothing of the other side.
 */
export async function withNamedPayments<Of extends { readonly unit: StatementUnit }>(
  transaction: Database,
  scope: PlanScope,
  lines: readonly Of[],
): Promise<readonly Of[]> {
  const turns = createTurns();
  const words: (readonly string[])[] = [];
  const all = new Set<string>();
  for (const { unit } of lines) {
    const own = wordsOf(unit.text ?? '');
    for (const word of own) all.add(word);
    words.push(own);
    await turns.step(1 + own.length);
  }
  const named = await paymentsNamed(transaction, scope, all);
  return lines.map((line, index) => {
    const found = (words[index] ?? []).filter((word) => named.has(word));
    const references = [...new Set([...line.unit.references, ...found])];
    return found.length === 0 ? line : { ...line, unit: { ...line.unit, references } };
  });
}
