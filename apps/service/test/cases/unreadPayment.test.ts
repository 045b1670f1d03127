// A payment to the settlement address may be the swap of a plan; this is known once its transaction is read. Only that plan
// waits, and only with work that could move its money twice. A plan whose payment no node traces waits, too.
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

async function targetOf(corridorId: string): Promise<Partial<Corridor['target']>> {
  const corridors = (await client.ask('/v1/markets/corridors')).json as readonly Corridor[];
  return corridors.find(({ id }) => id === corridorId)?.target ?? {};
}

/** A plan whose swap is due. */
async function readyPlan(): Promise<PaymentPlan> {
  const made = await client.plan({ options: { mode: 'STANDARD', depositAddress: freshAddress() } });
  const plan = await client.played(made, 'deposit.exact');
  return client.until(plan, 'the swap is due', (now) => now.steps[1]?.status === 'READY');
}

/** Writes a payment as the record does of a transaction that is still to be read. No node has this one. */
async function addUnread({ corridorId }: PaymentPlan, amount: bigint): Promise<void> {
  const { chainId, address: token, settlementAddress } = await targetOf(corridorId);
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
  const ready = await readyPlan();
  await addUnread(ready, 1n);
  const refreshed = await client.again(ready);
  assert.equal(refreshed.status, 200);
  await addUnread(ready, 10n ** 20n);
  const before = await client.get(ready.planId);
  const refused = await client.again(before);
  assertProblem(refused, 503, 'upstream-unavailable', /may have executed the swap/);
  assert.deepEqual(await client.get(ready.planId), before);
  const other = await client.plan({ options: { mode: 'STANDARD', depositAddress: freshAddress() } });
  const funded = (await client.simulate(other, 'AWAIT_DEPOSIT', 'deposit.exact')).body;
  await client.until(funded, 'another deposit is seen', (now) => now.steps[0]?.status === 'DONE');
  const health = (await client.ask('/health')).json as Health;
  assert.equal(health.chains[0]?.record?.unread, 2);
  await sql.query(`delete from chain_unread`);
  assert.equal((await client.again(before)).status, 200);
});

/** Writes a transfer as the record does of a transaction that no node traces. The sandbox's node traces all of them. */
async function recordUntraced({ corridorId }: PaymentPlan, amount: string): Promise<string> {
  const txHash = `0x${randomBytes(32).toString('hex')}`;
  const { chainId, address: token, settlementAddress } = await targetOf(corridorId);
  await sql.query(
    `insert into chain_transfers (environment, chain_id, block_hash, log_index, block_number, block_time, tx_hash, token,
       from_address, to_address, amount, untraced, canonical)
     select environment, chain_id, read_hash, 4000, read_number, clock_timestamp(), $1, $2, $3, $4, $5, true, true
     from chain_records where chain_id = $6`,
    [txHash, token?.toLowerCase(), freshAddress(), settlementAddress?.toLowerCase(), amount, chainId],
  );
  return txHash;
}

test('beside a payment that no node traces there are no other instructions, except with force', async () => {
  const ready = await readyPlan();
  assert.equal((await client.again(ready)).status, 200);
  const txHash = await recordUntraced(ready, '9'.repeat(20));
  const before = await client.get(ready.planId);
  const refused = await client.again(before);
  assertProblem(refused, 409, 'execution-in-flight', new RegExp(`${txHash} paid the settlement address`));
  assert.deepEqual(await client.get(ready.planId), before);
  const forced = await client.again(ready, { force: true });
  assert.deepEqual([forced.status, forced.body.revision], [200, before.revision], 'the same can be executed');
  const other = await client.again(ready, { force: true, slippageBps: 70 });
  assert.deepEqual([other.status, other.body.revision], [200, before.revision + 1]);
});
