import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { SocketConnection } from '../connection/connection.ts';
import { pause } from '../time/pause.ts';
import { prepareDataDirectory, syncFolder } from './dataDirectory.ts';
import { EmbeddedPostgresError, reasonOf } from './embeddedPostgresError.ts';
import { locateBinaries } from './postgresBinaries.ts';
import {
  endOrphan,
  endProcesses,
  removeSocketFolder,
  SERVICE_ROLE,
  SOCKET_FOLDER_PREFIX,
} from './postgresProcesses.ts';
import {
  type PostgresServer,
  type ServerPlace,
  spawnServer,
  stopServer,
  waitUntilReady,
} from './postgresServer.ts';
import { choosePostgresUser, type PostgresUser, temporaryFolders } from './postgresUser.ts';

/** Options of a PostgreSQL that we run ourselves. */
export type TemporaryPostgresOptions = {
  /** Keeps an initialised template, so that only the very first start pays for initdb. */
  cacheDirectory?: string;
  log: (message: string) => void;
  /** Called with each folder that `close` removes, once it exists, so that a guardian can remove it after a kill. */
  onTemporaryFolder?: (path: string) => void;
  /** Called with the postmaster's process id before every start and at every end, so that a guardian can watch it. */
  onSpawn?: (pid: number) => void;
  onExit?: (pid: number) => void;
};

/** The same options, with a data folder that the caller has locked. The folder is made when it is absent. */
export type EmbeddedPostgresOptions = TemporaryPostgresOptions & { dataDirectory: string };

/** A running PostgreSQL of our own. */
export type EmbeddedPostgres = {
  connection: SocketConnection;
  /** The postmaster's process id; `undefined` while it is down. */
  pid: () => number | undefined;
  /** Shuts the server down (fast, by force after 2.5 s) and removes the temporary folders. */
  close: () => Promise<void>;
};

/**
 * Runs PostgreSQL on the data folder, behind a UNIX socket only. An orphan that a killed owner left on the folder is
 * ended first; a server that ends unexpectedly is started again at the same socket.
 * Throws EmbeddedPostgresError, whose message names the folder, the reason and the remedy.
 *
 * @example
 * ```ts
 * import { startEmbeddedPostgres } from '@fairway/postgres';
 *
 * const postgres = await startEmbeddedPostgres({ dataDirectory: '/var/lib/app/database', log: console.log });
 * console.log(postgres.connection.host); // the folder of the socket
 * await postgres.close();
 * ```
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const dataDirectory = resolve(options.dataDirectory);
  const { origin, ...postgres } = await start({ ...options, dataDirectory });
  if (origin === 'MADE') await syncFolder(dataDirectory);
  return postgres;
}

/**
 * Runs PostgreSQL on a new data folder in the temporary folder. `close` removes the data folder.
 *
 * @example
 * ```ts
 * import { startTemporaryPostgres } from '@fairway/postgres';
 *
 * const postgres = await startTemporaryPostgres({ cacheDirectory: '.cache', log: () => {} });
 * await postgres.close();
 * ```
 */
export async function startTemporaryPostgres(options: TemporaryPostgresOptions): Promise<EmbeddedPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'fairway-database-'));
  options.onTemporaryFolder?.(folder);
  const removeFolder = () => rm(folder, { recursive: true, force: true, maxRetries: 3 });
  try {
    const postgres = await start({ ...options, dataDirectory: join(folder, 'data') });
    return {
      connection: postgres.connection,
      pid: postgres.pid,
      close: async () => {
        await postgres.close();
        await removeFolder();
      },
    };
  } catch (cause) {
    await removeFolder();
    throw cause;
  }
}

async function start(
  options: EmbeddedPostgresOptions,
): Promise<EmbeddedPostgres & { origin: 'MADE' | 'FOUND' }> {
  const { dataDirectory, cacheDirectory, log } = options;
  const user = choosePostgresUser();
  const binaries = await locateBinaries(user, log);
  const origin = await prepareDataDirectory({ dataDirectory, cacheDirectory, binaries, user, log });
  await endOrphan(dataDirectory, log);
  const socketDirectory = makeSocketFolder(user);
  options.onTemporaryFolder?.(socketDirectory);
  try {
    const place = { dataDirectory, socketDirectory, binaries, user, log };
    const supervised = await supervise(place, options);
    return {
      origin,
      connection: { host: socketDirectory, user: SERVICE_ROLE, database: SERVICE_ROLE },
      pid: supervised.pid,
      close: async () => {
        await supervised.close();
        removeSocketFolder(socketDirectory);
      },
    };
  } catch (cause) {
    removeSocketFolder(socketDirectory);
    throw cause;
  }
}

