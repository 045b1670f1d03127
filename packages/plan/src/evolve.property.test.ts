import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runs, seed } from '@fairway/testing/properties';
import fc from 'fast-check';
import { applied, type Change, changesBetween } from './evolve.ts';

// Through JSON, which has no -0.
const value = fc.json({ maxDepth: 4 }).map((text) => JSON.parse(text) as unknown);
/** Few names, so that two values share places and differ below them. */
const members = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.array(value, { maxLength: 4 }), {
  maxKeys: 3,
  noNullPrototype: true,
});

function after(before: unknown, changes: readonly Change[]): unknown {
  return applied(before as Parameters<typeof applied>[0], changes);
}

test('the changes between two values make the second of the first, written down or not', () => {
  const property = fc.property(members, members, (one, two) => {
    const changes = changesBetween(one, two);
    assert.deepEqual(after(one, changes), two);
    assert.deepEqual(after(one, JSON.parse(JSON.stringify(changes)) as Change[]), two);
    assert.deepEqual(changesBetween(one, structuredClone(one)), []);
  });
  fc.assert(property, { seed, numRuns: runs(2_000) });
});

test('changes have an outcome at every value', () => {
  const property = fc.property(members, members, value, (one, two, other) => {
    after(other, changesBetween(one, two));
  });
  fc.assert(property, { seed, numRuns: runs(1_000) });
});

test('a change says what is new, and no more', () => {
  const item = { amount: '1' };
  const before = { status: 'PENDING', rows: [item, { amount: '2' }], note: 'x' };
  assert.deepEqual(changesBetween(before, { status: 'DONE', rows: [item, { amount: '3' }, item] }), [
    { at: ['note'] },
    { at: ['rows', 1, 'amount'], to: '3' },
    { at: ['rows'], keep: 2, add: [item] },
    { at: ['status'], to: 'DONE' },
  ]);
  assert.deepEqual(changesBetween(before, { ...before, rows: [item] }), [{ at: ['rows'], keep: 1, add: [] }]);
});
