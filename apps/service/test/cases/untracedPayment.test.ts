// A payment to the settlement address that no node traces may be the swap: other instructions would then be executed beside it.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { startTestDatabase } from '@fairway/testing';
import type { Corridor, PaymentPlan } from '@fairway/wire';
import { Client } from 'pg';
import { startTestService, type TestService } from '../harness.ts';
import { urlOf } from '../paymentCalls.ts';
import {
  assertProblem,
  freshAddress,
  type PaymentsClient,
  paymentsClient,
  stepOf,
} from '../paymentsHarness.ts';

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

/** Writes a transfer as the record does of a transaction that no node traces. The sandbox's node traces all of them. */
async function recordUntraced({ corridorId }: PaymentPlan, amount: string): Promise<string> {
  const txHash = `0x${randomBytes(32).toString('hex')}`;
  const corridors = (await client.ask('/v1/markets/corridors')).json as readonly Corridor[];
  const { chainId, token, settlementAddress } = corridors.find(({ id }) => id === corridorId)?.target ?? {};
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
  const made = await client.plan({ options: { mode: 'STANDARD', depositAddress: freshAddress() } });
  const plan = (await client.simulate(made, 'AWAIT_DEPOSIT', 'deposit.exact')).body;
  const ready = await client.until(plan, 'the swap is due', (now) => now.steps[1]?.status === 'READY');
  assert.equal((await client.refresh(ready)).status, 200);
  const txHash = await recordUntraced(ready, '9'.repeat(20));
  const before = await client.get(ready.planId);
  const refused = await client.refresh(before);
  assertProblem(refused, 409, 'execution-in-flight', new RegExp(`${txHash} paid the settlement address`));
  assert.deepEqual(await client.get(ready.planId), before);
  const { stepId } = stepOf(before, 'EXECUTE_SWAP');
  const forced = await client.ask(`/v1/payments/${ready.planId}/steps/${stepId}/refresh`, { force: true });
  assert.deepEqual([forced.status, forced.body.revision], [200, before.revision + 1]);
});
