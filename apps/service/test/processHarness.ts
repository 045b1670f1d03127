import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startGuardian } from '@fairway/processes';

const root = join(import.meta.dirname, '../../..');

/** The content of the ready file. */
export type Ready = { url: string; username: string; password: string; chainId: number; rpcUrl: string };

/** A service in a process of its own, as a user runs it. */
export type ServiceProcess = {
  readonly child: ChildProcess;
  readonly ready: Ready;
  /** Everything printed so far, to stdout and stderr. */
  output(): string;
  /** The process and all processes that it started. */
  family(): number[];
  /** Resolves with the exit code, or null after a signal. */
  readonly ended: Promise<number | null>;
};

/** A start that takes longer than this has failed. */
export const START_DEADLINE_MS = 60_000;

const folders: string[] = [];
const children: ChildProcess[] = [];
const endings: (() => Promise<unknown>)[] = [];
/** Ends what `endEverything` could not, because this process was killed or ended by an error. */
const guardian = await startGuardian();

/** A fresh folder, removed by `endEverything`. */
export function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'fairway-process-'));
  folders.push(folder);
  guardian.removeAtEnd(folder);
  return folder;
}

/** Has `endEverything` do this before it removes folders. */
export function endFirst(end: () => Promise<unknown>): void {
  endings.push(end);
}

/** Ends every process group of this file's tests and removes its folders. */
export async function endEverything(): Promise<void> {
  await Promise.all(endings.splice(0).map((end) => end()));
  // Files that share a process share these lists, and the system may give the number of an ended process to another.
  const started = children.splice(0);
  const running = started.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
  const families = running.flatMap(({ pid }) => (pid === undefined ? [] : familyOf(pid)));
  for (const child of started) {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // The process has ended already.
    }
  }
  // A database ends shortly after its service, and writes until then.
  await waitForEnd(families);
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

/**
 * Runs a command in the repository, in a process group of its own, until it ends. `output` is what it printed to stdout
 * and stderr, `printed` to stdout alone.
 */
export async function runToEnd(
  command: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<{ code: number | null; output: string; printed: string }> {
  const { child, output, ended } = launch(command, env);
  let printed = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
  });
  return { code: await ended, output: output(), printed };
}

/**
 * Starts a command in the repository, in a process group of its own. `output` returns what the command has printed so
 * far.
 */
export function launch(command: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const [program = '', ...args] = command;
  const child = spawn(program, args, { cwd: root, env: { ...process.env, ...env }, detached: true });
  children.push(child);
  if (child.pid !== undefined) guardian.watch(child.pid);
  let text = '';
  const collect = (chunk: Buffer) => {
    text += chunk.toString();
  };
  child.stdout?.on('data', collect);
  child.stderr?.on('data', collect);
  const ended = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)));
  return { child, output: () => text, ended };
}

/** The command of users who have the repository. */
export const WITH_NPM: readonly string[] = ['npm', 'start', '--'];

/** Runs `fairway start` with these arguments, and waits for the ready file. `program` is another way to start it. */
export async function startProcess(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  program: readonly string[] = [process.execPath, 'apps/service/src/main.ts', 'start'],
): Promise<ServiceProcess> {
  const readyFile = join(freshFolder(), 'ready.json');
  const launched = launch([...program, ...args, '--ready-file', readyFile], env);
  const deadlineMs = performance.now() + START_DEADLINE_MS;
  // Its printed text comes through a pipe, later than the file.
  while (!existsSync(readyFile) || !launched.output().includes('is ready at')) {
    if (performance.now() > deadlineMs) throw new Error(`It was not ready in time:\n${launched.output()}`);
    if (launched.child.exitCode !== null || launched.child.signalCode !== null)
      throw new Error(`It ended before it was ready:\n${launched.output()}`);
    await sleep(20);
  }
  const ready: Ready = JSON.parse(readFileSync(readyFile, 'utf8'));
  return { ...launched, ready, family: () => familyOf(launched.child.pid ?? -1) };
}

/** A process and its descendants, from Linux's process table. */
export function familyOf(pid: number): number[] {
  const childrenOf = new Map<number, number[]>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const parent = statOf(Number(name))?.parent;
    if (parent !== undefined) childrenOf.set(parent, [...(childrenOf.get(parent) ?? []), Number(name)]);
  }
  const family = [pid];
  for (const member of family) family.push(...(childrenOf.get(member) ?? []));
  return family;
}

function statOf(pid: number): { parent: number; isZombie: boolean } | undefined {
  try {
    // The name, in parentheses, may itself hold spaces and parentheses.
    const [state = '', parent = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return { parent: Number(parent), isZombie: state === 'Z' };
  } catch {
    return undefined;
  }
}

/** The processes that still run. */
export function stillRunning(pids: readonly number[]): number[] {
  return pids.filter((pid) => statOf(pid)?.isZombie === false);
}

/** Waits until all processes have ended; returns those that still run at the deadline. */
export async function waitForEnd(pids: readonly number[], deadlineMs = 5000): Promise<number[]> {
  for (let waitedMs = 0; waitedMs < deadlineMs && stillRunning(pids).length > 0; waitedMs += 50)
    await sleep(50);
  return stillRunning(pids);
}

/** Waits until a service has read its markets and its database answers: before that it refuses quotes and plans. */
export async function untilReady(url: string): Promise<void> {
  const deadlineMs = performance.now() + START_DEADLINE_MS;
  while ((await fetch(`${url}/readyz`)).status !== 200) {
    assert.ok(performance.now() < deadlineMs, `${url} is not ready in time`);
    await sleep(25);
  }
}
