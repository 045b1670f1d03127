import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { startClockGuard } from './guard.ts';

const DATABASE_MS = Date.UTC(2026, 10, 22, 12, 0, 0);

/** A guard over a machine that is ahead of the database by this time, and what it has logged. */
function guarded(aheadMs: number) {
  const logged: { readonly level: number; readonly machineTime: string }[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => logged.push(JSON.parse(line)) });
  const guard = startClockGuard({ nowMs: () => DATABASE_MS, aheadMs: () => aheadMs }, log);
  guard.close();
  return { fault: guard.fault(), logged };
}

test('a machine whose clock is up to ten seconds off the database is trusted', () => {
  for (const aheadMs of [0, 10_000, -10_000]) {
    const { fault, logged } = guarded(aheadMs);
    assert.equal(fault, undefined);
    assert.deepEqual(logged, []);
  }
});

test('a machine whose clock is further off is not trusted, and the log has both times', () => {
  const ahead = guarded(2 * 3_600_000);
  assert.match(ahead.fault ?? '', /7200 s ahead of the database's/);
  assert.partialDeepStrictEqual(ahead.logged, [
    { level: 50, databaseTime: '2026-11-22T12:00:00.000Z', machineTime: '2026-11-22T14:00:00.000Z' },
  ]);
  assert.match(guarded(-25 * 60_000).fault ?? '', /1500 s behind the database's/);
});
