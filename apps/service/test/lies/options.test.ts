import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIE_NAMES } from '@fairway/testing';
import { readLiesOptions } from './options.ts';

test('a run of lies that would ask nothing does not start', () => {
  assert.deepEqual(readLiesOptions([]).names, LIE_NAMES);
  assert.partialDeepStrictEqual(readLiesOptions(['--requests', '70', '--only', 'slow']), { requests: 70 });
  for (const option of ['requests', 'swaps', 'seed', 'lie-ms'])
    for (const text of ['abc', '', '1.5', '1e3'])
      assert.throws(() => readLiesOptions([`--${option}`, text]), new RegExp(`--${option} must be`));
  for (const option of ['requests', 'swaps'])
    assert.throws(() => readLiesOptions([`--${option}`, '0']), /at least 1/);
  assert.throws(() => readLiesOptions(['--only', 'no such lie']), /no lie has this in its name/);
});
