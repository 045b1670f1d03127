import { existsSync } from 'node:fs';
import type { KeyRefusal, KeySource } from '@fairway/keys';
import {
  type DatabaseConnection,
  type DatabaseLimits,
  EmbeddedPostgresError,
  openCommandPostgres,
} from '@fairway/postgres';
import { openStore, type Store } from '@fairway/store';
import { readStoreConfig, type StoreConfig } from '../platform/config/storeConfig.ts';
import { ConfigError } from '../platform/config/error.ts';
import { openingFault, refusedDatabase } from '../platform/database/openDatabase.ts';
import { databaseFolder, prepareDataFolder } from '../platform/config/dataFolder.ts';
import { createPlanPublishing } from '../parts/payments/index.ts';
import { PUBLISHED_EVENTS } from '../publishedEvents.ts';
import { loadSealingKeys } from '../platform/database/loadSealingKeys.ts';
import { CommandError } from './commandError.ts';
import type { Terminal } from './terminal.ts';

/**
 * The sealing keys that a command needs; most commands need none. `lostKeyId` and `lostFingerprintKey`: the key that the
 * command declares to be lost. `limits`: absent for the limits that requests have.
 */
export type CommandKeys = {
  readonly sealingKeys: readonly KeySource[];
  readonly lostKeyId?: string | undefined;
  readonly lostFingerprintKey?: boolean | undefined;
  readonly limits?: DatabaseLimits;
};

/** A store that is open while one command runs. */
export type CommandStore = { readonly store: Store; close(): Promise<void> };

/**
 * Opens the store that a command works on: the database of DATABASE_URL, else the database of the data folder. When a
 * service runs on the folder, its database server is used; otherwise a server is started for this command.
 * @throws ConfigError when there is no database to open; DatabaseUnavailableError when it does not answer.
 */
export async function openCommandStore(
  data: string | undefined,
  { environment }: Terminal,
  mayMake: boolean,
  { sealingKeys: sources, ...options }: CommandKeys = { sealingKeys: [] },
): Promise<CommandStore> {
  const config = readStoreConfig(data, environment);
  const loaded = await loadSealingKeys(sources);
  if (!loaded.ok) throw keyRefused(loaded);
  const place = await openDatabasePlace(config, mayMake);
  const { serverKey } = config;
  const { publishedEventsOfPlan } = createPlanPublishing();
  const keys = {
    serverKey,
    sealingKeys: loaded.keys,
    publishedEventsOfPlan,
    ...PUBLISHED_EVENTS,
    ...options,
  };
  const opened = await openStore({ connection: place.connection, ...keys }).catch(async (error: unknown) => {
    await place.close();
    throw openingFault(error, config.database);
  });
  if (!opened.ok) {
    await place.close();
    throw refusedDatabase(opened);
  }
  return {
    store: opened.store,
    async close() {
      await opened.store.close();
      await place.close();
    },
  };
}

/** The error of a command that has no key. `variable`: the setting that named the key, for a ConfigError. */
export function keyRefused({ reason, detail }: KeyRefusal, variable?: string): ConfigError | CommandError {
  return reason === 'KEY_UNAVAILABLE'
    ? new CommandError(reason, detail)
    : new ConfigError([variable === undefined ? detail : `${variable}: ${detail}`]);
}

/** A database that is reachable while one command runs. */
export type DatabasePlace = { readonly connection: DatabaseConnection; close(): Promise<void> };

/**
 * Finds the database of a command or starts it; creates a new database only when `mayMake` is true.
 * @throws ConfigError
 */
export async function openDatabasePlace(
  { database, cacheDirectory }: StoreConfig,
  mayMake: boolean,
): Promise<DatabasePlace> {
  if (database.kind === 'SERVER') return { connection: { url: database.url }, close: async () => {} };
  if (database.dataDirectory === undefined) {
    throw new ConfigError([
      "Which database? Give --data DIR, the service's data folder, or set DATABASE_URL. " +
        '(A sandbox started without --data forgets everything at its end; start it with one.)',
    ]);
  }
  return openFolder(database.dataDirectory, cacheDirectory, mayMake);
}

async function openFolder(data: string, cacheDirectory: string, mayMake: boolean): Promise<DatabasePlace> {
  const folder = databaseFolder(data);
  if (!existsSync(folder) && !mayMake) {
    throw new ConfigError([`There is no database in ${data}. Is it the service's data folder?`]);
  }
  prepareDataFolder(data);
  try {
    const place = await openCommandPostgres({
      ...{ lockedDirectory: data, dataDirectory: folder, cacheDirectory, role: 'SERVICE' },
    });
    if (place.ok) return place;
    throw new ConfigError([place.detail]);
  } catch (error) {
    throw error instanceof EmbeddedPostgresError ? new ConfigError([error.message]) : error;
  }
}
