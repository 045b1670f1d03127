import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { type News, writeNews } from '../events/news.ts';
import type { PlanScope } from '../plans/planScope.ts';

/** Makes the book of an organisation, unless it is there. From its commit on, payments that are told have a job which matches them. */
export async function makeBook(
  database: Database,
  { organisationId, environment }: PlanScope,
): Promise<void> {
  await sql`insert into reconciliation_books (organisation_id, environment)
    values (${organisationId}, ${environment}) on conflict do nothing`.execute(database);
}

/** Holds the book of an organisation until the transaction ends: whoever matches is the only one who does. */
export async function holdBook(transaction: Database, scope: PlanScope): Promise<void> {
  await makeBook(transaction, scope);
  const { organisationId, environment } = scope;
  await sql`select from reconciliation_books
    where organisation_id = ${organisationId} and environment = ${environment} for update`.execute(
    transaction,
  );
}

/** How many events are written by one statement. */
const EVENTS_AT_ONCE = 200;

/** Keeps many events in a transaction that has written what they tell of. */
export async function tellAll(
  transaction: Database,
  scope: PlanScope,
  news: readonly News[],
  atMs: number,
): Promise<void> {
  for (let index = 0; index < news.length; index += EVENTS_AT_ONCE)
    await writeNews(transaction, scope, news.slice(index, index + EVENTS_AT_ONCE), atMs);
}
