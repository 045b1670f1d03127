import {
  type DatabaseClock,
  type DatabaseConnection,
  type DatabaseLimits,
  LONG_LIMITS,
  type MigrationOutcome,
  startDatabaseClock,
} from '@fairway/postgres';
import { type Collect, createCollect } from './collect/collect.ts';
import {
  createCredentials,
  createSecretHasher,
  type Credentials,
  openServerKey,
  type PublishedEventsOfCredential,
  type SecretHasher,
  type ServerKeyOutcome,
} from '@fairway/credentials';
import type { Database } from './database/database.ts';
import { openTenantDatabase } from './database/openTenantDatabase.ts';
import {
  createEvents,
  createWebhooks,
  type Events,
  type PublishedEventsOfEndpoint,
  type Webhooks,
} from '@fairway/outbox';
import type { PublishedEventsOfPlan } from './payments/changeParts.ts';
import { addEndpointMailJob } from './notifications/endpointMailTask.ts';
import { createJobs, type Jobs } from './jobs.ts';
import {
  type FingerprintKeyRefusal,
  openFingerprintKey,
  replaceFingerprintKey,
  replaceMissingKey,
} from './keys/fingerprintKey.ts';
import { createFingerprints, type Fingerprint, type FingerprintKey } from './keys/fingerprints.ts';
import { checkSealingKeys, findUsedKey, type UnknownKey, type WrongKey } from './keys/keyChecks.ts';
import { createEndToEndId, type EndToEndId } from './keys/endToEndIds.ts';
import { createPageStates, type PageStates } from './keys/pageStates.ts';
import { createPlanTag, type PlanTag } from './keys/planTags.ts';
import { createSealing, type Sealing, type Key } from '@fairway/keys';
import { migrate } from './migrations/migrate.ts';
import { createOperator, type Operator } from './operator/operator.ts';
import { createLedgerAudit, type LedgerAudit } from './operator/auditLedger.ts';
import { createPayments, type Payments } from './payments/payments.ts';
import { createRecord, type RecordStore } from './record/record.ts';
import { createRegisteredRecipients, type RegisteredRecipients } from './recipients/registeredRecipients.ts';
import { createReports, type Reports } from './reports/reports.ts';
import type { PublishedEventsOfReport } from './reports/changeReport.ts';
import type { PublishedEventsOfRecipient } from './recipients/registeredParts.ts';
import type { PublishedEventsOfStatement } from './reconciliation/statement.ts';
import { createStatements, type Statements } from './reconciliation/statements.ts';

/**
 * Options of a store. `serverKey`: the operator's key of 32 bytes; without it, a key is kept in the database.
 * `sealingKeys`: the first key seals recipients, and all keys open them; without any key no plan can be made.
 * `lostKeyId`: a sealing key that is lost for ever; if it wraps the key of the fingerprints, that key is replaced.
 * `lostFingerprintKey`: the key of the fingerprints is missing for ever and is replaced. `limits`: those of requests,
 * unless given.
 * `now`: the clock to use in place of the database's, as in the sandbox. `publishedEventsOfPlan`, `publishedEventsOfRecipient`, `publishedEventsOfReport`,
 * `publishedEventsOfStatement`, `publishedEventsOfEndpoint` and `publishedEventsOfCredential` make the published events. They tell of changes of
 * plans, registered recipients, reports, statements, webhook endpoints and credentials. Without them no event is
 * published.
 */
export type StoreOptions = {
  connection: DatabaseConnection;
  serverKey?: Buffer | undefined;
  sealingKeys?: readonly Key[] | undefined;
  lostKeyId?: string | undefined;
  lostFingerprintKey?: boolean | undefined;
  limits?: DatabaseLimits | undefined;
  now?: () => Date;
  publishedEventsOfPlan?: PublishedEventsOfPlan;
  publishedEventsOfRecipient?: PublishedEventsOfRecipient;
  publishedEventsOfEndpoint?: PublishedEventsOfEndpoint;
  publishedEventsOfReport?: PublishedEventsOfReport;
  publishedEventsOfStatement?: PublishedEventsOfStatement;
  publishedEventsOfCredential?: PublishedEventsOfCredential;
  log?: (message: string) => void;
};

