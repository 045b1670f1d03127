import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { FilePool, MarketFile, Query, QueryLine } from './routeFiles.ts';

const root = join(import.meta.dirname, '..', '..');

/** What a run of the command printed, line by line. */
export type Run = {
  readonly exitCode: number | null;
  readonly lines: readonly string[];
  readonly errors: string;
};

/** Writes both files, as text or as JSON, into a temporary folder and runs the command on them. */
export async function runRoute(
  market: unknown,
  queries: unknown,
  options: readonly string[] = [],
  runWith: (args: readonly string[]) => Promise<Run> = runCommand,
): Promise<Run> {
  const folder = mkdtempSync(join(tmpdir(), 'fairway-route-'));
  try {
    const [marketPath, queriesPath] = [join(folder, 'market.json'), join(folder, 'queries.json')];
    writeFileSync(marketPath, typeof market === 'string' ? market : JSON.stringify(market));
    writeFileSync(queriesPath, typeof queries === 'string' ? queries : JSON.stringify(queries));
    return await runWith(['--market', marketPath, '--queries', queriesPath, ...options]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The command as users type it. */
const AS_DOCUMENTED = ['npm', 'run', '--silent', 'route', '--'];
/** The same command without npm, which takes half a second. */
const DIRECTLY = [process.execPath, '--expose-gc', 'bench/src/route/main.ts'];

/** Runs the command as it is documented and waits for its end. */
export function runThroughNpm(args: readonly string[]): Promise<Run> {
  return run([...AS_DOCUMENTED, ...args]);
}

/** Runs the command and waits for its end. */
export function runCommand(args: readonly string[]): Promise<Run> {
  return run([...DIRECTLY, ...args]);
}

async function run([file = '', ...args]: readonly string[]): Promise<Run> {
  const child = spawn(file, args, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 120_000,
  });
  const [printed, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { exitCode: child.exitCode, lines: printed.split('\n').slice(0, -1), errors };
}

/** The answers of a run that succeeded, one for each query. */
export async function answersOf(
  market: MarketFile<FilePool>,
  queries: readonly Query[],
  options: readonly string[] = [],
): Promise<readonly QueryLine[]> {
  const { exitCode, lines, errors } = await runRoute(market, queries, options);
  assert.equal(exitCode, 0, errors);
  const [, ...answers] = lines.map((line) => JSON.parse(line) as QueryLine);
  assert.equal(answers.length, queries.length);
  return answers;
}
