import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readDuration } from './duration.ts';

const nowMs = Date.UTC(2026, 2, 1);

test('a duration is read as whole seconds, no fewer than the least', () => {
  assert.deepEqual(readDuration('PT24H', nowMs, 0), { ok: true, seconds: 86_400 });
  assert.deepEqual(readDuration('PT0S', nowMs, 0), { ok: true, seconds: 0 });
  assert.deepEqual(readDuration('PT0S', nowMs, 1), { ok: false, must: 'at least 1 s' });
  assert.deepEqual(readDuration('-PT1S', nowMs, 0), { ok: false, must: 'at least 0 s' });
  assert.deepEqual(readDuration('PT0.5S', nowMs, 0), { ok: false, must: 'a whole number of seconds' });
});

test('months have their calendar length, and a duration is at most ten years', () => {
  assert.deepEqual(readDuration('P1M', nowMs, 1), { ok: true, seconds: 31 * 86_400 });
  assert.deepEqual(readDuration('P10YT1S', nowMs, 1), { ok: false, must: 'at most 10 years' });
  assert.deepEqual(readDuration('a while', nowMs, 1), {
    ok: false,
    must: 'an ISO 8601 duration, such as PT20M or P1D',
  });
});
