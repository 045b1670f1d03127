import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createWindowCounter } from './windowCounter.ts';

test('windows that have ended are forgotten, whichever key is counted or asked for next', () => {
  let now = 0;
  const counter = createWindowCounter(60, () => now);
  for (let name = 0; name < 1_000; name += 1) counter.count(`name ${name}`);
  now = 30_000;
  counter.count('later');
  assert.equal(counter.size(), 1_001);
  now = 60_000;
  counter.count('another');
  assert.equal(counter.size(), 2);
  now = 90_000;
  assert.equal(counter.used('nobody'), 0);
  assert.equal(counter.size(), 1);
  now = 120_000;
  assert.equal(counter.used('another'), 0);
  assert.equal(counter.size(), 0);
});

test('a key is counted until its window ends, and then from one again', () => {
  let now = 0;
  const counter = createWindowCounter(60, () => now);
  assert.deepEqual(counter.count('key'), { used: 1, restSeconds: 60 });
  now = 59_999;
  assert.deepEqual(counter.count('key'), { used: 2, restSeconds: 1 });
  assert.equal(counter.used('key'), 2);
  now = 60_000;
  assert.deepEqual(counter.count('key'), { used: 1, restSeconds: 60 });
});

test('of more keys than are remembered within a window the oldest is forgotten', () => {
  const counter = createWindowCounter(60, () => 0, 2);
  for (const key of ['one', 'two', 'three']) counter.count(key);
  assert.equal(counter.size(), 2);
  assert.deepEqual(['one', 'two', 'three'].map(counter.used), [0, 1, 1]);
});
