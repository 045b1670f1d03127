import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAllowances, MOST_UNDER_WAY } from './allowances.ts';

test('an endpoint gets 16 at most, one that fails 2, and what has ended is free again', () => {
  const allowances = createAllowances();
  assert.deepEqual([allowances.more('a', false), allowances.more('b', true)], [16, 2]);
  const ends = Array.from({ length: 16 }, () => allowances.begin('a', false));
  assert.deepEqual([allowances.more('a', false), allowances.of('a')], [0, 16]);
  for (const end of ends) end();
  assert.deepEqual([allowances.more('a', false), allowances.of('a')], [16, 0]);
});

test('however many endpoints hang, some attempts are left for others; failing ones get few', () => {
  const allowances = createAllowances();
  let all = 0;
  const take = (name: string, isFailing: boolean) => {
    for (let more = allowances.more(name, isFailing); more > 0; more -= 1, all += 1)
      allowances.begin(name, isFailing);
  };
  for (let count = 0; count < 200; count += 1) take(`failing ${count}`, true);
  assert.equal(all, 32);
  for (let count = 0; count < 12; count += 1) take(`hung ${count}`, false);
  assert.ok(all < MOST_UNDER_WAY, `${all}`);
  assert.ok(allowances.more('another', false) > 0);
});
