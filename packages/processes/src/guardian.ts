import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { processIdentity } from './processes.ts';

/**
 * A small process of its own that outlives this one just long enough to end what this one started. It notices
 * the end of this process, however sudden, by the end of the pipe between them.
 */
export type Guardian = {
  /** Registers a running process to be ended with `signal` (SIGTERM unless given), then SIGKILL after a second. */
  watch(pid: number, signal?: NodeJS.Signals): void;
  unwatch(pid: number): void;
  /** Registers a file or folder to be removed, after the watched processes are gone. */
  removeAtEnd(path: string): void;
  /** Ends whatever is still registered and the guardian itself. */
  close(): Promise<void>;
};

/** What the two processes say to each other, one JSON text a line. */
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
  // A guardian that is gone shows as its exit; a write that meets a closed pipe adds nothing.
  child.stdin?.on('error', () => undefined);
  child.on('error', () => undefined);
  child.unref();
  return child;
}

/** Starts a guardian. It is usable at once: what is registered while it starts waits in the pipe. */
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
      const timeout = new AbortController();
      await Promise.race([
        exited,
        sleep(CLOSE_TIMEOUT_MS, undefined, { signal: timeout.signal }).catch(() => undefined),
      ]);
      timeout.abort();
    },
  };
}