/**
 * Everything that is kept. It holds organisations with their credentials, registered recipients, payment plans with their
 * links, and reports. It also holds events with their endpoints, jobs, and the record of each chain.
 */
export type Store = Credentials & {
  payments: Payments;
  recipients: RegisteredRecipients;
  reports: Reports;
  statements: Statements;
  collect: Collect;
  events: Events;
  webhooks: Webhooks;
  jobs: Jobs;
  record: RecordStore;
  ledger: LedgerAudit;
  operator: Operator;
  /**
   * Keyed fingerprints of texts, under keys derived from this store's own. Those of recipients and requests throw
   * without a sealing key.
   */
  fingerprint: Fingerprint;
  /** The tags of the attempts of plans, under a key derived from the server key. */
  planTag: PlanTag;
  /** The end-to-end ids of payments, under a key derived from the server key. */
  endToEndId: EndToEndId;
  /** Seals the states of recipients' pages, under a key derived from the server key. */
  pageStates: PageStates;
  /** Hashes secrets as the credentials of this store hold them. */
  secrets: SecretHasher;
  /** The database's clock, or the one that the store was opened with. It decides what ends, and when. */
  clock: StoreClock;
  /** Ends the connections, once running queries are done. */
  close: () => Promise<void>;
};

/**
 * The clock of a store. `aheadMs`: how far this machine's clock is ahead of the database's, negative where it is
 * behind. It is 0 for a store with a clock of its own.
 */
export type StoreClock = Pick<DatabaseClock, 'nowMs' | 'aheadMs'>;

/** An open store, or why there is none; `detail` is for the operator. */
export type OpenStoreOutcome =
  | { ok: true; store: Store; migrations: readonly string[] }
  | Exclude<MigrationOutcome, { ok: true }>
  | KeyRefusal;

type KeyRefusal = Exclude<ServerKeyOutcome, { ok: true }> | FingerprintKeyRefusal | WrongKey | UnknownKey;

/**
 * Brings the database up to date, checks the server key and the sealing keys, and opens the store. Throws for sealing
 * keys of a wrong length, for two of one id, and a DatabaseUnavailableError.
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
  const { connection, log = () => {} } = options;
  const sealing = createSealing(options.sealingKeys ?? []);
  const migrated = await migrate(connection, log);
  if (!migrated.ok) return migrated;
  const database = await openTenantDatabase(connection, log, options.limits);
  const close = () => database.destroy();
  try {
    const keys = await openKeys(database, log, sealing, options);
    if (!keys.ok) {
      await close();
      return keys;
    }
    const { serverKey, fingerprintKey } = keys;
    const clock = await openClock(database, options);
    const {
      publishedEventsOfPlan = () => [],
      publishedEventsOfRecipient = () => [],
      publishedEventsOfReport = () => [],
      publishedEventsOfStatement = () => [],
      publishedEventsOfEndpoint = () => [],
      publishedEventsOfCredential = () => [],
    } = options;
    const published = {
      publishedEventsOfPlan,
      publishedEventsOfRecipient,
      publishedEventsOfReport,
      publishedEventsOfStatement,
      publishedEventsOfEndpoint,
      publishedEventsOfCredential,
    };
    const store = bindStore({
      database,
      connection,
      sealing,
      clock,
      serverKey,
      fingerprintKey,
      ...published,
    });
    return { ok: true, store, migrations: migrated.applied };
  } catch (cause) {
    await close();
    throw cause;
  }
}

/** The clock that was given, or else the database's. */
async function openClock(database: Database, { now }: StoreOptions): Promise<DatabaseClock> {
  if (now === undefined) return startDatabaseClock(database);
  return { nowMs: () => now().getTime(), aheadMs: () => 0, close: () => {} };
}

/** What a store is made of; `database` and `clock` are closed with it. */
export type StoreParts = {
  readonly database: Database;
  readonly connection: DatabaseConnection;
  readonly sealing: Sealing;
  readonly serverKey: Buffer;
  /** Undefined without a sealing key. */
  readonly fingerprintKey: FingerprintKey | undefined;
  readonly clock: DatabaseClock;
  readonly publishedEventsOfPlan: PublishedEventsOfPlan;
  readonly publishedEventsOfRecipient: PublishedEventsOfRecipient;
  readonly publishedEventsOfEndpoint: PublishedEventsOfEndpoint;
  readonly publishedEventsOfReport: PublishedEventsOfReport;
  readonly publishedEventsOfStatement: PublishedEventsOfStatement;
  readonly publishedEventsOfCredential: PublishedEventsOfCredential;
};

