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
/** The chains keep all that ever happened in memory: a few hundred megabytes for each lie. */
const LIES_OF_A_GROUND = 10;
const startedAtMs = performance.now();
const sum = { lies: 0, requests: 0, swaps: 0, faults: 0, slowestMs: 0 };
for (let first = 0; first < names.length; first += LIES_OF_A_GROUND)
  await tellAll(names.slice(first, first + LIES_OF_A_GROUND));
console.log(
  `${sum.requests} requests, ${sum.swaps} swaps, ${sum.faults} faults, slowest return ${Math.round(sum.slowestMs)} ms`,
);
process.exitCode = sum.faults === 0 ? 0 : 1;

/** Has lies told on a ground of their own, and adds up what came of them. */
async function tellAll(lies: readonly string[]): Promise<void> {
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
    for (const name of lies) {
      const faults = await trial.tell(name);
      sum.lies += 1;
      const { requests, swaps } = trial.report();
      const seconds = Math.round((performance.now() - startedAtMs) / 1000);
      const sofar = `${sum.requests + requests} requests, ${sum.swaps + swaps} swaps, ${seconds} s`;
      console.log(`${sum.lies}/${names.length} ${name}: ${faults.length} faults; ${sofar}`);
      for (const fault of faults.slice(0, 20)) console.log(`BROKEN: ${fault}`);
    }
    for (const fault of await trial.checkPlans()) console.log(`BROKEN: ${fault}`);
    trial.close();
    const { tally, recoveriesMs, requests, swaps } = trial.report();
    for (const line of tally.table()) console.log(line);
    const unanswered = unansweredQuotes(tally, lies);
    for (const fault of unanswered) console.log(`BROKEN: ${fault}`);
    sum.requests += requests;
    sum.swaps += swaps;
    sum.faults += tally.faults.length + unanswered.length;
    sum.slowestMs = Math.max(sum.slowestMs, ...recoveriesMs);
  } finally {
    await ground.close();
  }
}

/** With two honest nodes beside the liar, quotes are answered all the time. */
function unansweredQuotes(tally: Tally, lies: readonly string[]): string[] {
  const services = ARRANGEMENTS.filter(({ nodes }) => nodes.includes('third')).map(({ name }) => name);
  return services.flatMap((service) =>
    lies.flatMap((lie) => {
      const count = tally.of(lie, service, /^quote 503/);
      return count === 0 ? [] : [`${lie} / ${service}: ${count} quotes were not answered`];
    }),
  );
}
