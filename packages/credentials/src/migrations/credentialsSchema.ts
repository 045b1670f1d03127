import { type RawBuilder, sql } from 'kysely';
import { credentials } from './credentials.ts';
import { servedEnvironments } from './servedEnvironments.ts';
import { serverKeys } from './serverKeys.ts';

/** What makes the tables of organisations, credentials and the server key, for the first migration of an application. */
export const credentialsSchema: RawBuilder<unknown> = sql.join(
  [credentials, serverKeys, servedEnvironments],
  sql`;`,
);
