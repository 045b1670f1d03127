import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { getHeapSpaceStatistics } from 'node:v8';
import { startTestDatabase } from '@fairway/testing';
import { sql } from 'kysely';
import { openDatabase } from './database.ts';
import { DatabaseUnavailableError } from './unavailable.ts';

const postgres = await startTestDatabase();
after(() => postgres.close());

const log = () => {};

test('whole numbers of 64 bits arrive as bigint, to the last digit', async () => {
  const database = openDatabase(postgres.connection, log);
  const { rows } = await sql`select 9007199254740993::int8 as big, 5::int4 as small`.execute(database);
  assert.deepEqual(rows, [{ big: 9_007_199_254_740_993n, small: 5 }]);
  await database.destroy();
});

test('rows that were read and dropped are not kept until the whole heap is collected', async () => {
  const database = openDatabase(postgres.connection, log);
  // 100 kB of rows in each of 600 readings.
  const read = () =>
    sql`select repeat('x', 1000) || n as text from generate_series(1, 100) n`.execute(database);
  const oldBytes = () => getHeapSpaceStatistics().find(isOldSpace)?.space_used_size ?? Number.NaN;
  for (let warm = 0; warm < 20; warm += 1) await read();
  const before = oldBytes();
  let most = 0;
  for (let reading = 0; reading < 600; reading += 1) {
    await read();
    most = Math.max(most, oldBytes() - before);
  }
  await database.destroy();
  assert.ok(most < 15_000_000, `the old generation grew by ${most} bytes`);
});

function isOldSpace({ space_name }: { readonly space_name: string }): boolean {
  return space_name === 'old_space';
}

test('every connection finds rows by keys, whatever options the operator gives it', async () => {
  assert.ok('host' in postgres.connection);
  const { host, user, database: name } = postgres.connection;
  const url = `postgres://${user}@/${name}?host=${encodeURIComponent(host)}&options=${encodeURIComponent('-c work_mem=1234kB')}`;
  const settings = sql<{ name: string; setting: string }>`select name, setting from pg_settings
    where name in ('enable_seqscan', 'jit', 'work_mem') order by name`;
  const database = openDatabase({ url }, log);
  const all = await Promise.all(Array.from({ length: 3 }, () => settings.execute(database)));
  for (const { rows } of all)
    assert.deepEqual(
      rows.map(({ setting }) => setting),
      ['off', 'off', '1234'],
    );
  await database.destroy();
});

test('a connection that the server cuts ends no process and is not used again', async () => {
  const lost: string[] = [];
  const database = openDatabase(postgres.connection, (message) => lost.push(message));
  const running = assert.rejects(sql`select pg_sleep(30)`.execute(database), DatabaseUnavailableError);
  for (let cut = 0; cut === 0; ) {
    const { rows } = await sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where query like 'select pg_sleep%' and wait_event = 'PgSleep'`.execute(database);
    cut = rows.length;
  }
  await running;
  assert.equal((await sql`select 1 as n`.execute(database)).rows.length, 1);

  const own = sql`select pg_terminate_backend(pg_backend_pid())`.execute(database);
  await assert.rejects(own, DatabaseUnavailableError);
  for (let again = 0; again < 3; again += 1) {
    assert.equal((await sql`select 1 as n`.execute(database)).rows.length, 1);
  }

  // Between two queries of a transaction nothing is running that the error could reach.
  const between = database.connection().execute(async (held) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(held);
    await sql`select pg_terminate_backend(${rows[0]?.pid}, 5000)`.execute(database);
    await sleep(20);
    return sql`select 1`.execute(held);
  });
  await assert.rejects(between, DatabaseUnavailableError);
  await database.destroy();
});

test('a query that takes too long, and a server that never answers, are unavailable', async () => {
  const limits = { connections: 1, connectTimeoutMs: 200, statementTimeoutMs: 100 };
  const slow = openDatabase(postgres.connection, log, { limits });
  await assert.rejects(sql`select pg_sleep(30)`.execute(slow), {
    name: 'DatabaseUnavailableError',
    message: /^57014/,
  });
  await slow.destroy();

  const silent = createServer((socket) => socket.resume()).listen(0, '127.0.0.1');
  await new Promise((resolve) => silent.once('listening', resolve));
  const address = silent.address();
  assert.ok(address !== null && typeof address === 'object');
  const deaf = openDatabase({ url: `postgres://x@127.0.0.1:${address.port}/x` }, log, { limits });
  await assert.rejects(sql`select 1`.execute(deaf), DatabaseUnavailableError);
  await deaf.destroy();
  await new Promise((resolve) => silent.close(resolve));
});
