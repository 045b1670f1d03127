import assert from 'node:assert/strict';
import { test } from 'node:test';
import { timestampOf, timestampToMs } from './timestamp.ts';

const NOON = Date.UTC(2026, 2, 1, 12);

test('date-times are read in any zone and letter case', () => {
  for (const text of [
    '2026-03-01T12:00:00Z',
    '2026-03-01t12:00:00z',
    '2026-03-01T12:00:00.000Z',
    '2026-03-01T14:00:00+02:00',
    '2026-03-01T06:30:00-05:30',
    '2026-03-02T11:59:00+23:59',
  ]) {
    assert.equal(timestampToMs(text), NOON, text);
  }
  assert.equal(timestampToMs('2026-03-01T12:00:00.5Z'), NOON + 500);
  assert.equal(timestampToMs('0000-12-31T23:00:00-01:00'), Date.parse('0001-01-01T00:00:00Z'));
  assert.equal(timestampToMs('2024-02-29T00:00:00Z'), Date.UTC(2024, 1, 29));
});

test('instants are written with milliseconds, cut off and not rounded', () => {
  for (const ms of [
    NOON,
    NOON + 7,
    NOON + 999,
    NOON + 999.9,
    NOON + 1_000,
    NOON,
    0,
    -1,
    -0.5,
    -1_000,
    -62_135_596_800_000,
  ])
    assert.equal(timestampOf(ms), new Date(ms).toISOString());
  assert.throws(() => timestampOf(Number.NaN), RangeError);
});

test('any other text is not a date-time', () => {
  for (const text of [
    '',
    '2026-03-01',
    '2026-03-01T12:00Z',
    '2026-03-01 12:00:00Z',
    '2026-03-01T12:00:00',
    '2026-03-01T12:00:00+0200',
    '2026-03-01T24:00:00Z',
    '2026-03-01T12:60:00Z',
    '2026-03-01T12:00:60Z',
    '2026-02-29T12:00:00Z',
    '2026-13-01T12:00:00Z',
    '2026-00-10T12:00:00Z',
    '2026-04-31T12:00:00Z',
    '2026-03-01T12:00:00+24:00',
    '+002026-03-01T12:00:00Z',
    '2026-03-01T12:00:00Z\n',
    ' 2026-03-01T12:00:00Z',
    '1772366400',
    '9999-12-31T23:59:59-01:00',
    '0000-12-31T23:59:59Z',
    '0001-01-01T00:00:00+01:00',
    '２026-03-01T12:00:00Z',
  ]) {
    assert.equal(timestampToMs(text), undefined, JSON.stringify(text));
  }
});
