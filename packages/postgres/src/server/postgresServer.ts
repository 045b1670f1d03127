import { setTimeout as sleep } from 'node:timers/promises';
import { signalProcess, spawnHeld, withPatience } from '@fairway/processes';
import { dataArgument, postgresIdentity } from './dataDirectory.ts';
import { EmbeddedPostgresError } from './embeddedPostgresError.ts';
import type { PostgresBinaries } from './postgresBinaries.ts';
import { readPostmaster } from './postgresProcesses.ts';
import type { PostgresUser } from './postgresUser.ts';

const START_PATIENCE_MS = 60_000;
/** Lines of PostgreSQL that an operator must see. A process that was killed or failed ends every connection. */
const LOGGED_LINES = /\b(PANIC|WARNING):|\(PID \d+\) (was terminated by|exited with exit code)/;

/** Where and as whom a server runs. */
export type ServerPlace = {
  dataDirectory: string;
  socketDirectory: string;
  binaries: PostgresBinaries;
  user: PostgresUser | undefined;
  log: (message: string) => void;
};

/** One run of the postmaster. `ended` resolves with how it ended, and never rejects. */
export type PostgresServer = {
  pid: number;
  ended: Promise<string>;
  hasEnded: () => boolean;
  lastLines: () => string;
};

/**
 * Starts the postmaster, which does nothing before `onSpawn` was called with its process id. Throws
 * EmbeddedPostgresError when there can be no process for it.
 */
export async function spawnServer(
  place: ServerPlace,
  onSpawn: (pid: number) => void,
): Promise<PostgresServer> {
  const { dataDirectory, socketDirectory, binaries, user, log } = place;
  const args = serverArguments(dataArgument(dataDirectory, user), socketDirectory);
  const identity = postgresIdentity({ cwd: dataDirectory, user });
  const { child, begin } = spawnHeld(binaries.postgres, args, identity);
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      for (const line of String(chunk).split('\n').filter(Boolean)) {
        lines.push(line);
        if (LOGGED_LINES.test(line)) log(`PostgreSQL: ${line}`);
      }
      lines.splice(0, lines.length - 20);
    });
  }
  let hasEnded = false;
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => {
      hasEnded = true;
      resolve(signal === null ? `exit code ${code}` : signal);
    });
  });
  const pid = await new Promise<number>((resolve, reject) => {
    child.once('spawn', () => resolve(child.pid ?? -1));
    child.once('error', (cause) =>
      reject(new EmbeddedPostgresError(`PostgreSQL cannot be started: ${cause.message}`, { cause })),
    );
  });
  onSpawn(pid);
  begin();
  return { pid, ended, hasEnded: () => hasEnded, lastLines: () => lines.join('\n') };
}

function serverArguments(data: string, socketDirectory: string): string[] {
  const settings = {
    listen_addresses: '',
    unix_socket_directories: socketDirectory,
    unix_socket_permissions: '0700',
    port: '5432',
    // The promised durability, whatever postgresql.conf in the data folder says.
    fsync: 'on',
    synchronous_commit: 'on',
    full_page_writes: 'on',
    max_wal_size: '256MB',
    // Queries and their parameters may hold personal data, which must not reach a log.
    log_min_error_statement: 'panic',
    log_parameter_max_length_on_error: '0',
    log_timezone: 'UTC',
    timezone: 'UTC',
    io_method: 'sync',
    max_logical_replication_workers: '0',
  };
  return ['-D', data, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}

/**
 * Resolves when the server accepts connections. Throws EmbeddedPostgresError with the server's last lines when the
 * server ends first, or is not ready within a minute.
 */
export async function waitUntilReady(
  server: PostgresServer,
  { dataDirectory, log }: ServerPlace,
): Promise<void> {
  const startedMs = performance.now();
  for (let noticeMs = 5_000; ; ) {
    const postmaster = readPostmaster(dataDirectory);
    if (postmaster?.pid === server.pid && postmaster.isReady) return;
    const waitedMs = performance.now() - startedMs;
    if (server.hasEnded() || waitedMs > START_PATIENCE_MS) {
      const what = server.hasEnded()
        ? `ended at its start (${await server.ended})`
        : 'is not ready after a minute';
      throw new EmbeddedPostgresError(`PostgreSQL on ${dataDirectory} ${what}:\n${server.lastLines()}`);
    }
    if (waitedMs > noticeMs) {
      log(`PostgreSQL is still starting: ${server.lastLines().split('\n').at(-1)}`);
      noticeMs += 5_000;
    }
    await sleep(5);
  }
}

/** Asks for a fast shutdown, after 2 s for an immediate one, and then kills. Resolves when the postmaster has ended. */
export async function stopServer(server: PostgresServer): Promise<void> {
  const steps = [
    { signal: 'SIGINT', patienceMs: 2_000 },
    { signal: 'SIGQUIT', patienceMs: 500 },
  ] as const;
  for (const { signal, patienceMs } of steps) {
    if (server.hasEnded()) return;
    signalProcess(server.pid, signal);
    await withPatience(server.ended, patienceMs);
  }
  if (server.hasEnded()) return;
  signalProcess(server.pid, 'SIGKILL');
  await server.ended;
}
