import { type DatabaseConnection, type MigrationOutcome } from '@fairway/postgres';
import { type Collect, createCollect } from './collect/collect.ts';
import { createCredentials, type Credentials } from './credentials/credentials.ts';
import type { Database } from './database/database.ts';
import { openTenantDatabase } from './database/openTenantDatabase.ts';
import { createJobs, type Jobs } from './jobs/jobs.ts';
import { createSealing, type Sealing, type SealingKey } from './keys/sealing.ts';
import {
  createFingerprint,
  createSecretHasher,
  type Fingerprint,
  type SecretHasher,
} from './keys/secrets.ts';
import { openServerKey, type ServerKeyOutcome } from './keys/serverKey.ts';
import { migrate } from './migrations/migrate.ts';
import { createPayments, type Payments } from './payments/payments.ts';

/**
 * Options of a store. `serverKey`: the operator's key of 32 bytes; without it, a key is kept in the database.
 * `sealingKeys`: the first key seals recipients, and all keys open them; without any key no plan can be made.
 */
export type StoreOptions = {
  connection: DatabaseConnection;
  serverKey?: Buffer | undefined;
  sealingKeys?: readonly SealingKey[] | undefined;
  now?: () => Date;
  log?: (message: string) => void;
};

/** Everything that is kept: organisations with their credentials, payment plans with their links, and jobs. */
export type Store = Credentials & {
  payments: Payments;
  collect: Collect;
  jobs: Jobs;
  /** Keyed fingerprints of texts, under keys derived from this store's server key. */
  fingerprint: Fingerprint;
  /** Hashes secrets as the credentials of this store hold them. */
  secrets: SecretHasher;
  /** Ends the connections, once running queries are done. */
  close: () => Promise<void>;
};

/** An open store, or why there is none; `detail` is for the operator. */
export type OpenStoreOutcome =
  | { ok: true; store: Store; migrations: readonly string[] }
  | Exclude<MigrationOutcome, { ok: true }>
  | Exclude<ServerKeyOutcome, { ok: true }>;

/**
 * Brings the database up to date, checks the server key and opens the store. Throws for unusable sealing keys.
 *
 * @example
 * ```ts
 * import { openStore } from '@fairway/store';
 *
 * const opened = await openStore({ connection: { url: 'postgres://fairway@127.0.0.1/fairway' } });
 * if (!opened.ok) throw new Error(opened.detail);
 * const credentials = await opened.store.listCredentials();
 * await opened.store.close();
 * ```
 */
export async function openStore(options: StoreOptions): Promise<OpenStoreOutcome> {
  const { connection, serverKey: configured, now = () => new Date(), log = () => {} } = options;
  const sealing = createSealing(options.sealingKeys ?? []);
  const migrated = await migrate(connection, log);
  if (!migrated.ok) return migrated;
  const database = await openTenantDatabase(connection, log);
  const close = () => database.destroy();
  try {
    const key = await openServerKey(database, configured);
    if (!key.ok) {
      await close();
      return key;
    }
    const store = bindStore({ database, connection, sealing, now, serverKey: key.serverKey });
    return { ok: true, store, migrations: migrated.applied };
  } catch (cause) {
    await close();
    throw cause;
  }
}

/** What a store is made of; `database` is closed with it. */
export type StoreParts = {
  readonly database: Database;
  readonly connection: DatabaseConnection;
  readonly sealing: Sealing;
  readonly serverKey: Buffer;
  readonly now: () => Date;
};

/** Binds every operation to the same database, keys and clock. */
export function bindStore({ database, connection, sealing, serverKey, now }: StoreParts): Store {
  const secrets = createSecretHasher(serverKey);
  return {
    ...createCredentials(database, secrets, now),
    payments: createPayments(database, sealing, now),
    collect: createCollect({ database, sealing, now }),
    jobs: createJobs(database, connection, now),
    fingerprint: createFingerprint(serverKey),
    secrets,
    close: () => database.destroy(),
  };
}
