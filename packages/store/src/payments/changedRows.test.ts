import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changedRows } from './changedRows.ts';

const row = (position: number, outcome: string, step_id = 'step_1') => ({
  step_id,
  position,
  quote: { outcome },
});

test('a row has changed when it is new or differs from the row in the same place', () => {
  const before = [row(0, 'FAILED'), row(1, 'OPEN'), row(0, 'OPEN', 'step_2')];
  assert.deepEqual(changedRows(before, structuredClone(before)), []);
  const after = [row(0, 'FAILED'), row(1, 'FAILED'), row(2, 'OPEN'), row(0, 'FAILED', 'step_2')];
  assert.deepEqual(changedRows(before, after), [after[1], after[2], after[3]]);
  assert.deepEqual(changedRows([], before), before);
  const withoutPosition = [{ step_id: 'step_1', status: 'DONE' }];
  assert.deepEqual(changedRows([{ step_id: 'step_1', status: 'READY' }], withoutPosition), withoutPosition);
});

test('every row is compared once, however many rows there are', () => {
  let looks = 0;
  const rows = (count: number) =>
    Array.from({ length: count }, (_, position) => ({
      step_id: 'step_1',
      get outcome() {
        looks += 1;
        return 'SUPERSEDED';
      },
      position,
    }));
  const looksAt = (count: number): number => {
    looks = 0;
    assert.deepEqual(changedRows(rows(count), rows(count)).length, 0);
    return looks;
  };
  assert.equal(looksAt(400), 4 * looksAt(100));
});
