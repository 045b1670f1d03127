import assert from 'node:assert/strict';
import { test } from 'node:test';
import { monthOf } from './months.ts';

/** Months, and when they begin and end, by the published rules of each zone. */
const MONTHS = [
  ['2026-10', 'UTC', '2026-10-01T00:00:00.000Z', '2026-11-01T00:00:00.000Z'],
  ['2026-10', 'Australia/Sydney', '2026-09-30T14:00:00.000Z', '2026-10-31T13:00:00.000Z'],
  ['2026-03', 'Europe/Berlin', '2026-02-28T23:00:00.000Z', '2026-03-31T22:00:00.000Z'],
  ['2026-12', 'America/New_York', '2026-12-01T05:00:00.000Z', '2027-01-01T05:00:00.000Z'],
  ['2026-02', 'Asia/Kathmandu', '2026-01-31T18:15:00.000Z', '2026-02-28T18:15:00.000Z'],
  // Clocks were put forward at midnight: the month began at one o'clock.
  ['2017-10', 'America/Asuncion', '2017-10-01T04:00:00.000Z', '2017-11-01T03:00:00.000Z'],
  // Clocks were put back at one o'clock of the first day: midnight came twice.
  ['2020-11', 'America/Havana', '2020-11-01T04:00:00.000Z', '2020-12-01T05:00:00.000Z'],
] as const;

test('a month begins at its first moment in its time zone', () => {
  for (const [period, timezone, from, to] of MONTHS) {
    const { fromMs, toMs } = monthOf(period, timezone);
    assert.deepEqual(
      [new Date(fromMs).toISOString(), new Date(toMs).toISOString()],
      [from, to],
      `${period} ${timezone}`,
    );
  }
});

test('months follow each other without a gap', () => {
  for (const timezone of ['Australia/Lord_Howe', 'America/Asuncion', 'Africa/Cairo', 'Pacific/Apia'])
    for (let year = 2005; year < 2027; year += 1)
      for (let month = 1; month < 12; month += 1) {
        const name = (at: number) => `${year}-${String(at).padStart(2, '0')}`;
        const [one, next] = [monthOf(name(month), timezone), monthOf(name(month + 1), timezone)];
        assert.equal(one.toMs, next.fromMs, `${name(month)} ${timezone}`);
      }
});
