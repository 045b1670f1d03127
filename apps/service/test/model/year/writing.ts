// Writes plans into the database of a store: by the store's own operations, or many at once as the same rows.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { PlanScope, Store } from '@fairway/store';
import { movementRows, planToRows } from '@fairway/store/rows';
import type { Pool } from 'pg';
import { ACTOR, DETAILS, type Happened, type Version } from './histories.ts';

/** A plan with all its versions. */
export type WrittenPlan = { readonly scope: PlanScope; readonly versions: readonly Version[] };

/** The tables that hold a plan, in the order in which they are filled. */
const TABLES = [
  'plans',
  'plan_steps',
  'step_attempts',
  'step_evidence',
  'plan_returns',
  'plan_events',
  'movements',
] as const;
type Rows = Readonly<Record<(typeof TABLES)[number], readonly object[]>>;

const FINGERPRINT = Buffer.concat([Buffer.of(1), randomBytes(32)]);

/** Writes plans as rows, in one transaction. */
export async function writeRows(pool: Pool, plans: readonly WrittenPlan[]): Promise<void> {
  const all = plans.map(rowsOf);
  const client = await pool.connect();
  try {
    await client.query('begin');
    for (const table of TABLES)
      await client.query(
        `insert into ${table} select * from jsonb_populate_recordset(null::${table}, $1::jsonb)`,
        [JSON.stringify(all.flatMap((rows) => rows[table]))],
      );
    await client.query('commit');
  } finally {
    client.release();
  }
}

function rowsOf({ scope, versions }: WrittenPlan): Rows {
  const last = versions.at(-1);
  assert.ok(last !== undefined);
  const { plan, steps, attempts, evidence, returns } = planToRows(scope, last.plan);
  const { organisation_id, environment, plan_id } = plan;
  const key = { organisation_id, environment, plan_id };
  return {
    plans: [{ ...plan, body_fingerprint: `\\x${FINGERPRINT.toString('hex')}` }],
    plan_steps: steps,
    step_attempts: attempts,
    step_evidence: evidence,
    plan_returns: returns,
    plan_events: versions.map(({ recorded: { atMs, ...event } }) => ({
      ...{ ...key, at: new Date(atMs).toISOString(), ...event },
    })),
    movements: versions.flatMap(({ plan: version, known }) => movementRows(key, version, known)),
  };
}

/** Tells a store what happened to the plans of a world, in its order. */
export async function tellStore({ payments }: Store, happened: readonly Happened[]): Promise<void> {
  for (const { scope, planId, told, atMs } of happened.toSorted((a, b) => a.order - b.order)) {
    const context = { actor: ACTOR, atMs };
    if (told.type === 'PLAN_CREATED') {
      const { plan } = told;
      const creation = { plan, actor: ACTOR, bodyFingerprint: FINGERPRINT, recipient: DETAILS };
      const created = await payments.createPlan(scope, creation);
      assert.ok(created.ok && created.outcome === 'CREATED', JSON.stringify(created));
      continue;
    }
    const changed =
      told.type === 'RECIPIENT_REPLACED'
        ? await payments.replaceRecipient(scope, planId, told, DETAILS, context)
        : await payments.changePlan(scope, planId, told, context);
    assert.ok(
      changed.ok && changed.outcome === 'CHANGED',
      `${planId} ${told.type}: ${JSON.stringify(changed)}`,
    );
  }
}

/** Asserts that what the store has of plans, which it was told of, is what would have been written as rows. */
export async function assertSameRows(pool: Pool, plans: readonly WrittenPlan[]): Promise<void> {
  const all = plans.map(rowsOf);
  const ids = plans.flatMap(({ versions }) => versions.slice(-1).map(({ plan }) => plan.planId));
  for (const table of TABLES) {
    const unlike = table === 'movements' ? `- 'booked_at'` : table === 'plans' ? `- 'body_fingerprint'` : '';
    const rows = async (from: string, values: readonly unknown[]) =>
      (
        await pool.query<{ row: object }>(
          `select to_jsonb(r) ${unlike} as row from ${from} order by to_jsonb(r)`,
          [...values],
        )
      ).rows;
    const kept = await rows(`${table} r where plan_id = any($1)`, [ids]);
    const due = await rows(`jsonb_populate_recordset(null::${table}, $1::jsonb) r`, [
      JSON.stringify(all.flatMap((each) => each[table])),
    ]);
    assert.deepEqual(kept, due, `the rows of ${table}`);
  }
}
