import { loadavg } from 'node:os';
import type { Benchmark } from './benchmark.ts';
import { chainLatency } from './chainLatency.ts';
import { chainRecord } from './chainRecord.ts';
import { depositTime } from './depositTime.ts';
import { discovery } from './discovery.ts';
import { engineQuotes } from './engineQuotes.ts';
import { engineSwaps } from './engineSwaps.ts';
import { fairness } from './fairness.ts';
import { httpCost } from './httpCost.ts';
import { lists } from './lists.ts';
import { machineFacts } from './measuring/machine.ts';
import { overload } from './overload.ts';
import { planRate } from './planRate.ts';
import { relay } from './relay.ts';
import { reports } from './reports.ts';
import { slowClients } from './slowClients.ts';
import { snapshotStart } from './snapshotStart.ts';
import { startTimes } from './startTimes.ts';
import { tableOf } from './measuring/table.ts';
import { collectGarbage } from './measuring/timing.ts';

const benchmarks: readonly Benchmark[] = [
  engineSwaps,
  engineQuotes,
  httpCost,
  chainLatency,
  startTimes,
  snapshotStart,
  discovery,
  planRate,
  relay,
  chainRecord,
  depositTime,
  lists,
  fairness,
  overload,
  slowClients,
  reports,
];

/** Prints figures to stdout and progress to stderr, so that `> file` keeps a report. */
async function runBenchmarks(names: readonly string[]): Promise<number> {
  const unknown = names.filter((name) => !benchmarks.some((benchmark) => benchmark.name === name));
  if (unknown.length > 0) {
    const known = benchmarks.map(({ name }) => name).join(', ');
    console.error(`There is no benchmark ${unknown.join(', ')}. Use any of: ${known}.`);
    return 2;
  }
  console.log(`${machineFacts(new Date())}\n`);
  for (const { name, title, run } of benchmarks) {
    if (names.length > 0 && !names.includes(name)) continue;
    collectGarbage();
    const loadBefore = loadavg()[0] ?? 0;
    const rows = await run((message) => console.error(`  ${name}: ${message}`));
    const loadAfter = loadavg()[0] ?? 0;
    console.log(tableOf(title, rows));
    console.log(`\nLoad ${loadBefore.toFixed(1)} before, ${loadAfter.toFixed(1)} after.\n`);
  }
  return 0;
}

process.exitCode = await runBenchmarks(process.argv.slice(2));
