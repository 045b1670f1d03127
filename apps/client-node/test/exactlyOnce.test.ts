// The process is killed, sends and replies are lost, the chain is reorganised: each call is executed exactly once.
import { test } from 'node:test';
import { createRandom } from '@fairway/testing';
import { liveOnce } from './exactlyOnce.ts';

test('each call is executed exactly once by a process that is killed again and again', async () => {
  const random = createRandom();
  console.log(`FC_SEED=${random.seed}`);
  console.log(await liveOnce({ executions: 20, kills: 6, reorganisations: 6 }, random));
});
