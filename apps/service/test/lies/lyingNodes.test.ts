// Services beside a node that tells every kind of lie, while the chain trades: no false answer leaves, every refusal is a 503
// that says when to ask again, and every service comes back by itself after the lie. `npm run nightly:lies` asks more, and limits the time to 10 s.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createRandom, LIE_NAMES } from '@fairway/testing';
import { ARRANGEMENTS, type Ground, startGround } from './ground.ts';
import { type RunningTrial, startTrial } from './trial.ts';

const random = createRandom();
let ground: Ground;
let trial: RunningTrial;

before(async () => {
  ground = await startGround(random);
  // Each place of the liar and each kind of third node once; the nightly script has all combinations.
  const names = ['liar first of two', 'liar last, third dead', 'liar first, third honest'];
  const arrangements = ARRANGEMENTS.filter(({ name }) => names.includes(name));
  trial = await startTrial({
    ground,
    random,
    requestsPerLie: 3,
    swapsPerLie: 1,
    lieMs: 1000,
    arrangements,
    returnMs: 60_000,
  });
});
after(async () => {
  trial?.close();
  await ground?.close();
});

for (const name of LIE_NAMES)
  test(`a node that lies is not believed: ${name} (FC_SEED=${random.seed})`, async () => {
    assert.deepEqual(await trial.tell(name), []);
  });

test('plans have the deposits that were made, and none that were invented', async () => {
  assert.deepEqual(await trial.checkPlans(), []);
  const { tally, recoveriesMs, requests, swaps } = trial.report();
  for (const line of tally.table()) console.log(line);
  console.log(`${requests} requests, ${swaps} swaps, slowest return ${Math.max(...recoveriesMs)} ms`);
});
