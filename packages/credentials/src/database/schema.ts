import type { OutboxTables } from '@fairway/outbox';
import type { Kysely, Selectable } from 'kysely';
import type { CredentialsTables as OwnTables } from './tables/credentials.ts';
import type { ServedEnvironmentsTables } from './tables/servedEnvironments.ts';
import type { ServerKeysTables } from './tables/serverKeys.ts';

/** Every table of credentials, with the columns that the database has. */
export type CredentialsTables = OwnTables & ServerKeysTables & ServedEnvironmentsTables;

/** The query builder over these tables and the outbox, in a transaction or outside of one. */
export type Database = Kysely<CredentialsTables & OutboxTables>;

/** A row of a table. */
export type Row<Name extends keyof CredentialsTables> = Selectable<CredentialsTables[Name]>;
