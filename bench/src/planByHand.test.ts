import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type DatabaseConnection, startTemporaryPostgres } from '@fairway/postgres';
import { openStore, type Store } from '@fairway/store';
import { Pool } from 'pg';
import { writePlanByHand } from './planByHand.ts';
import { newSamplePlan } from './samplePlan.ts';

test('the plan that the benchmark writes by hand is read by the store as the same plan', async (t) => {
  const cacheDirectory = fileURLToPath(new URL('../../node_modules/.cache/fairway', import.meta.url));
  const postgres = await startTemporaryPostgres({ cacheDirectory, log: () => {} });
  t.after(() => postgres.close());
  const store = await open(postgres.connection);
  const pool = new Pool({ ...postgres.connection, max: 1 });
  // The end of the pool does not wait for its connections: the database may end first.
  pool.on('error', () => {}).on('connect', (client) => client.on('error', () => {}));
  try {
    const made = await store.createCredential({
      organisation: 'Bench',
      environment: 'sandbox',
      permissions: [],
    });
    assert(made.ok);
    const scope = { organisationId: made.organisationId, environment: 'sandbox' } as const;
    const plan = newSamplePlan();
    await writePlanByHand(pool, { scope, plan, sealed: randomBytes(60), bodyFingerprint: randomBytes(32) });
    assert.deepEqual(await store.payments.loadPlan(scope, plan.planId), { plan });
  } finally {
    await pool.end();
    await store.close();
  }
});

async function open(connection: DatabaseConnection): Promise<Store> {
  const opened = await openStore({ connection, sealingKeys: [{ id: 'bench', key: randomBytes(32) }] });
  assert(opened.ok);
  return opened.store;
}
