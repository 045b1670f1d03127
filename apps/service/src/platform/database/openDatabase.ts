import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Key } from '@fairway/keys';
import type { Guardian } from '@fairway/processes';
import {
  type DatabaseConnection,
  DatabaseUnavailableError,
  type EmbeddedPostgres,
  EmbeddedPostgresError,
  type EmbeddedPostgresOptions,
  startEmbeddedPostgres,
  startTemporaryPostgres,
  type TemporaryPostgresOptions,
} from '@fairway/postgres';
import { type OpenStoreOutcome, openStore, type Store, type StoreOptions } from '@fairway/store';
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import type { DatabaseConfig } from '../config/storeConfig.ts';
import { ConfigError } from '../config/error.ts';
import { databaseFolder } from '../config/dataFolder.ts';
import { untilAborted } from '../time/untilAborted.ts';
import { loadSealingKeys } from './loadSealingKeys.ts';

/** How long to wait between tries to reach a database server at start. */
const SHORTEST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 5000;

/** Opens the configured database; starts it when it is embedded. `onClose` receives the function that ends it. */
export async function openDatabase(
  config: Config,
  guardian: Guardian,
  onClose: (close: () => Promise<void>) => void,
  log: Logger,
): Promise<DatabaseConnection> {
  const { database } = config;
  if (database.kind === 'SERVER') return { url: database.url };
  const options = {
    cacheDirectory: join(config.cacheDirectory, 'postgres'),
    log: (message: string) => log.info({ part: 'postgres' }, message),
    onTemporaryFolder: guardian.removeAtEnd,
    onSpawn: (pid: number) => guardian.watch(pid),
    onExit: (pid: number) => guardian.unwatch(pid),
  };
  const { dataDirectory } = config;
  const postgres = await startPostgres(
    dataDirectory === undefined ? options : { ...options, dataDirectory: databaseFolder(dataDirectory) },
  );
  onClose(postgres.close);
  return postgres.connection;
}

/**
 * Starts the embedded PostgreSQL, on a temporary folder where none is given.
 * @throws ConfigError when the folder or this machine does not allow it.
 */
async function startPostgres(
  options: TemporaryPostgresOptions | EmbeddedPostgresOptions,
): Promise<EmbeddedPostgres> {
  try {
    return 'dataDirectory' in options
      ? await startEmbeddedPostgres(options)
      : await startTemporaryPostgres(options);
  } catch (error) {
    throw error instanceof EmbeddedPostgresError ? new ConfigError([error.message]) : error;
  }
}

/**
 * Opens the store. Waits for a server that does not answer, because services and databases start in any order. `nowMs`: the sandbox's clock, which replaces the database's.
 * @throws ConfigError when waiting cannot help: the server refuses the login, or has no such database; a key is wrong.
 */
export async function openServiceStore(
  connection: DatabaseConnection,
  {
    serverKey,
    sealingKeys,
    publishedEvents,
    database,
    environment,
  }: ServiceKeys &
    Pick<Config, 'database' | 'environment'> & { readonly publishedEvents: Required<PublishedEvents> },
  nowMs: (() => number) | undefined,
  log: Logger,
  signal: AbortSignal,
): Promise<Store> {
  const options = {
    ...{ connection, serverKey, sealingKeys, ...publishedEvents },
    ...(nowMs === undefined ? {} : { now: () => new Date(nowMs()) }),
    log: (message: string) => log.warn({ part: 'database' }, message),
  };
  return patiently(
    async () => {
      try {
        const opening = openStore(options);
        const opened = await untilAborted(signal, opening, (late) => late.ok && late.store.close());
        if (!opened.ok) throw refusedDatabase(opened);
        await opened.store.serveEnvironment(environment);
        return { ok: true, value: opened.store };
      } catch (error) {
        const fault = openingFault(error, database);
        if (!(fault instanceof DatabaseUnavailableError)) throw fault;
        return { ok: false, detail: `Waiting for the database: ${fault.message}` };
      }
    },
    log,
    signal,
  );
}

/** What others are told of changes. */
type PublishedEvents = Pick<
  StoreOptions,
  | 'publishedEventsOfPlan'
  | 'publishedEventsOfRecipient'
  | 'publishedEventsOfEndpoint'
  | 'publishedEventsOfReport'
  | 'publishedEventsOfStatement'
  | 'publishedEventsOfCredential'
>;

/** The keys of a store, read from their sources. */
type ServiceKeys = Pick<Config, 'serverKey'> & { readonly sealingKeys: readonly Key[] };

/**
 * Reads the sealing keys once, for all that needs them; waits for the service that unwraps them.
 * @throws ConfigError for a key that cannot be used.
 */
export async function loadServiceKeys(
  config: Config,
  log: Logger,
  signal: AbortSignal,
): Promise<readonly Key[]> {
  return patiently(
    async () => {
      const loaded = await untilAborted(signal, loadSealingKeys(config.sealingKeys), () => {});
      if (loaded.ok) return { ok: true, value: loaded.keys };
      if (loaded.reason === 'KEY_UNUSABLE') throw new ConfigError([`FAIRWAY_SEALING_KEYS: ${loaded.detail}`]);
      return { ok: false, detail: `Waiting for a sealing key: ${loaded.detail}` };
    },
    log,
    signal,
  );
}

type Tried<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly detail: string };

/** Repeats an attempt until it succeeds, throws or is aborted, and logs what is waited for. */
async function patiently<T>(attempt: () => Promise<Tried<T>>, log: Logger, signal: AbortSignal): Promise<T> {
  for (let waitMs = SHORTEST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
    const tried = await attempt();
    if (tried.ok) return tried.value;
    log.warn(tried.detail);
    await sleep(waitMs, undefined, { signal });
  }
}

/** The setting that a refusal is about, as its line begins. */
const FAULTY_SETTINGS = {
  DATABASE_NEWER: '',
  FINGERPRINT_KEY_MISSING: '',
  FINGERPRINT_KEY_KNOWN: '--lost-fingerprints: ',
  SERVER_KEY_INVALID: 'FAIRWAY_SERVER_KEY: ',
  SERVER_KEY_MISSING: 'FAIRWAY_SERVER_KEY: ',
  SERVER_KEY_MISMATCH: 'FAIRWAY_SERVER_KEY: ',
  SEALING_KEY_MISSING: 'FAIRWAY_SEALING_KEYS: ',
  SEALING_KEY_WRONG: 'FAIRWAY_SEALING_KEYS: ',
  SEALING_KEY_UNKNOWN: '--lost: ',
} as const;

/** The configuration error that keeps the database from being opened. */
export function refusedDatabase({ reason, detail }: Exclude<OpenStoreOutcome, { ok: true }>): ConfigError {
  return new ConfigError([`${FAULTY_SETTINGS[reason]}${detail}`]);
}

/** What opening the database threw. A login that the operator's server refuses is a fault of the configuration. */
export function openingFault(error: unknown, { kind }: DatabaseConfig): unknown {
  const isAway = error instanceof DatabaseUnavailableError;
  if (!isAway || !error.isRefused || kind !== 'SERVER') return error;
  return new ConfigError([
    `DATABASE_URL: the server refuses it (${error.message}). Correct the user, the password or the name of the database.`,
  ]);
}
