import { atMost, type Benchmark, type Progress, type Row } from './benchmark.ts';
import { type Crowd, type Kind, KINDS, startCrowd } from './measuring/crowd.ts';
import { type LoadProcess, startLoadProcess } from './measuring/loadProcess.ts';
import type { LoadReport } from './measuring/loadProgram.ts';
import { giveOneCore } from './measuring/oneCore.ts';
import { median, percentile, short } from './measuring/statistics.ts';

const ORGANISATIONS = 5;
const ROUNDS = 5;
const ROUND_MS = 5_000;
/** How long the noisy organisation sends before the others are measured: it opens its connections in this time. */
const ONSET_MS = 1_000;
const CAPACITY_MS = 3_000;
/** What the noisy organisation sends, and what each of the others sends, in fair shares of the capacity. */
const NOISY_SHARES = 10;
const OTHER_SHARES = 0.3;
const TARGET_MS = 25;

/** What became of the others alone, in the first second beside the noisy one, and after it; and of the noisy one. */
type Round = Readonly<Record<'quiet' | 'onset' | 'beside' | 'noise', LoadReport>>;

type Loads = { readonly noisy: LoadProcess; readonly others: LoadProcess };

/**
 * What one organisation that sends ten times its share does to the others. Rounds with it and without it take turns.
 * The load is open loop, and each of both loads has its own process.
 */
export const fairness: Benchmark = {
  name: 'fairness',
  title: 'One organisation at ten times its share',
  run: async (progress) => {
    const crowd = await startCrowd(ORGANISATIONS, progress);
    const loads = { noisy: startLoadProcess(), others: startLoadProcess() };
    try {
      const cores = giveOneCore(crowd.service.child.pid ?? 0, [loads.noisy.pid, loads.others.pid]);
      const rows: Row[] = [];
      for (const kind of KINDS) rows.push(...(await measureKind(crowd, loads, kind, cores, progress)));
      return rows;
    } finally {
      loads.noisy.stop();
      loads.others.stop();
      await crowd.service.stop();
    }
  },
};

async function measureKind(
  { port, requests }: Crowd,
  { noisy, others }: Loads,
  kind: Kind,
  cores: string,
  progress: Progress,
): Promise<Row[]> {
  const all = requests[kind];
  progress(`${kind}: capacity`);
  const closed = { port, requests: all, pace: 'ON_ANSWER', mostConnections: 2 * all.length } as const;
  await others.run({ ...closed, durationMs: CAPACITY_MS });
  const full = await others.run({ ...closed, durationMs: CAPACITY_MS });
  const share = served(full) / (CAPACITY_MS / 1000) / ORGANISATIONS;
  const open = { port, durationMs: ROUND_MS, mostConnections: 2_000 };
  const quietLoad = {
    ...open,
    requests: all.slice(1),
    pace: Math.max(5, OTHER_SHARES * share * (ORGANISATIONS - 1)),
  };
  const noisyLoad = {
    ...open,
    requests: all.slice(0, 1),
    pace: NOISY_SHARES * share,
    durationMs: ONSET_MS + ROUND_MS,
  };
  const rounds: Round[] = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    progress(`${kind}: round ${round} of ${ROUNDS}`);
    const quiet = await others.run(quietLoad);
    const noise = noisy.run(noisyLoad);
    const onset = await others.run({ ...quietLoad, durationMs: ONSET_MS });
    const beside = await others.run(quietLoad);
    rounds.push({ quiet, onset, beside, noise: await noise });
  }
  return rowsOf(kind, rounds, `share ${short(share)} a second; ${cores}`);
}

function rowsOf(kind: Kind, rounds: readonly Round[], note: string): Row[] {
  const p99 = (report: LoadReport) => percentile(report.servedMs, 0.99);
  const middle = (name: 'quiet' | 'onset' | 'beside') => median(rounds.map((round) => p99(round[name])));
  const added = median(rounds.map(({ quiet, beside }) => p99(beside) - p99(quiet)));
  const unserved = rounds.reduce(
    (sum, { quiet, onset, beside }) => sum + notServed(quiet) + notServed(onset) + notServed(beside),
    0,
  );
  const noise = rounds.at(-1)?.noise;
  return [
    {
      what: `${kind}: p99 of the others, added`,
      measured: `${short(added)} ms`,
      target: atMost(added, TARGET_MS, 'ms'),
      note:
        `quiet ${short(middle('quiet'))} ms, beside it ${short(middle('beside'))} ms, in its first second ` +
        `${short(middle('onset'))} ms; median of ${ROUNDS} rounds; ${note}`,
    },
    {
      what: `${kind}: requests of the others not served`,
      measured: String(unserved),
      target: atMost(unserved, 0, ''),
      note: `the noisy one, last round: ${statusesOf(noise)}`,
    },
  ];
}

function served({ statuses }: LoadReport): number {
  return statuses['200'] ?? 0;
}

function notServed(report: LoadReport): number {
  return report.sent + report.unsent - served(report);
}

function statusesOf(report: LoadReport | undefined): string {
  if (report === undefined) return 'none';
  const { statuses, lost, unsent } = report;
  const counts = Object.entries(statuses).map(([status, count]) => `${count} × ${status}`);
  return [...counts, `${lost} lost`, `${unsent} unsent`].join(', ');
}
