// Two sandboxes on one PostgreSQL server, each with a demo credential of its own.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startTestDatabase } from '@fairway/testing';
import { basic } from './harness.ts';
import { startFairway } from './commandHarness.ts';
import { endEverything, type Ready } from './processHarness.ts';

const database = await startTestDatabase();
after(async () => {
  await endEverything();
  await database?.close();
});

function startSandbox() {
  const { host, user, database: name } = database.connection;
  return startFairway(['--port', '0'], {
    DATABASE_URL: `postgresql://${user}@/${name}?host=${encodeURIComponent(host)}`,
  });
}

async function statusOf({ url }: Ready, { username, password }: Ready): Promise<number> {
  const headers = { authorization: basic(username, password) };
  return (await fetch(`${url}/v1/markets/chains`, { headers })).status;
}

test('a sandbox revokes its own demo credential at its end and no other credential', async () => {
  const first = await startSandbox();
  const second = await startSandbox();
  assert.equal(await statusOf(second.ready, first.ready), 200);
  assert.equal(await first.stop(), 0);
  assert.equal(await statusOf(second.ready, second.ready), 200);
  const third = await startSandbox();
  assert.equal(await statusOf(third.ready, first.ready), 401, 'the credential ended with its sandbox');
  assert.equal(await statusOf(third.ready, second.ready), 200);
  for (const service of [second, third]) assert.equal(await service.stop(), 0);
});
