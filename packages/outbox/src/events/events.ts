import type { Database } from '../database/schema.ts';
import type { Environment, Scope } from '@fairway/values';
import { type Heard, type HeardPlace, heard } from './heard.ts';
import { type EventAsk, type ListedEvents, listEvents } from './listEvents.ts';
import { prune, publish } from './publish.ts';
import { listResends, type ResendAsk, type Resends } from './resends.ts';

/**
 * Published events. They are written with the changes that they tell of; here they get the order in which they are
 * read.
 */
export type Events = {
  /** Gives committed events the positions by which they are read, and returns how many. Many processes can run this. */
  publish(environment: Environment): Promise<{ readonly published: number }>;
  /** For which organisations events were published, or asked for again, after a place. */
  heard(environment: Environment, after: HeardPlace | undefined): Promise<Heard>;
  /** Deletes a part of the events from before a time, and returns how many. */
  prune(environment: Environment, before: Date): Promise<{ readonly pruned: number }>;
  /** An organisation's events, oldest first. */
  list(scope: Scope, ask: EventAsk): Promise<ListedEvents>;
  /** An organisation's events that were asked for again. */
  resends(scope: Scope, ask: ResendAsk): Promise<Resends>;
};

/**
 * Binds the operations to a database.
 *
 * @example
 * ```ts
 * import { createEvents, type OutboxTables } from '@fairway/outbox';
 * import type { Kysely } from 'kysely';
 *
 * declare const database: Kysely<OutboxTables>;
 * const events = createEvents(database, () => new Date());
 * await events.publish('production');
 * const scope = { organisationId: 'org_1', environment: 'production' } as const;
 * const listed = await events.list(scope, { limit: 100, types: ['relay.transaction.'] });
 * if (!listed.ok) throw new Error(listed.reason);
 * ```
 */
export function createEvents(database: Database, now: () => Date): Events {
  return {
    publish: (environment) => publish(database, environment, now().getTime()),
    heard: (environment, after) => heard(database, environment, after),
    prune: (environment, before) => prune(database, environment, before),
    list: (scope, ask) => listEvents(database, scope, ask),
    resends: (scope, ask) => listResends(database, scope, ask),
  };
}
