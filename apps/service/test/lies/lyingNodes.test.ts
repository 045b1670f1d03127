// Services beside a node that lies, while the chain trades: no false answer leaves, and every service comes back by
// itself after each lie. These are five kinds, of the head, logs, states, transactions and simulations; `npm run nightly:lies` tells all of them.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createRandom } from '@fairway/testing';
import { ARRANGEMENTS, type Ground, startGround } from './ground.ts';
import { type RunningTrial, startTrial } from './trial.ts';

const LIES = [
  'frozen head',
  'one log missing',
  'wrong reserves',
  'changed transactions',
  'halved simulations',
];
/** The liar asked first beside one honest node, and last beside two; the nightly script has all places. */
const PLACES = ['liar first, third dead', 'liar last, third honest'];
const REQUESTS = 60;

const random = createRandom();
let ground: Ground;
let trial: RunningTrial;

before(async () => {
  ground = await startGround(random);
  trial = await startTrial({
    ground,
    random,
    requestsPerLie: Math.ceil(REQUESTS / LIES.length / PLACES.length),
    swapsPerLie: 1,
    lieMs: 500,
    arrangements: ARRANGEMENTS.filter(({ name }) => PLACES.includes(name)),
    hasAlone: false,
    returnMs: 60_000,
  });
});
after(async () => {
  trial?.close();
  await ground?.close();
});

for (const lie of LIES)
  test(`a node that lies is not believed: ${lie} (FC_SEED=${random.seed})`, async () => {
    assert.deepEqual(await trial.tell(lie), []);
  });

test('after all lies, plans have the deposits that were made, and none that were invented', async () => {
  assert.deepEqual(await trial.checkPlans(), []);
  const { requests, swaps } = trial.report();
  assert.ok(requests >= REQUESTS, `${requests} requests, ${swaps} of them swaps`);
});
