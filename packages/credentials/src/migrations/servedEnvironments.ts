import { sql } from 'kysely';

/** The environments that an application serves, or has served, on this database. */
export const servedEnvironments = sql`
  create table served_environments (
    environment text primary key check (environment in ('sandbox', 'production'))
  )`;
