import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCheckPlaces, type PlaceLimits } from './checkPlaces.ts';

/** Places whose checks end when the test says so. */
function placesOfTest(changes: Partial<PlaceLimits> = {}) {
  const places = createCheckPlaces({ all: 2, ofOneNetwork: 1, waiting: 4, patienceMs: 60_000, ...changes });
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const run = (network: string, name: string, most = 100) =>
    places.run(network, most, () => {
      begun.push(name);
      return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
    });
  const settle = () => new Promise(setImmediate);
  const end = async (name: string) => {
    await settle();
    ends.get(name)?.();
    await settle();
  };
  return { run, end, begun, settle };
}

test('networks take turns, however many checks one of them sends', async () => {
  const { run, end, begun, settle } = placesOfTest();
  const all = [
    run('a', 'a1'),
    run('a', 'a2'),
    run('a', 'a3'),
    run('b', 'b1'),
    run('c', 'c1'),
    run('c', 'c2'),
  ];
  await settle();
  assert.deepEqual(begun, ['a1', 'b1']);
  for (const name of ['a1', 'b1', 'a2', 'c1', 'a3', 'c2']) await end(name);
  assert.deepEqual(begun, ['a1', 'b1', 'a2', 'c1', 'a3', 'c2']);
  assert.deepEqual(await Promise.all(all), ['a1', 'a2', 'a3', 'b1', 'c1', 'c2']);
});

test('a network has no more checks than it may have, those that wait included', async () => {
  const { run, end } = placesOfTest();
  const first = run('a', 'a1', 2);
  const second = run('a', 'a2', 2);
  assert.equal(await run('a', 'a3', 2), undefined);
  await end('a1');
  await end('a2');
  assert.deepEqual(await Promise.all([first, second]), ['a1', 'a2']);
});

test('when too many wait, the last one of the longest line makes room for another network', async () => {
  const { run, end } = placesOfTest({ waiting: 2 });
  const kept = [run('a', 'a1'), run('b', 'b1'), run('a', 'a2')];
  const last = run('a', 'a3');
  kept.push(run('c', 'c1'));
  assert.equal(await last, undefined);
  assert.equal(await run('d', 'd1'), undefined, 'no line is longer than its own would be');
  for (const name of ['a1', 'b1', 'a2', 'c1']) await end(name);
  assert.deepEqual(await Promise.all(kept), ['a1', 'b1', 'a2', 'c1']);
});

test('a check that finds no place in time does not run, and leaves nothing behind', async () => {
  const { run, end, begun } = placesOfTest({ patienceMs: 5 });
  const first = run('a', 'a1');
  assert.equal(await run('a', 'a2'), undefined);
  await end('a1');
  const next = run('a', 'a3');
  await end('a3');
  assert.deepEqual([await first, await next, begun], ['a1', 'a3', ['a1', 'a3']]);
});

test('a check that fails gives its place back', async () => {
  const places = createCheckPlaces({ all: 1, ofOneNetwork: 1, waiting: 4, patienceMs: 60_000 });
  await assert.rejects(
    places.run('a', 9, () => Promise.reject(new Error('away'))),
    /away/,
  );
  assert.equal(await places.run('b', 9, () => Promise.resolve(7)), 7);
});
