import assert from 'node:assert/strict';
import { test } from 'node:test';
import { welchT } from './welch.ts';

test('Welch’s t is the difference of the means in standard errors', () => {
  // Means 2 and 5, variances 1 and 4, of 3 and 5 values: -3 / sqrt(1/3 + 4/5).
  const t = welchT([1, 2, 3], [3, 4, 4, 6, 8]);
  assert.ok(Math.abs(t - -3 / Math.sqrt(1 / 3 + 4 / 5)) < 1e-12, String(t));
  assert.equal(welchT([1, 2, 3], [3, 2, 1]), 0);
});
