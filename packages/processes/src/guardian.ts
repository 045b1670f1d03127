import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { withPatience } from './patience.ts';
import { processIdentity } from './processes.ts';

/**
 * A small separate process that runs a little longer than this one, to end what this one has started. When this process
 * ends, even by SIGKILL, the pipe between the two closes, which the guardian notices.
 */
export type Guardian = {
  /** Registers a running process to be ended by `signal` (SIGTERM unless given), and by SIGKILL after a second. */
  watch(pid: number, signal?: NodeJS.Signals): void;
  unwatch(pid: number): void;
  /** Registers a file or folder to be removed after the watched processes have ended. */
  removeAtEnd(path: string): void;
  /** Ends all that is still registered, then the guardian itself. */
  close(): Promise<void>;
};

/** A message to the guardian's process: one JSON text on each line. */
export type GuardianMessage =
  | { readonly watch: number; readonly identity: string; readonly signal: NodeJS.Signals }
  | { readonly unwatch: number }
  | { readonly remove: string };

const CLOSE_TIMEOUT_MS = 3_000;
const RESTART_DELAY_MS = 500;

function spawnGuardian(): ChildProcess {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'guardianProcess.ts')], {
    cwd: '/',
    detached: true,
    env: {},
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // A guardian that has ended is noticed by its exit, so errors of the pipe can be ignored.
  child.stdin?.on('error', () => undefined);
  child.on('error', () => undefined);
  child.unref();
  return child;
}

/**
 * Starts a guardian. It can be used at once: the pipe keeps what is registered while it starts.
 *
 * @example
 * ```ts
 * import { spawn } from 'node:child_process';
 * import { startGuardian } from '@fairway/processes';
 *
 * const guardian = await startGuardian();
 * const { pid } = spawn('postgres', ['-D', 'data']);
 * if (pid !== undefined) guardian.watch(pid, 'SIGINT');
 * ```
 */
export async function startGuardian(): Promise<Guardian> {
  const watched = new Map<number, GuardianMessage>();
  const removals = new Set<string>();
  let closing = false;
  let child: ChildProcess;
  const tell = (message: GuardianMessage) => child.stdin?.write(`${JSON.stringify(message)}\n`);
  const begin = () => {
    child = spawnGuardian();
    for (const message of watched.values()) tell(message);
    for (const path of removals) tell({ remove: path });
    child.once('exit', () => {
      if (!closing) setTimeout(() => closing || begin(), RESTART_DELAY_MS).unref();
    });
  };
  begin();
  return {
    watch(pid, signal = 'SIGTERM') {
      const identity = processIdentity(pid);
      if (identity === undefined) return;
      const message: GuardianMessage = { watch: pid, identity, signal };
      watched.set(pid, message);
      tell(message);
    },
    unwatch(pid) {
      if (watched.delete(pid)) tell({ unwatch: pid });
    },
    removeAtEnd(path) {
      removals.add(path);
      tell({ remove: path });
    },
    async close() {
      closing = true;
      const exited = new Promise<void>((resolve) => {
        if (child.exitCode !== null || child.signalCode !== null) resolve();
        else child.once('exit', () => resolve());
      });
      child.ref();
      child.stdin?.end();
      await withPatience(exited, CLOSE_TIMEOUT_MS);
    },
  };
}
