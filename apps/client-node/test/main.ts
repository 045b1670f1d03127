/**
 * `npm run nightly:relay -- [--executions N] [--payments N] [--kills N] [--reorganisations N] [--seed N] [--planted]`: long
 * lives of a relayer and of a whole node, whose processes are killed again and again. Kills and reorganisations are shared out between
 * executions and payments. Ends with an error at the first call that was not executed exactly once. With --planted payers
 * that have common faults live until each is found.
 */
import { parseArgs } from 'node:util';
import { createRandom } from '@fairway/testing';
import { liveOnce } from './exactlyOnce.ts';
import { FAULTS, type Fault, payOnce } from './payOnce.ts';

const { values: all } = parseArgs({
  options: {
    planted: { type: 'boolean', default: false },
    executions: { type: 'string', default: '200' },
    payments: { type: 'string', default: '60' },
    kills: { type: 'string', default: '200' },
    reorganisations: { type: 'string', default: '80' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
  },
});
const { planted, ...values } = all;
const { executions, payments, kills, reorganisations, seed } = Object.fromEntries(
  Object.entries(values).map(([name, value]) => [name, Number(value)]),
) as Record<keyof typeof values, number>;
console.log(`--seed ${seed}`);
/** The share of the payments. */
const ofPayments = (count: number) => Math.round((count * payments) / Math.max(1, executions + payments));
const [killsPaying, reorganisationsPaying] = [ofPayments(kills), ofPayments(reorganisations)];
if (planted) {
  for (const fault of Object.keys(FAULTS) as Fault[]) await findPayer(fault);
  process.exit();
}
if (executions > 0) {
  const life = {
    executions,
    kills: kills - killsPaying,
    reorganisations: reorganisations - reorganisationsPaying,
  };
  console.log(await liveOnce(life, createRandom(seed)));
}
if (payments > 0) {
  const life = { payments, kills: killsPaying, reorganisations: reorganisationsPaying };
  console.log(await payOnce(life, createRandom(seed), console.log));
}

/** Lives until a payer with a fault has paid twice. Not every life has the moment that it takes. */
async function findPayer(fault: Fault): Promise<void> {
  for (let lives = 0; lives < 10; lives += 1) {
    const life = { payments: 8, kills: 6, reorganisations: 3, fault };
    const found = await payOnce(life, createRandom(seed + lives)).then(
      () => undefined,
      (error: unknown) => String(error),
    );
    if (found !== undefined && !/is paid [2-9]\d* times/.test(found)) throw new Error(found);
    if (found !== undefined) return console.log(`found in life ${lives + 1}: ${FAULTS[fault]}`);
  }
  throw new Error(`not found: ${FAULTS[fault]}`);
}
