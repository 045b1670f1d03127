import { execFileSync } from 'node:child_process';
import { lstatSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { signalProcess } from '@fairway/processes';
import type { SocketConnection } from '../connection/connection.ts';
import { EmbeddedPostgresError } from './embeddedPostgresError.ts';

/** How the names of our socket folders begin; no folder with another name is ever removed. */
export const SOCKET_FOLDER_PREFIX = 'fairway-pg-';
/** The role that an application connects as, and the name of the database that this role owns. */
export const SERVICE_ROLE = 'fairway';

/** What a data folder's postmaster.pid says. `isReady`: the server accepts connections. */
export type Postmaster = { pid: number; socketDirectory: string; isReady: boolean };

/** Reads postmaster.pid (its lines: PostgreSQL's miscinit.h); `undefined` when absent or incomplete. */
export function readPostmaster(dataDirectory: string): Postmaster | undefined {
  let lines: string[];
  try {
    lines = readFileSync(join(dataDirectory, 'postmaster.pid'), 'utf8').split('\n');
  } catch {
    return undefined;
  }
  const [pid = '', , , , socketDirectory = '', , , status = ''] = lines;
  if (!/^\d+$/.test(pid) || socketDirectory === '') return undefined;
  return { pid: Number(pid), socketDirectory, isReady: status.trim() === 'ready' };
}

/**
 * A connection to the PostgreSQL that another process runs on this data folder; `undefined` when none runs there and
 * accepts connections.
 *
 * @example
 * ```ts
 * import { connectToRunning, startEmbeddedPostgres } from '@fairway/postgres';
 *
 * const dataDirectory = '/var/lib/app/database';
 * const connection =
 *   connectToRunning(dataDirectory) ??
 *   (await startEmbeddedPostgres({ dataDirectory, log: console.log })).connection;
 * ```
 */
export function connectToRunning(dataDirectory: string): SocketConnection | undefined {
  const postmaster = readPostmaster(dataDirectory);
  if (postmaster === undefined || !postmaster.isReady) return undefined;
  if (!processesIn(dataDirectory).includes(postmaster.pid)) return undefined;
  return { host: postmaster.socketDirectory, user: SERVICE_ROLE, database: SERVICE_ROLE };
}

/**
 * Removes what a killed owner left on its data folder: the orphaned postmaster, its backends, the stale postmaster.pid
 * and the socket folder. Only the owner of the data folder may call this, because a server that another service uses
 * looks the same. Returns whether any process had to be ended. Throws EmbeddedPostgresError when a process survives
 * SIGKILL.
 *
 * @example
 * ```ts
 * import { endOrphan } from '@fairway/postgres';
 *
 * const wasRunning = await endOrphan('/var/lib/app/database', console.log);
 * ```
 */
export async function endOrphan(dataDirectory: string, log: (message: string) => void): Promise<boolean> {
  const postmaster = readPostmaster(dataDirectory);
  const ended = await endProcesses(dataDirectory, log);
  // A stale file blocks the next start when another process, or a zombie, has its process id.
  rmSync(join(dataDirectory, 'postmaster.pid'), { force: true });
  if (postmaster !== undefined) removeSocketFolder(postmaster.socketDirectory);
  return ended;
}

/** Ends every PostgreSQL process of the data folder: fast shutdown, then immediate, then SIGKILL. */
export async function endProcesses(dataDirectory: string, log: (message: string) => void): Promise<boolean> {
  const found = processesIn(dataDirectory);
  if (found.length === 0) return false;
  log(`ending the PostgreSQL left on ${dataDirectory} (process ${found[0]})`);
  const postmaster = readPostmaster(dataDirectory)?.pid;
  // A postmaster ends its children itself; without a postmaster each child gets the signal.
  const leaders = postmaster !== undefined && found.includes(postmaster) ? [postmaster] : found;
  const steps = [
    { signal: 'SIGINT', targets: () => leaders, patienceMs: 2_000 },
    { signal: 'SIGQUIT', targets: () => leaders, patienceMs: 1_000 },
    { signal: 'SIGKILL', targets: () => processesIn(dataDirectory), patienceMs: 5_000 },
  ] as const;
  for (const { signal, targets, patienceMs } of steps) {
    for (const pid of targets()) signalProcess(pid, signal);
    if (await goneWithin(dataDirectory, patienceMs)) return true;
  }
  throw new EmbeddedPostgresError(
    `PostgreSQL still runs on ${dataDirectory} (processes ${processesIn(dataDirectory).join(', ')}) and ` +
      'does not end, not even by SIGKILL. End it, or use another data folder.',
  );
}

async function goneWithin(dataDirectory: string, patienceMs: number): Promise<boolean> {
  const deadlineMs = performance.now() + patienceMs;
  while (performance.now() < deadlineMs) {
    if (processesIn(dataDirectory).length === 0) return true;
    await sleep(10);
  }
  return false;
}

/** Removes a folder if its name says that it is one of our socket folders. */
export function removeSocketFolder(folder: string): void {
  if (!basename(folder).startsWith(SOCKET_FOLDER_PREFIX)) return;
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (found?.isDirectory() === true) rmSync(folder, { recursive: true, force: true });
}

/**
 * The ids of the live PostgreSQL processes of a data folder. Each has the folder as its working directory, whatever
 * name the command line gives the folder. A zombie has no working directory and so counts as dead.
 */
export function processesIn(dataDirectory: string): number[] {
  if (process.platform !== 'linux') return postmasterByCommandLine(dataDirectory);
  const folder = statSync(dataDirectory, { throwIfNoEntry: false });
  if (folder === undefined) return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        if (readFileSync(`/proc/${pid}/comm`, 'utf8') !== 'postgres\n') return false;
        const { dev, ino } = statSync(`/proc/${pid}/cwd`);
        return dev === folder.dev && ino === folder.ino;
      } catch {
        return false;
      }
    })
    .map(Number);
}

/** Without /proc only the postmaster can be recognised: its command line names the folder. */
function postmasterByCommandLine(dataDirectory: string): number[] {
  const pid = readPostmaster(dataDirectory)?.pid;
  if (pid === undefined) return [];
  try {
    const line = execFileSync('ps', ['-ww', '-o', 'stat=,command=', '-p', String(pid)], { encoding: 'utf8' });
    return !line.startsWith('Z') && line.includes('postgres') && line.includes(dataDirectory) ? [pid] : [];
  } catch {
    return [];
  }
}
