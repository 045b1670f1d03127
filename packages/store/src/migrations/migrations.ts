import type { Migration } from 'kysely/migration';
import { initial } from './0001Initial.ts';

/** Every migration, in the order of its name. A released migration is never changed. */
export const MIGRATIONS: Readonly<Record<string, Migration>> = { '0001-initial': initial };
