import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { lockDirectory, startGuardian } from '@fairway/processes';
import { connectToRunning, type DatabaseConnection } from '@fairway/postgres';
import { openStore, type Store } from '@fairway/store';
import { readStoreConfig, type StoreConfig } from '../config/config.ts';
import { ConfigError } from '../config/configError.ts';
import { configFault, startPostgres } from '../database/openDatabase.ts';
import { databaseFolder, prepareDataFolder } from '../config/dataFolder.ts';
import { CommandError } from './commandError.ts';

/** How long a command waits for another process to give way. */
const patienceMs = 10_000;

/** A store for the length of one command. */
export type CommandStore = { readonly store: Store; close(): Promise<void> };

/**
 * Opens the store a command works on: DATABASE_URL's, else the data folder's. A running service is joined;
 * where none runs, the folder's database is started for the length of the command.
 * @throws ConfigError when there is no database to open, with what to do about it; CommandError when it is away.
 */
export async function openCommandStore(data: string | undefined, mayMake: boolean): Promise<CommandStore> {
  const config = readStoreConfig(data);
  const place = await openDatabasePlace(config, mayMake);
  const { serverKey, sealingKeys } = config;
  const opened = await openStore({ connection: place.connection, serverKey, sealingKeys }).catch(
    async (error: unknown) => {
      await place.close();
      throw error;
    },
  );
  if (!opened.ok) {
    await place.close();
    throw refusedDatabase(opened, config);
  }
  return {
    store: opened.store,
    async close() {
      await opened.store.close();
      await place.close();
    },
  };
}

/** What to tell whoever gave a command whose database cannot be opened. */
export function refusedDatabase(
  refusal: Parameters<typeof configFault>[0],
  { database }: StoreConfig,
): ConfigError | CommandError {
  const fault = configFault(refusal, database);
  return fault ?? new CommandError('DATABASE_UNAVAILABLE', `The database does not answer: ${refusal.detail}`);
}

/** A database for the length of one command. */
export type DatabasePlace = { readonly connection: DatabaseConnection; close(): Promise<void> };

/** Finds the database of a command, or starts it; makes one only where `mayMake` says so. @throws ConfigError */
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
  const place = await patiently(() => joinOrStart(data, folder, cacheDirectory));
  if (!place.ok) throw new ConfigError([place.detail]);
  return place;
}

type Refused = { readonly ok: false; readonly detail: string };

/** Tries until it is granted, for as long as a start or an end of another process may take. */
async function patiently<T extends { readonly ok: boolean }>(attempt: () => T | Promise<T>): Promise<T> {
  const deadlineMs = performance.now() + patienceMs;
  for (;;) {
    const outcome = await attempt();
    if (outcome.ok || performance.now() > deadlineMs) return outcome;
    await sleep(100);
  }
}

async function joinOrStart(
  data: string,
  folder: string,
  cacheDirectory: string,
): Promise<(DatabasePlace & { readonly ok: true }) | Refused> {
  // Held as a service holds it, so that neither starts a second server on the same files. A server that another
  // command started for itself is not joined: it ends with that command.
  const locked = lockDirectory(data, 'COMMAND');
  if (!locked.ok) {
    const running = locked.role === 'SERVICE' ? connectToRunning(folder) : undefined;
    return running === undefined ? locked : { ok: true, connection: running, close: async () => {} };
  }
  // Ends the server when this command is interrupted.
  const guardian = await startGuardian();
  try {
    const postgres = await startPostgres({
      dataDirectory: folder,
      cacheDirectory: join(cacheDirectory, 'postgres'),
      log: () => {},
      onTemporaryFolder: guardian.removeAtEnd,
      onSpawn: (pid) => guardian.watch(pid, 'SIGINT'),
      onExit: (pid) => guardian.unwatch(pid),
    });
    return {
      ok: true,
      connection: postgres.connection,
      async close() {
        await postgres.close();
        await guardian.close();
        locked.lock.release();
      },
    };
  } catch (error) {
    await guardian.close();
    locked.lock.release();
    throw error;
  }
}