/** Makes a folder for the socket of one run, with a short name. Only its owner can enter it. */
function makeSocketFolder(user: PostgresUser | undefined): string {
  const longestSocketPath = process.platform === 'linux' ? 107 : 103;
  const suffix = '/.s.PGSQL.5432.lock'.length + SOCKET_FOLDER_PREFIX.length + '/XXXXXX'.length;
  for (const parent of temporaryFolders(user)) {
    if (Buffer.byteLength(parent) + suffix > longestSocketPath) continue;
    const folder = mkdtempSync(join(parent, SOCKET_FOLDER_PREFIX));
    if (user !== undefined) chownSync(folder, user.uid, user.gid);
    return folder;
  }
  throw new EmbeddedPostgresError(
    `No temporary folder is short enough, writable and open to ${user?.name ?? 'us'} for PostgreSQL's socket ` +
      `(tried ${tmpdir()}, /tmp, /var/tmp, /dev/shm). Point TMPDIR at one, or set DATABASE_URL.`,
  );
}

type Supervised = { pid: () => number | undefined; close: () => Promise<void> };
type Watchers = Pick<TemporaryPostgresOptions, 'onSpawn' | 'onExit'>;

const SHORTEST_BACK_OFF_MS = 50;
const LONGEST_BACK_OFF_MS = 5_000;

async function supervise(place: ServerPlace, watchers: Watchers): Promise<Supervised> {
  const closing = new AbortController();
  let current: PostgresServer | undefined;

  const startOnce = async () => {
    const server = await spawnServer(place, (pid) => watchers.onSpawn?.(pid));
    current = server;
    void server.ended.then(() => {
      if (current === server) current = undefined;
      watchers.onExit?.(server.pid);
    });
    try {
      await waitUntilReady(server, place);
    } catch (cause) {
      await stopServer(server);
      throw cause;
    }
    return server;
  };

  const keepRunning = async (first: PostgresServer) => {
    let server: PostgresServer | undefined = first;
    for (let backOffMs = SHORTEST_BACK_OFF_MS; !closing.signal.aborted; ) {
      if (server !== undefined) {
        const upSinceMs = performance.now();
        const how = await server.ended;
        if (closing.signal.aborted) return;
        place.log(
          `PostgreSQL ended unexpectedly (${how}); starting it again. ${server.lastLines().slice(-500)}`,
        );
        if (performance.now() - upSinceMs > LONGEST_BACK_OFF_MS) backOffMs = SHORTEST_BACK_OFF_MS;
      }
      await pause(backOffMs, closing.signal);
      backOffMs = Math.min(backOffMs * 2, LONGEST_BACK_OFF_MS);
      if (closing.signal.aborted) return;
      server = await restart(place, startOnce);
    }
  };

  const loop = keepRunning(await startOnce());
  let closed: Promise<void> | undefined;
  const close = async () => {
    closing.abort();
    // The loop may be in the middle of a restart, which then leaves another server to stop.
    if (current !== undefined) await stopServer(current);
    await loop;
    if (current !== undefined) await stopServer(current);
  };
  return { pid: () => current?.pid, close: () => (closed ??= close()) };
}

async function restart(
  place: ServerPlace,
  startOnce: () => Promise<PostgresServer>,
): Promise<PostgresServer | undefined> {
  try {
    // Backends outlive a killed postmaster for a moment and would hold its shared memory.
    await endProcesses(place.dataDirectory, place.log);
    for (const name of ['.s.PGSQL.5432', '.s.PGSQL.5432.lock']) {
      rmSync(join(place.socketDirectory, name), { force: true });
    }
    rmSync(join(place.dataDirectory, 'postmaster.pid'), { force: true });
    const server = await startOnce();
    place.log('PostgreSQL runs again');
    return server;
  } catch (cause) {
    place.log(`PostgreSQL could not be started again: ${reasonOf(cause)}`);
    return undefined;
  }
}
