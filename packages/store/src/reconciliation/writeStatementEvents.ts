import type { Database } from '../database/database.ts';
import { writePublishedEvents } from '@fairway/outbox';
import type { PlanScope } from '../plans/planScope.ts';
import type { StatementChange, StatementParts } from './statement.ts';

/** How many changes are published by one query. */
const CHANGES_AT_ONCE = 100;

/** Keeps the events of many changes in a transaction that has made them. */
export async function writeStatementEvents(
  transaction: Database,
  { publishedEventsOfStatement }: StatementParts,
  scope: PlanScope,
  changes: readonly StatementChange[],
  atMs: number,
): Promise<void> {
  for (let index = 0; index < changes.length; index += CHANGES_AT_ONCE) {
    const published = changes.slice(index, index + CHANGES_AT_ONCE).flatMap(publishedEventsOfStatement);
    await writePublishedEvents(transaction, scope, published, atMs);
  }
}
