import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pause, withPatience } from './patience.ts';

const never = new Promise<string>(() => {});

test('a promise that ends in time is answered as it ends', async () => {
  assert.equal(await withPatience(Promise.resolve('done'), 60_000), 'done');
  await assert.rejects(withPatience(Promise.reject(new Error('broken')), 60_000), /broken/);
});

test('a promise that takes too long is left alone, and its later rejection is ignored', async () => {
  const { promise, reject } = Promise.withResolvers<string>();
  assert.equal(await withPatience(promise, 1), undefined);
  reject(new Error('nobody waits for this any more'));
  await new Promise(setImmediate);
});

test('no timer keeps the process waiting after the promise has ended', async () => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const before = timers();
  await withPatience(Promise.resolve(), 60_000);
  assert.equal(timers(), before);
});

test('a pause ends at once when its signal is aborted, be it before or during the pause', async () => {
  const controller = new AbortController();
  const paused = pause(60_000, controller.signal);
  controller.abort();
  await paused;
  await pause(60_000, controller.signal);
  assert.equal(await withPatience(never, 1), undefined);
});
