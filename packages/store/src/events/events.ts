import type { Database } from '../database/database.ts';
import type { Environment } from '../database/schema.ts';
import type { PlanScope } from '../plans/planScope.ts';
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
  list(scope: PlanScope, ask: EventAsk): Promise<ListedEvents>;
  /** An organisation's events that were asked for again. */
  resends(scope: PlanScope, ask: ResendAsk): Promise<Resends>;
};

/** Binds the operations to a database. */
export function createEvents(database: Database, now: () => Date): Events {
  return {
    publish: (environment) => publish(database, environment, now().getTime()),
    heard: (environment, after) => heard(database, environment, after),
    prune: (environment, before) => prune(database, environment, before),
    list: (scope, ask) => listEvents(database, scope, ask),
    resends: (scope, ask) => listResends(database, scope, ask),
  };
}
