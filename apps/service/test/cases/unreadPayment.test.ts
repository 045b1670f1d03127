// A payment to the settlement address may be the swap of a plan; this is known once its transaction is read. Only that plan
// waits, and only with work that could move its money twice.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { startTestDatabase } from '@fairway/testing';
import type { Corridor, Health, PaymentPlan } from '@fairway/wire';
import { Client } from 'pg';
import { startTestService, type TestService } from '../harness.ts';
import { urlOf } from '../paymentCalls.ts';
import { assertProblem, freshAddress, type PaymentsClient, paymentsClient } from '../paymentsHarness.ts';

let database: Awaited<ReturnType<typeof startTestDatabase>>;
let service: TestService;
let client: PaymentsClient;
let sql: Client;

before(async () => {
  database = await startTestDatabase();
  sql = new Client(database.connection);
  await sql.connect();
  service = await startTestService([], { database: { kind: 'SERVER', url: urlOf(database.connection) } });
  client = paymentsClient(service.url, service.authorization);
});
after(async () => {
  await service?.close();
  await sql?.end();
  await database?.close();
});

/** Writes a payment as the record does of a transaction that is still to be read. No node has this one. */
async function addUnread({ corridorId }: PaymentPlan, amount: bigint): Promise<void> {
  const corridors = (await client.ask('/v1/markets/corridors')).json as readonly Corridor[];
  const { chainId, token, settlementAddress } = corridors.find(({ id }) => id === corridorId)?.target ?? {};
  const txHash = `0x${randomBytes(32).toString('hex')}`;
  await sql.query(
    `insert into chain_unread (environment, chain_id, block_hash, tx_hash, log_index, block_number, block_time, token,
       from_address, to_address, amount)
     select environment, chain_id, read_hash, $1, 0, read_number, clock_timestamp(), $2, $3, $4, $5
     from chain_records where chain_id = $6`,
    [txHash, token?.toLowerCase(), freshAddress(), settlementAddress?.toLowerCase(), String(amount), chainId],
  );
}

test('a payment that is not read yet holds back instructions only where it may be the swap', async () => {
  const made = await client.plan({ options: { mode: 'STANDARD', depositAddress: freshAddress() } });
  const plan = (await client.simulate(made, 'AWAIT_DEPOSIT', 'deposit.exact')).body;
  const ready = await client.until(plan, 'the swap is due', (now) => now.steps[1]?.status === 'READY');
  await addUnread(ready, 1n);
  const refreshed = await client.refresh(ready);
  assert.equal(refreshed.status, 200);
  await addUnread(ready, 10n ** 20n);
  const before = await client.get(ready.planId);
  const refused = await client.refresh(before);
  assertProblem(refused, 503, 'upstream-unavailable', /may have executed the swap/);
  assert.deepEqual(await client.get(ready.planId), before);
  const other = await client.plan({ options: { mode: 'STANDARD', depositAddress: freshAddress() } });
  const funded = (await client.simulate(other, 'AWAIT_DEPOSIT', 'deposit.exact')).body;
  await client.until(funded, 'another deposit is seen', (now) => now.steps[0]?.status === 'DONE');
  const health = (await client.ask('/health')).json as Health;
  assert.equal(health.chains[0]?.record?.unread, 2);
  await sql.query(`delete from chain_unread`);
  assert.equal((await client.refresh(before)).status, 200);
});
