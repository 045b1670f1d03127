import { type Collect, createCollect } from './collect/collect.ts';
import { createCredentials, type Credentials } from './credentials.ts';
import { type DatabaseConnection, openDatabase } from './database.ts';
import { createJobs, type Jobs } from './jobs/jobs.ts';
import { type MigrationOutcome, migrate } from './migrate.ts';
import { createPayments, type Payments } from './payments/payments.ts';
import { createSealing, type SealingKey } from './sealing.ts';
import { createFingerprint, createSecretHasher, type Fingerprint, type SecretHasher } from './secrets.ts';
import { openServerKey, type ServerKeyOutcome } from './serverKey.ts';

/**
 * Options of a store. `serverKey`: 32 bytes of the operator's, else one kept in the database. `sealingKeys`: the first
 * seals recipients, all open them; without any, no plan can be made.
 */
export type StoreOptions = {
  connection: DatabaseConnection;
  serverKey?: Buffer | undefined;
  sealingKeys?: readonly SealingKey[] | undefined;
  now?: () => Date;
  log?: (message: string) => void;
};

/** Everything that is kept: the organisations and their credentials, and payment plans with their links and the jobs they leave. */
export type Store = Credentials & {
  payments: Payments;
  collect: Collect;
  jobs: Jobs;
  /** Keyed fingerprints of texts, under keys derived from this store's server key. */
  fingerprint: Fingerprint;
  /** Hashes secrets the way this store's records hold them. */
  secrets: SecretHasher;
  /** Ends the connections, once running queries are done. */
  close: () => Promise<void>;
};

/** An open store, or why there is none; `detail` is for the operator. */
export type OpenStoreOutcome =
  | { ok: true; store: Store; migrations: readonly string[] }
  | Exclude<MigrationOutcome, { ok: true }>
  | Exclude<ServerKeyOutcome, { ok: true }>;

/** Brings the database up to date, checks the server key and opens the store. Throws for unusable sealing keys. */
export async function openStore(options: StoreOptions): Promise<OpenStoreOutcome> {
  const { connection, serverKey: configured, now = () => new Date(), log = () => {} } = options;
  const sealing = createSealing(options.sealingKeys ?? []);
  const migrated = await migrate(connection, log);
  if (!migrated.ok) return migrated;
  const database = openDatabase(connection, log);
  const close = () => database.destroy();
  try {
    const key = await openServerKey(database, configured);
    if (!key.ok) {
      await close();
      return key;
    }
    const secrets = createSecretHasher(key.serverKey);
    const store = {
      ...createCredentials(database, secrets, now),
      payments: createPayments(database, sealing, now),
      collect: createCollect({ database, sealing, now }),
      jobs: createJobs(database, connection, now),
      fingerprint: createFingerprint(key.serverKey),
      secrets,
      close,
    };
    return { ok: true, store, migrations: migrated.applied };
  } catch (cause) {
    await close();
    throw cause;
  }
}
