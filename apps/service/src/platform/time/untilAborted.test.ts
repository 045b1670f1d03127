import assert from 'node:assert/strict';
import { test } from 'node:test';
import { untilAborted } from './untilAborted.ts';

test('work that is done first is returned, and a later signal changes nothing', async () => {
  const stop = new AbortController();
  const discarded: string[] = [];
  assert.equal(
    await untilAborted(stop.signal, Promise.resolve('done'), (late) => discarded.push(late)),
    'done',
  );
  stop.abort();
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(discarded, []);
});

test('a signal ends the wait, and a later result is discarded', async () => {
  const stop = new AbortController();
  const work = Promise.withResolvers<string>();
  const discarded: string[] = [];
  const waiting = untilAborted(stop.signal, work.promise, (late) => discarded.push(late));
  stop.abort(new Error('ended'));
  await assert.rejects(waiting, /ended/);
  work.resolve('too late');
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(discarded, ['too late']);
  const failing = Promise.reject(new Error("a late failure is nobody's"));
  await assert.rejects(
    untilAborted(stop.signal, failing),
    /ended/,
    'a signal that was given before the wait ends it, too',
  );
});
