/**
 * `npm run nightly:lies -- [--requests N] [--swaps N] [--seed N] [--lie-ms N] [--only TEXT]`: services beside a lying
 * node are asked while it tells every kind of lie. Ends with exit code 1 when a false answer left, a service did
 * not come back, or a lie was never told.
 */
import { createRandom } from '@fairway/testing';
import { ARRANGEMENTS, startGround } from './ground.ts';
import { readLiesOptions } from './options.ts';
import type { Tally } from './tally.ts';
import { startTrial } from './trial.ts';

const options = readLiesOptions(process.argv.slice(2));
const { names } = options;
const random = createRandom(options.seed);
console.log(`--seed ${random.seed}`);
/** Each lie is told to every arrangement and to the service whose only node lies. */
const cells = names.length * (ARRANGEMENTS.length + 1);
const startedAtMs = performance.now();
const ground = await startGround(random);
try {
  const trial = await startTrial({
    ground,
    random,
    requestsPerLie: Math.ceil(options.requests / cells),
    swapsPerLie: Math.ceil(options.swaps / cells),
    lieMs: options.lieMs,
    arrangements: ARRANGEMENTS,
    hasAlone: true,
    returnMs: 10_000,
  });
  for (const [index, name] of names.entries()) {
    const faults = await trial.tell(name);
    const { requests, swaps } = trial.report();
    const seconds = Math.round((performance.now() - startedAtMs) / 1000);
    const sofar = `${requests} requests, ${swaps} swaps, ${seconds} s`;
    console.log(`${index + 1}/${names.length} ${name}: ${faults.length} faults; ${sofar}`);
    for (const fault of faults.slice(0, 20)) console.log(`BROKEN: ${fault}`);
  }
  for (const fault of await trial.checkPlans()) console.log(`BROKEN: ${fault}`);
  trial.close();
  const { tally, recoveriesMs, requests, swaps } = trial.report();
  for (const line of tally.table()) console.log(line);
  for (const fault of unansweredQuotes(tally)) console.log(`BROKEN: ${fault}`);
  const slowest = Math.round(Math.max(...recoveriesMs));
  console.log(
    `${requests} requests, ${swaps} swaps, ${tally.faults.length} faults, slowest return ${slowest} ms`,
  );
  process.exitCode = tally.faults.length + unansweredQuotes(tally).length === 0 ? 0 : 1;
} finally {
  await ground.close();
}

/** With two honest nodes beside the liar, quotes are answered all the time. */
function unansweredQuotes(tally: Tally): string[] {
  const services = ARRANGEMENTS.filter(({ nodes }) => nodes.includes('third')).map(({ name }) => name);
  return services.flatMap((service) =>
    names.flatMap((lie) => {
      const count = tally.of(lie, service, /^quote 503/);
      return count === 0 ? [] : [`${lie} / ${service}: ${count} quotes were not answered`];
    }),
  );
}
