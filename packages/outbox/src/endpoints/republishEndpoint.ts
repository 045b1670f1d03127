import type { Scope } from '@fairway/values';
import type { QueryExecutorProvider } from 'kysely';
import { writePublishedEvents } from '../events/publishedEvents.ts';
import type { Telling } from './endpoint.ts';
import { lockEndpoint } from './endpointRows.ts';

/**
 * Publishes the state of an endpoint again, as if it had changed, unless it is deleted. After a restore its readers may
 * have seen what the database does not know any more.
 *
 * @example
 * ```ts
 * import { type OutboxTables, republishEndpoint } from '@fairway/outbox';
 * import type { Kysely } from 'kysely';
 *
 * declare const database: Kysely<OutboxTables>;
 * const scope = { organisationId: 'org_1', environment: 'production' } as const;
 * const parts = { publishedEventsOfEndpoint: () => [] };
 * await database
 *   .transaction()
 *   .execute((transaction) => republishEndpoint(transaction, parts, scope, 'whe_1', Date.now()));
 * ```
 */
export async function republishEndpoint(
  transaction: QueryExecutorProvider,
  { publishedEventsOfEndpoint }: Pick<Telling, 'publishedEventsOfEndpoint'>,
  scope: Scope,
  endpointId: string,
  atMs: number,
): Promise<void> {
  const found = await lockEndpoint(transaction, scope, endpointId);
  if (found === undefined) return;
  const published = publishedEventsOfEndpoint('webhook_endpoint.updated', found.kept);
  await writePublishedEvents(transaction, scope, published, atMs);
}
