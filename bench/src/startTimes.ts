import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { atMost, type Benchmark, type Row } from './benchmark.ts';
import { copyTree } from './copiedTree.ts';
import { cleanEnvironment } from './measuring/measuredProcess.ts';
import { repositoryRoot } from './measuring/measuredService.ts';
import { familyOf, stillRunning } from './measuring/processFamily.ts';
import { median, short } from './measuring/statistics.ts';

const STARTS = 5;
const LOOK_EVERY_MS = 4;
const WARM_TARGET_S = 5;
const FIRST_TARGET_S = 15;
const STOP_TARGET_S = 5;

type StartAndStop = { readonly startS: number; readonly stopS: number };

/** The time from `npm start` to the ready file, and from SIGTERM to npm until no process is left. */
export const startTimes: Benchmark = {
  name: 'start',
  title: 'Start and stop of npm start',
  run: async (progress) => {
    const folder = mkdtempSync(join(tmpdir(), 'fairway-bench-'));
    // The database runs as another user when this one is root, and that user has to reach its programs.
    chmodSync(folder, 0o755);
    try {
      progress('warming up');
      await startAndStop(repositoryRoot, folder, []);
      const fresh = await repeatedly(progress, 'fresh', () => startAndStop(repositoryRoot, folder, []));
      const data = join(folder, 'data');
      await startAndStop(repositoryRoot, folder, ['--data', data]);
      const kept = await repeatedly(progress, 'with --data', () =>
        startAndStop(repositoryRoot, folder, ['--data', data]),
      );
      let turn = 0;
      const first = await repeatedly(progress, 'the very first', () => {
        turn += 1;
        const place = join(folder, `tree${turn}`);
        const temporary = join(folder, `tmp${turn}`);
        mkdirSync(temporary, { mode: 0o777 });
        chmodSync(temporary, 0o1777);
        return startAndStop(copyTree(repositoryRoot, place), folder, [], { TMPDIR: temporary });
      });
      return rowsOf(fresh, kept, first);
    } finally {
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    }
  },
};

async function repeatedly(
  progress: (message: string) => void,
  what: string,
  measure: () => Promise<StartAndStop>,
): Promise<StartAndStop[]> {
  const runs: StartAndStop[] = [];
  while (runs.length < STARTS) {
    progress(`${what}, ${runs.length + 1} of ${STARTS}`);
    runs.push(await measure());
  }
  return runs;
}

function rowsOf(
  fresh: readonly StartAndStop[],
  kept: readonly StartAndStop[],
  first: readonly StartAndStop[],
): Row[] {
  const row = (what: string, secondsOfRuns: readonly number[], targetS: number): Row => {
    const middle = median(secondsOfRuns);
    const [least, most] = [Math.min(...secondsOfRuns), Math.max(...secondsOfRuns)];
    return {
      what,
      measured: `${short(middle)} s`,
      note: `median of ${secondsOfRuns.length}, ${short(least)} to ${short(most)} s`,
      target: atMost(middle, targetS, 's'),
    };
  };
  const starts = (runs: readonly StartAndStop[]) => runs.map(({ startS }) => startS);
  const stops = [...fresh, ...kept].map(({ stopS }) => stopS);
  return [
    row('fresh sandbox, warm', starts(fresh), WARM_TARGET_S),
    row('restart on --data', starts(kept), WARM_TARGET_S),
    row('the very first: nothing prepared', starts(first), FIRST_TARGET_S),
    row('stop: SIGTERM to npm until nothing is left', stops, STOP_TARGET_S),
  ];
}

async function startAndStop(
  root: string,
  folder: string,
  options: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): Promise<StartAndStop> {
  const readyFile = join(folder, 'ready.json');
  rmSync(readyFile, { force: true });
  const startedAt = performance.now();
  const args = [
    '--silent',
    'start',
    '--',
    '--port',
    '0',
    '--ready-file',
    readyFile,
    '--log-level',
    'error',
    ...options,
  ];
  const child = spawn('npm', args, {
    cwd: root,
    env: { ...cleanEnvironment(), ...environment },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  while (!existsSync(readyFile)) {
    if (child.exitCode !== null) throw new Error('The service ended before it was ready');
    await sleep(LOOK_EVERY_MS);
  }
  const startS = (performance.now() - startedAt) / 1000;
  // A real service is not stopped at the moment it is ready.
  await sleep(500);
  const family = familyOf(child.pid ?? -1);
  const stoppedAt = performance.now();
  child.kill('SIGTERM');
  while (stillRunning(family).length > 0) await sleep(LOOK_EVERY_MS);
  return { startS, stopS: (performance.now() - stoppedAt) / 1000 };
}
