/**
 * `npm run nightly:relay -- [--executions N] [--kills N] [--reorganisations N] [--seed N]`: a long life of a relayer whose
 * process is killed again and again. Ends with an error at the first call that was not executed exactly once.
 */
import { parseArgs } from 'node:util';
import { createRandom } from '@fairway/testing';
import { liveOnce } from './exactlyOnce.ts';

const { values } = parseArgs({
  options: {
    executions: { type: 'string', default: '200' },
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
