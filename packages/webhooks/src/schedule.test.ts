import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextAttemptMs } from './schedule.ts';
import { readRetryAfterMs } from './schedule.ts';

const HOUR_MS = 3_600_000;
const WAITS_MS = [
  0,
  5000,
  300_000,
  HOUR_MS / 2,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];

test('ten attempts are made, further and further apart, and none after them', () => {
  for (const [failed, waitMs] of WAITS_MS.entries()) assert.equal(nextAttemptMs(failed, 0), waitMs);
  for (const failed of [10, 11, 1000]) assert.equal(nextAttemptMs(failed, 0), undefined);
});

test('up to a tenth is added to each wait, and nothing is taken off', () => {
  for (const [failed, waitMs] of WAITS_MS.entries()) {
    assert.equal(nextAttemptMs(failed, 1), (waitMs * 11) / 10);
    assert.equal(nextAttemptMs(failed, 0.5), (waitMs * 21) / 20);
  }
});

test('what the receiver asks for makes a wait longer, never shorter, and adds no attempt', () => {
  assert.equal(nextAttemptMs(1, 0, 60_000), 60_000);
  assert.equal(nextAttemptMs(1, 1, 60_000), 66_000);
  assert.equal(nextAttemptMs(1, 0, 1000), 5000);
  assert.equal(nextAttemptMs(4, 0, HOUR_MS), 2 * HOUR_MS);
  assert.equal(nextAttemptMs(10, 0, 1000), undefined);
});

test('Retry-After is read as seconds or as a date, up to an hour; any other text is ignored', () => {
  const nowMs = Date.UTC(2026, 10, 25, 12);
  const read: [string, number | undefined][] = [
    ['0', 0],
    ['120', 120_000],
    ['3600', HOUR_MS],
    ['3601', HOUR_MS],
    ['9999999999', HOUR_MS],
    ['Wed, 25 Nov 2026 12:00:30 GMT', 30_000],
    ['Wed, 25 Nov 2026 11:59:59 GMT', 0],
    ['Thu, 25 Nov 2027 12:00:00 GMT', HOUR_MS],
    ['', undefined],
    ['99999999999', undefined],
    ['1.5', undefined],
    ['-1', undefined],
    ['+1', undefined],
    ['0x10', undefined],
    [' 1', undefined],
    ['tomorrow', undefined],
    ['2026-11-25T12:00:30Z', undefined],
    ['Wed Nov 25 12:00:30 2026', undefined],
    ['Wed, 25 Nov 2026 12:00:30 PST', undefined],
    ['Wed, 99 Nov 2026 12:00:30 GMT', undefined],
  ];
  for (const [text, waitMs] of read) assert.equal(readRetryAfterMs(text, nowMs), waitMs, text);
});
