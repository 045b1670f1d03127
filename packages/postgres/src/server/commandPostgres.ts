import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { lockDirectory, startGuardian } from '@fairway/processes';
import type { DatabaseConnection } from '../connection/connection.ts';
import { startEmbeddedPostgres } from './embeddedPostgres.ts';
import { connectToRunning } from './postgresProcesses.ts';

/** A database that is reachable while one command runs, or why there is none. */
export type CommandPostgres =
  | { readonly ok: true; readonly connection: DatabaseConnection; close(): Promise<void> }
  | { readonly ok: false; readonly detail: string };

/** Where the embedded database of an application is. */
export type CommandPostgresPlace = {
  /** The data folder of the application, which it locks while it runs. */
  readonly lockedDirectory: string;
  /** The folder of the database itself. */
  readonly dataDirectory: string;
  /** As what the running application has locked the folder. */
  readonly role: string;
  readonly cacheDirectory: string;
};

/** How long a command waits until another process releases the data folder. */
const PATIENCE_MS = 30_000;

/**
 * Opens an embedded database for one command: that of the running application, else a server is started.
 * @throws EmbeddedPostgresError when the folder or this machine does not allow it.
 *
 * @example
 * ```ts
 * import { type CommandPostgresPlace, openCommandPostgres } from '@fairway/postgres';
 *
 * declare const place: CommandPostgresPlace;
 * const opened = await openCommandPostgres(place);
 * if (opened.ok) await opened.close();
 * ```
 */
export async function openCommandPostgres(place: CommandPostgresPlace): Promise<CommandPostgres> {
  const deadlineMs = performance.now() + PATIENCE_MS;
  for (;;) {
    const opened = await joinOrStart(place);
    // Another process may be starting or ending.
    if (opened.ok || performance.now() > deadlineMs) return opened;
    await sleep(100);
  }
}

async function joinOrStart({
  lockedDirectory,
  dataDirectory,
  role,
  cacheDirectory,
}: CommandPostgresPlace): Promise<CommandPostgres> {
  // The application takes the same lock, so that no second server is started on the same files. A server that another
  // command started is not used, because that server ends with the other command.
  const locked = lockDirectory(lockedDirectory, 'COMMAND');
  if (!locked.ok) {
    const running = locked.role === role ? connectToRunning(dataDirectory) : undefined;
    return running === undefined ? locked : { ok: true, connection: running, close: async () => {} };
  }
  // Ends the server when this command is interrupted.
  const guardian = await startGuardian();
  try {
    const postgres = await startEmbeddedPostgres({
      dataDirectory,
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
