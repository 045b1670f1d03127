import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withPatience } from './withPatience.ts';

const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;

test('work that ends in time gives its result or its failure, and no timer is left', async () => {
  const before = timers();
  assert.equal(await withPatience(Promise.resolve('done'), 60_000), 'done');
  await assert.rejects(withPatience(Promise.reject(new Error('broken')), 60_000), /broken/);
  assert.equal(timers(), before);
});

test('work that takes longer than the patience gives undefined, and may still fail', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const work = Promise.withResolvers<string>();
  const waiting = withPatience(work.promise, 1000);
  t.mock.timers.tick(1000);
  assert.equal(await waiting, undefined);
  work.reject(new Error('a failure after the wait'));
  await new Promise((resolve) => setImmediate(resolve));
});
