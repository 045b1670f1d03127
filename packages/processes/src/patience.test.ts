import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withPatience } from './patience.ts';

test('A promise that is settled in time gives its own result or error', async () => {
  assert.equal(await withPatience(Promise.resolve('done'), 10_000), 'done');
  await assert.rejects(withPatience(Promise.reject(new Error('broken')), 10_000), /broken/);
});

test('No timer is left behind by a promise that is settled in time', async () => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const before = timers();
  await withPatience(Promise.resolve(), 60_000);
  assert.equal(timers(), before);
});

test('A promise that takes longer gives undefined, and its later error is ignored', async () => {
  const work = Promise.withResolvers<string>();
  assert.equal(await withPatience(work.promise, 1), undefined);
  work.reject(new Error('too late'));
  await new Promise((resolve) => setImmediate(resolve));
});
