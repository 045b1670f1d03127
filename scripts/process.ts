import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Descendant, descendants } from './descendants.ts';
import { repositoryRoot } from './repository.ts';

/**
 * How a command ended: its exit code (128 + signal number when a signal ended it), its time, and its output when that
 * was collected. `leftBehind` has the command lines of what it started and did not end (always killed, Linux only).
 */
export type CommandResult = {
  exitCode: number;
  durationMs: number;
  output: string;
  leftBehind: readonly string[];
};

/**
 * Where a command's output goes, straight to the terminal or into the result, and what joins its environment. The
 * deadline ends a command that does not end by itself (default: never). `graceMs` is how long what it started may
 * outlive it (5 s).
 */
export type CommandOptions = {
  output: 'shown' | 'collected';
  environment?: NodeJS.ProcessEnv;
  deadlineMs?: number;
  graceMs?: number;
};

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Runs a command from the repository's root and waits for its end. A signal that this process gets, and the deadline,
 * reach everything that the command started. When any of it is still there a grace after the command ended, it is
 * killed.
 */
export async function runCommand(
  file: string,
  arguments_: readonly string[],
  options: CommandOptions,
): Promise<CommandResult> {
  const { deadlineMs, graceMs = 5_000 } = options;
  const startedMs = performance.now();
  const mark = `FAIRWAY_RUN_${randomUUID().replaceAll('-', '')}`;
  const child = spawn(file, arguments_, {
    cwd: repositoryRoot,
    stdio: options.output === 'shown' ? ['ignore', 'inherit', 'inherit'] : ['ignore', 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
    env: { ...process.env, ...options.environment, [mark]: '1' },
  });
  const chunks = collectOutput(child);
  const end = (signal: NodeJS.Signals) => {
    signalGroup(child.pid, signal);
    setTimeout(() => signalGroup(child.pid, 'SIGKILL'), graceMs).unref();
  };
  for (const signal of SIGNALS) process.on(signal, end);
  const deadline = deadlineMs === undefined ? undefined : setTimeout(end, deadlineMs, 'SIGTERM');
  const exitCode = await exitOf(child);
  clearTimeout(deadline);
  const leftBehind = await endDescendants(mark, graceMs);
  for (const signal of SIGNALS) process.off(signal, end);
  return { exitCode, durationMs: performance.now() - startedMs, output: chunks.join(''), leftBehind };
}

function collectOutput(child: ChildProcess): string[] {
  const chunks: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => chunks.push(chunk));
  }
  return chunks;
}

/** Resolves when the process has ended; rejects when it cannot be started. */
function exitOf(child: ChildProcess): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  child.on('error', reject);
  child.on('exit', (code, signal) => {
    // Output still in the pipes is worth a moment, but a grandchild may hold them open for ever.
    const exitCode = code ?? 128 + constants.signals[signal ?? 'SIGKILL'];
    const patience = setTimeout(resolve, 1_000, exitCode);
    child.on('close', () => {
      clearTimeout(patience);
      resolve(exitCode);
    });
  });
  return promise;
}

/** Waits until the processes that carry the mark have ended, kills those left and returns their command lines. */
async function endDescendants(mark: string, graceMs: number): Promise<string[]> {
  const untilMs = performance.now() + graceMs;
  let left: Descendant[] = descendants(mark);
  while (left.length > 0 && performance.now() < untilMs) {
    await sleep(50);
    left = descendants(mark);
  }
  for (const { pid } of left) signalProcess(pid, 'SIGKILL');
  return left.map(({ commandLine }) => commandLine);
}

/** Sends a signal to the process that a command started with, and to its group. */
function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid !== undefined) signalProcess(process.platform === 'win32' ? pid : -pid, signal);
}

/** Sends a signal; a receiver that has ended already is fine. */
function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
