import type { Kysely } from 'kysely';
import type { Tables } from './schema.ts';

/** The query builder over Fairway's tables, in a transaction or outside of one. */
export type Database = Kysely<Tables>;
