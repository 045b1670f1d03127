// Commands of `fairway` in the process of the tests, as users run them: the same arguments, variables, output and exit codes.
// Loading the service again for each command takes ten times as long as most of them. `processHarness.ts`
// is for tests of the process: its end, its signals, its limits.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runCommand } from '../src/cli/command.ts';
import type { Terminal } from '../src/cli/terminal.ts';
import { endFirst, familyOf, freshFolder, type Ready, START_DEADLINE_MS } from './processHarness.ts';

/** A command that ended. `output` is all that it wrote, `printed` what it was asked for. */
export type EndedCommand = { readonly code: number; readonly output: string; readonly printed: string };

/** A command that runs until it is stopped. */
export type RunningCommand = {
  output(): string;
  /** Resolves with the exit code; rejects with an error that is a bug. */
  readonly ended: Promise<number>;
  /** Ends it as SIGTERM does, and resolves with the exit code. */
  stop(): Promise<number>;
};

/** A service that runs in this process. */
export type StartedService = RunningCommand & {
  readonly ready: Ready;
  /** This process and all processes that it started. */
  family(): number[];
};

/** Runs a command until it ends, with these variables beside those of this process. */
export async function runFairway(
  args: readonly string[],
  variables: NodeJS.ProcessEnv = {},
): Promise<EndedCommand> {
  const { terminal, written } = testTerminal(variables);
  const code = await runCommand(args, terminal);
  return { code, ...written() };
}

/** Begins a command that runs until it is stopped, such as `listen`. */
export function beginFairway(args: readonly string[], variables: NodeJS.ProcessEnv = {}): RunningCommand {
  const { terminal, written, stopping } = testTerminal(variables);
  const ended = runCommand(args, terminal);
  const stop = () => {
    stopping.abort();
    return ended;
  };
  ended.catch(() => undefined); // whoever awaits it is told
  endFirst(() => stop().catch(() => undefined));
  return { output: () => written().output, ended, stop };
}

/** Runs `fairway start` and resolves when the service is ready. `endEverything` ends it. */
export async function startFairway(
  args: readonly string[],
  variables: NodeJS.ProcessEnv = {},
): Promise<StartedService> {
  const readyFile = join(freshFolder(), 'ready.json');
  const running = beginFairway(['start', ...args, '--ready-file', readyFile], variables);
  const deadlineMs = performance.now() + START_DEADLINE_MS;
  let isOver = false;
  running.ended.finally(() => (isOver = true)).catch(() => undefined);
  while (!running.output().includes('is ready at')) {
    if (isOver)
      throw new Error(`It ended before it was ready (${await running.ended}):\n${running.output()}`);
    if (performance.now() > deadlineMs) throw new Error(`It was not ready in time:\n${running.output()}`);
    await sleep(20);
  }
  const ready = JSON.parse(readFileSync(readyFile, 'utf8')) as Ready;
  return { ...running, ready, family: () => familyOf(process.pid) };
}

/** A terminal that keeps what is written. Variables that are given as undefined are not set. */
export function testTerminal(variables: NodeJS.ProcessEnv = {}) {
  const all: string[] = [];
  const printed: string[] = [];
  const stopping = new AbortController();
  const terminal: Terminal = {
    environment: { ...process.env, ...variables },
    output: { write: (text) => [all, printed].map((texts) => texts.push(text)) },
    notes: { write: (text) => all.push(text) },
    untilStopped: () => stopping.signal,
  };
  const written = () => ({ output: all.join(''), printed: printed.join('') });
  return { terminal, written, stopping };
}