/** Binds every operation to the same database, keys and clock. */
export function bindStore(parts: StoreParts): Store {
  const {
    database,
    connection,
    sealing,
    serverKey,
    clock,
    publishedEventsOfPlan,
    publishedEventsOfRecipient,
    publishedEventsOfEndpoint,
    publishedEventsOfStatement,
    publishedEventsOfReport,
    publishedEventsOfCredential,
  } = parts;
  const now = () => new Date(clock.nowMs());
  const endToEndId = createEndToEndId(serverKey);
  const change = { now, publishedEventsOfPlan, endToEndId };
  const secrets = createSecretHasher(serverKey);
  const fingerprints = createFingerprints(serverKey, parts.fingerprintKey);
  return {
    ...createCredentials({ database, hasher: secrets, publishedEventsOfCredential, now }),
    payments: createPayments(database, sealing, fingerprints, change),
    recipients: createRegisteredRecipients({ database, sealing, fingerprints, publishedEventsOfRecipient }),
    reports: createReports({ database, publishedEventsOfReport }),
    statements: createStatements({ database, sealing, fingerprints, publishedEventsOfStatement }),
    collect: createCollect({ database, sealing, fingerprints, ...change }),
    events: createEvents(database, now),
    webhooks: createWebhooks({
      database,
      sealing,
      comparable: fingerprints.comparable,
      publishedEventsOfEndpoint,
      addNotice: addEndpointMailJob,
    }),
    jobs: createJobs(database, connection, now),
    record: createRecord(database),
    ledger: createLedgerAudit(database),
    operator: createOperator(database, {
      ...change,
      publishedEventsOfRecipient,
      publishedEventsOfEndpoint,
      publishedEventsOfStatement,
      publishedEventsOfReport,
    }),
    fingerprint: fingerprints.fingerprint,
    planTag: createPlanTag(serverKey),
    endToEndId,
    pageStates: createPageStates(serverKey),
    secrets,
    clock: { nowMs: clock.nowMs, aheadMs: clock.aheadMs },
    close: () => {
      clock.close();
      return database.destroy();
    },
  };
}

/**
 * Opens the server key, and the key that the sealing keys wrap. That takes the limits of long work: where the key of the
 * fingerprints is missing, all plans are read.
 */
async function openKeys(
  database: Database,
  log: (message: string) => void,
  sealing: Sealing,
  options: StoreOptions,
): Promise<{ ok: true; serverKey: Buffer; fingerprintKey: FingerprintKey | undefined } | KeyRefusal> {
  const key = await openServerKey(database, options.serverKey);
  if (!key.ok) return key;
  const patient = await openTenantDatabase(options.connection, log, LONG_LIMITS);
  try {
    const guard = await openGuard(patient, sealing, options);
    return guard.ok ? { ...guard, serverKey: key.serverKey } : guard;
  } finally {
    await patient.destroy();
  }
}

/** Checks the sealing keys and opens the key that they wrap. Without a sealing key there is nothing to open. */
export async function openGuard(
  database: Database,
  sealing: Sealing,
  {
    sealingKeys = [],
    lostKeyId,
    lostFingerprintKey = false,
  }: Pick<StoreOptions, 'sealingKeys' | 'lostKeyId' | 'lostFingerprintKey'>,
): Promise<
  | { readonly ok: true; readonly fingerprintKey: FingerprintKey | undefined }
  | FingerprintKeyRefusal
  | WrongKey
  | UnknownKey
> {
  if (sealingKeys.length === 0) return { ok: true, fingerprintKey: undefined };
  const checked = await checkSealingKeys(database, sealingKeys);
  if (!checked.ok) return checked;
  if (lostKeyId !== undefined) {
    const used = await findUsedKey(database, lostKeyId);
    if (!used.ok) return used;
    await replaceFingerprintKey(database, sealing, lostKeyId);
  }
  if (lostFingerprintKey) {
    const replaced = await replaceMissingKey(database, sealing);
    if (!replaced.ok) return replaced;
  }
  return openFingerprintKey(database, sealing);
}
