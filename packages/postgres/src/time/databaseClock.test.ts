import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTestDatabase } from '@fairway/testing';
import { sql } from 'kysely';
import { openDatabase } from '../connection/database.ts';
import { startDatabaseClock } from './databaseClock.ts';

let postgres: Awaited<ReturnType<typeof startTestDatabase>>;
let database: ReturnType<typeof openDatabase>;
before(async () => {
  postgres = await startTestDatabase();
  database = openDatabase(postgres.connection, () => {});
});
after(async () => {
  await database?.destroy();
  await postgres?.close();
});

async function serverMs(): Promise<number> {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(database);
  return rows[0]?.now.getTime() ?? assert.fail();
}

for (const [name, offMs] of [
  ['two hours ahead', 7_200_000],
  ['an hour behind', -3_600_000],
] as const)
  test(`the time is the server's on a machine whose clock is ${name}`, async () => {
    const wallClockMs = () => Date.now() + offMs;
    const clock = await startDatabaseClock(database, { monotonicMs: () => performance.now(), wallClockMs });
    const earliest = await serverMs();
    const told = clock.nowMs();
    const latest = await serverMs();
    assert.ok(told <= latest && told > earliest - 1_000, `${earliest} ${told} ${latest}`);
    assert.ok(Math.abs(clock.aheadMs() - offMs) < 1_000, String(clock.aheadMs()));
    clock.close();
  });

test('between two readings the time goes on without the wall clock of the machine', async () => {
  let monotonicMs = 5;
  let wallClockMs = await serverMs();
  const clock = await startDatabaseClock(database, {
    monotonicMs: () => monotonicMs,
    wallClockMs: () => wallClockMs,
  });
  const atFirst = clock.nowMs();
  wallClockMs += 86_400_000;
  assert.equal(clock.nowMs(), atFirst);
  monotonicMs += 60_000;
  assert.equal(clock.nowMs(), atFirst + 60_000);
  clock.close();
});

test('a clock is not started without a first reading', async () => {
  const away = openDatabase({ url: 'postgres://x@127.0.0.1:1/x' }, () => {});
  await assert.rejects(startDatabaseClock(away));
  await away.destroy();
});
