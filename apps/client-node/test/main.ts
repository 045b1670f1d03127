/**
 * `npm run nightly:relay -- [--executions N] [--payments N] [--kills N] [--reorganisations N] [--seed N]`: a long life of a
 * relayer whose process is killed again and again; with --payments also of a whole node. Ends with an error at the first
 * call that was not executed exactly once.
 */
import { parseArgs } from 'node:util';
import { createRandom } from '@fairway/testing';
import { liveOnce } from './exactlyOnce.ts';
import { payOnce } from './payOnce.ts';

const { values } = parseArgs({
  options: {
    executions: { type: 'string', default: '200' },
    payments: { type: 'string', default: '0' },
    kills: { type: 'string', default: '200' },
    reorganisations: { type: 'string', default: '80' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
  },
});
console.log(`--seed ${values.seed}`);
const life = {
  executions: Number(values.executions),
  kills: Number(values.kills),
  reorganisations: Number(values.reorganisations),
};
console.log(await liveOnce(life, createRandom(Number(values.seed))));
const payments = Number(values.payments);
if (payments > 0)
  console.log(await payOnce({ payments, kills: life.kills }, createRandom(Number(values.seed))));
