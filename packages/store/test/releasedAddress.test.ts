import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseUnavailableError } from '@fairway/postgres';
import { sql } from 'kysely';
import { openStore } from '../src/index.ts';
import { MADE_AT_MS, newPlan, RECIPIENT, REQUEST } from './plans.ts';
import { openTestStore } from './storeOfTest.ts';

const bench = await openTestStore();
after(() => bench.close());

/** A way to the database that is lost once a client has sent a COMMIT, while the server works on it. */
async function startFragileWay() {
  const { host, user, database } = bench.postgres.connection;
  let isFragile = false;
  const server = createServer((client) => {
    const upstream = connect(join(host, '.s.PGSQL.5432'));
    client.on('error', () => {}).on('close', () => upstream.end());
    upstream.on('error', () => {}).on('data', (bytes) => client.destroyed || client.write(bytes));
    client.on('data', (bytes) => {
      upstream.write(bytes);
      if (!isFragile || !bytes.includes('commit')) return;
      isFragile = false;
      client.destroy();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `postgres://${user}@127.0.0.1:${port}/${database}`,
    loseNextCommit: () => void (isFragile = true),
    close: () => server.close(),
  };
}

test('a payment that takes an address is not called refused while its commit still runs', async () => {
  const way = await startFragileWay();
  after(() => way.close());
  const opened = await openStore({
    connection: { url: way.url },
    sealingKeys: [bench.sealingKey],
    now: () => new Date(bench.clock.nowMs),
  });
  assert.ok(opened.ok);
  after(() => opened.store.close());
  // A commit that takes a while, as that of a server that waits for its standby.
  await sql`create function wait() returns trigger language plpgsql as
    $$ begin perform pg_sleep(1); return null; end $$`.execute(bench.database);
  await sql`create constraint trigger waits after insert on plans deferrable initially deferred
    for each row when (new.client_reference like 'slow%') execute function wait()`.execute(bench.database);

  for (const isNamed of [true, false]) {
    const account = `0x${isNamed ? 'd1'.repeat(20) : 'd2'.repeat(20)}` as const;
    const options = { slippageBps: 50, collectLifeMs: 14 * 86_400_000, depositAddress: account } as const;
    if (isNamed) await bench.create(newPlan({ options }), bench.otherScope);
    const plan = newPlan({
      clientReference: `slow ${account}`,
      options: { ...options, isAddressProven: true },
    });
    way.loseNextCommit();
    const made: unknown = await opened.store.payments
      .createPlan(bench.scope, {
        ...{ plan, actor: 'cred_test', bodyFingerprint: REQUEST, recipient: RECIPIENT },
        proven: { chainId: 31337, account, fromBlock: 100, atMs: MADE_AT_MS },
      })
      .catch((error: unknown) => error);
    await sleep(1_500);
    const { plan: kept } = await bench.store.payments.loadPlan(bench.scope, plan.planId);
    assert.ok(kept, 'the commit went on');
    assert.ok(!(made instanceof DatabaseUnavailableError) || made.isOutcomeUnknown, String(made));
    assert.ok(!(made instanceof Error), String(made));
  }
});
