import type { Kysely, Selectable, Updateable } from 'kysely';
import type { EventsTables } from './tables/events.ts';
import type { RecoveriesTables } from './tables/recoveries.ts';
import type { WebhooksTables } from './tables/webhooks.ts';

/** Every table of the outbox, with the columns that the database has. */
export type OutboxTables = RecoveriesTables & EventsTables & WebhooksTables;

/** The query builder over these tables, in a transaction or outside of one. That of an application has tables of its own, too. */
export type Database = Kysely<OutboxTables>;

/** A row of a table. */
export type Row<Name extends keyof OutboxTables> = Selectable<OutboxTables[Name]>;

/** New values of some columns of a row. An object with it names no column that the table has not. */
export type RowChange<Name extends keyof OutboxTables> = Updateable<OutboxTables[Name]>;
