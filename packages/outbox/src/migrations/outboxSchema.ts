import { type RawBuilder, sql } from 'kysely';
import { events } from './events.ts';
import { recoveries } from './recoveries.ts';
import { webhooks } from './webhooks.ts';

/**
 * What makes the tables of the outbox, for the first migration of an application. Its table `organisations`, with the
 * primary key `id`, must be there before.
 */
export const outboxSchema: RawBuilder<unknown> = sql.join([recoveries, events, webhooks], sql`;`);
