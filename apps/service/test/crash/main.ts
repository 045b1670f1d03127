/**
 * `npm run test:crash -- [--rounds N] [--seconds N] [--seed N]`: kills services and database under load, again and
 * again, and compares the database with the acknowledged answers. Ends with exit code 1 at the first fault.
 */
import { parseArgs } from 'node:util';
import { endEverything } from '../processHarness.ts';
import { wholeNumber } from '../wholeNumber.ts';
import { runCrashes } from './rounds.ts';

const { values } = parseArgs({
  options: { rounds: { type: 'string' }, seconds: { type: 'string' }, seed: { type: 'string' } },
});
const seed = wholeNumber('seed', values.seed ?? String(Date.now() % 2 ** 31), 0);
const rounds =
  values.rounds === undefined ? Number.MAX_SAFE_INTEGER : wholeNumber('rounds', values.rounds, 1);
const seconds = wholeNumber('seconds', values.seconds ?? '120', 1);
console.log(`--seed ${seed}`);
try {
  const report = await runCrashes({
    seed,
    rounds,
    seconds,
    loadMs: [300, 4000],
    awaitsJobs: true,
    say: console.log,
  });
  for (const finding of report.findings.slice(0, 20)) console.log(`BROKEN: ${finding}`);
  console.log([...report.promised].map(([type, count]) => `${count} x ${type}`).join(', '));
  console.log(
    `${report.rounds} rounds, ${report.plans} plans, ${report.collected} collected, ${report.findings.length} findings`,
  );
  process.exitCode = report.findings.length === 0 ? 0 : 1;
} finally {
  await endEverything();
}
