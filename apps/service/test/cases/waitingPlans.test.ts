// Plans that wait for somebody cost the database nothing while blocks come: neither their rows nor their jobs are written
// again.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { type AskNode, nodeAt, startTestDatabase } from '@fairway/testing';
import type { Health, PaymentPlan } from '@fairway/wire';
import { Client } from 'pg';
import { startTestService, type TestService } from '../harness.ts';
import { urlOf } from '../paymentCalls.ts';
import { freshAddress, type PaymentsClient, paymentsClient } from '../paymentsHarness.ts';

const BLOCK_COUNT = 30;
const PLANS_PER_STEP = 4;
/**
 * The tables that change with every block: how far the chain was read, its newest blocks, and what is to be read again.
 */
const RECORD = ['chain_records', 'chain_blocks', 'chain_requests', 'workers'];

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

/** Plans that wait for a deposit, for a swap, and for a payout. */
async function waitingPlans(): Promise<readonly PaymentPlan[]> {
  const made: PaymentPlan[] = [];
  for (let place = 0; place < 3 * PLANS_PER_STEP; place += 1) {
    const plan = await client.plan({ options: { mode: 'STANDARD', depositAddress: freshAddress() } });
    const step = place % 3;
    if (step > 0) await client.simulate(plan, 'AWAIT_DEPOSIT', 'deposit.exact');
    if (step > 1) await client.simulate(plan, 'EXECUTE_SWAP', 'swap.done');
    made.push(await client.get(plan.planId));
  }
  return made;
}

/**
 * Which transaction wrote each row last, for all tables but the record's. A row that is written again has another one.
 * The sequences also show rows that are already deleted, such as finished jobs.
 */
async function writersOfRows(): Promise<Record<string, readonly string[]>> {
  const { rows: tables } = await sql.query<{ name: string }>(
    `select schemaname || '.' || tablename as name from pg_tables
     where schemaname in ('public', 'graphile_worker') and tablename <> all ($1) order by 1`,
    [RECORD],
  );
  const writers: Record<string, readonly string[]> = {};
  for (const { name } of tables) {
    const { rows } = await sql.query<{ row: string }>(
      `select ctid || ' ' || xmin as row from ${name} order by 1`,
    );
    writers[name] = rows.map(({ row }) => row);
  }
  const { rows: sequences } = await sql.query<{ name: string; value: string }>(
    `select sequencename as name, last_value as value from pg_sequences
     where schemaname in ('public', 'graphile_worker') order by 1`,
  );
  return { ...writers, sequences: sequences.map(({ name, value }) => `${name} ${value}`) };
}

/** The rows when work that was begun earlier has ended: two looks, further apart than the audit log writes, show the same. */
async function restingRows(mine: AskNode): Promise<Record<string, readonly string[]>> {
  let rows = await writersOfRows();
  for (;;) {
    await mine('anvil_mine', ['0x3']);
    await sleep(2_500);
    const next = await writersOfRows();
    if (isDeepStrictEqual(next, rows)) return rows;
    rows = next;
  }
}

/** The newest block that the record has read. */
async function readBlock(): Promise<number> {
  const { json } = await client.ask('/health');
  return Number((json as Health).chains[0]?.record?.readBlock ?? 0);
}

test('plans that wait are not written while blocks come, and neither are their jobs', async () => {
  const waiting = await waitingPlans();
  assert.deepEqual(
    [...new Set(waiting.map(({ next }) => next?.why))],
    ['DEPOSIT_MISSING', 'SWAP_DUE', 'PAYOUT_DUE'],
  );
  const mine = nodeAt(service.running.demo?.rpcUrl ?? '');
  const before = await restingRows(mine);
  assert.ok((before['public.plans'] ?? []).length >= waiting.length);

  const first = await readBlock();
  for (let block = 0; block < BLOCK_COUNT; block += 1) {
    await mine('anvil_mine', ['0x1']);
    await sleep(50);
  }
  while ((await readBlock()) < first + BLOCK_COUNT) await sleep(50);
  assert.deepEqual(await writersOfRows(), before);
});
