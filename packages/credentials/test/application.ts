import assert from 'node:assert/strict';
import { createEvents, type Events, type OutboxTables, outboxSchema } from '@fairway/outbox';
import { type DatabaseConnection, migrateDatabase, type Migrations, openDatabase } from '@fairway/postgres';
import type { Kysely } from 'kysely';
import {
  createCredentials,
  createSecretHasher,
  type Credentials,
  type CredentialsTables,
  credentialsSchema,
  openServerKey,
  type PublishedEventsOfCredential,
  type SecretHasher,
} from '../src/index.ts';

/** An application that has credentials and published events of its own, and nothing else. */
export type Application = Credentials & {
  readonly secrets: SecretHasher;
  readonly events: Events;
  close(): Promise<void>;
};

const MIGRATIONS: Migrations = {
  '0001-initial': {
    async up(database: Kysely<unknown>) {
      for (const part of [credentialsSchema, outboxSchema]) await part.execute(database);
    },
  },
};

/** Opens the application on a database, which it migrates. */
export async function openApplication({
  connection,
  serverKey,
  now = () => new Date(),
  publishedEventsOfCredential = () => [],
}: {
  readonly connection: DatabaseConnection;
  readonly serverKey?: Buffer;
  readonly now?: () => Date;
  readonly publishedEventsOfCredential?: PublishedEventsOfCredential;
}): Promise<Application> {
  assert.ok((await migrateDatabase(connection, MIGRATIONS, () => {})).ok);
  const database = openDatabase<CredentialsTables & OutboxTables>(connection, () => {});
  const key = await openServerKey(database, serverKey);
  assert.ok(key.ok, key.ok ? '' : key.detail);
  const secrets = createSecretHasher(key.serverKey);
  return {
    ...createCredentials({ database, hasher: secrets, publishedEventsOfCredential, now }),
    secrets,
    events: createEvents(database, now),
    close: () => database.destroy(),
  };
}
