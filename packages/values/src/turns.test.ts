import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTurns } from './turns.ts';

test('work of many does not wait for all the work of one', async () => {
  const turns = createTurns(1);
  const done: string[] = [];
  const work = (whose: string) => turns(whose, async () => void (await sleep(1), done.push(whose)));
  await Promise.all([...Array.from({ length: 10 }, () => work('busy')), work('other'), work('third')]);
  assert.ok(done.indexOf('other') <= 3 && done.indexOf('third') <= 4, done.join());
  assert.equal(done.length, 12);
});
