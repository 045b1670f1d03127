import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { publishedChangesOf, type Plan, type PlanCommand } from '@fairway/plan';
import { type DatabaseConnection, type EmbeddedPostgres, openDatabase } from '@fairway/postgres';
import { startTestDatabase } from '@fairway/testing';
import { sql } from 'kysely';
import type { Database } from '../src/database/database.ts';
import type { Tables } from '../src/database/schema.ts';
import type { PublishedEventsOfEndpoint } from '@fairway/outbox';
import {
  type PublishedEventsOfPlan,
  openStore,
  type PlanScope,
  type PublishedEventsOfReport,
  type PublishedEventsOfRecipient,
  type PublishedEventsOfStatement,
  type Store,
} from '../src/index.ts';
import { createSealing, type Key } from '@fairway/keys';
import { openServerKey } from '@fairway/credentials';
import { bindStore, openGuard } from '../src/openStore.ts';
import { MADE_AT_MS, newPlan, RECIPIENT, REQUEST } from './plans.ts';

/** A store with its own database, two organisations, and a clock that the test can set. */
export type TestStore = {
  store: Store;
  postgres: EmbeddedPostgres;
  database: Database;
  scope: PlanScope;
  otherScope: PlanScope;
  clock: { nowMs: number };
  sealingKey: { id: string; key: Buffer };
  create: (plan?: Plan, scope?: PlanScope) => Promise<Plan>;
  change: (plan: Plan, event: PlanCommand, atMs?: number) => Promise<Plan>;
  /** The plan as it is stored now. */
  stored: (plan: Pick<Plan, 'planId'>) => Promise<Plan>;
  /** Every row of every table of the store and of the job queue, as text. */
  contents: () => Promise<Record<string, string[]>>;
  /** Takes away every plan, link, e-mail and job, and sets the clock back: cheaper than another database. */
  clear: () => Promise<void>;
  close: () => Promise<void>;
};

/** What plans, links and the queue leave behind; organisations and keys stay. */
const CLEARED_TABLES =
  'plans, plan_events, events, event_subjects, event_publication, event_epochs, resend_numbers, recoveries, collect_links, mails, recipients, registered_recipients, statements, statement_entries, statement_maps, reconciliation_books, report_reconciliation, reports, ledger_seals, webhook_endpoints, workers, graphile_worker._private_jobs';

/** Starts the database and opens the store. `examine` sees the text of every statement of the store. */
export async function openTestStore(examine?: (text: string) => void): Promise<TestStore> {
  const postgres = await startTestDatabase();
  try {
    return await openOn(postgres, examine);
  } catch (error) {
    // A database that went on would keep the failed test from ending.
    await postgres.close();
    throw error;
  }
}

async function openOn(postgres: EmbeddedPostgres, examine?: (text: string) => void): Promise<TestStore> {
  const clock = { nowMs: MADE_AT_MS };
  const sealingKey = { id: 'k1', key: randomBytes(32) };
  const now = () => new Date(clock.nowMs);
  const opened = await openStore({
    connection: postgres.connection,
    sealingKeys: [sealingKey],
    now,
    publishedEventsOfPlan,
    publishedEventsOfRecipient,
    publishedEventsOfEndpoint,
    publishedEventsOfReport,
    publishedEventsOfStatement,
  });
  assert.ok(opened.ok);
  const store =
    examine === undefined
      ? opened.store
      : await openExaminedStore(postgres.connection, sealingKey, now, examine);
  const database = openDatabase<Tables>(postgres.connection, () => {});
  const scope = await newScope(store, 'Harbour Ltd');
  const create: TestStore['create'] = async (plan = newPlan(), of = scope) => {
    const creation = { plan, actor: 'cred_test', bodyFingerprint: REQUEST, recipient: RECIPIENT };
    const created = await store.payments.createPlan(of, creation);
    assert.ok(created.ok && created.outcome === 'CREATED');
    return created.plan;
  };
  const change: TestStore['change'] = async ({ planId }, event, atMs = clock.nowMs) => {
    const changed = await store.payments.changePlan(scope, planId, event, { actor: 'cred_test', atMs });
    assert.ok(changed.ok && changed.outcome === 'CHANGED', JSON.stringify(changed));
    return changed.plan;
  };
  const otherScope = await newScope(store, 'Rival plc');
  return {
    ...{ store, postgres, database, scope, otherScope, clock, sealingKey, create, change },
    async stored({ planId }) {
      const { plan } = await store.payments.loadPlan(scope, planId);
      return plan ?? assert.fail(`There is no ${planId}`);
    },
    contents: () => contentsOf(database),
    clear: async () => {
      clock.nowMs = MADE_AT_MS;
      await sql`truncate ${sql.raw(CLEARED_TABLES)} cascade`.execute(database);
    },
    close: async () => {
      await database.destroy();
      await Promise.all([...new Set([store, opened.store])].map((each) => each.close()));
      await postgres.close();
    },
  };
}

/** The published events of the plans of tests: of each change its types, with the revision. */
const publishedEventsOfPlan: PublishedEventsOfPlan = (before, after) =>
  (before === 'AGAIN'
    ? [{ subject: 'payment_plan', type: 'payment_plan.updated' } as const]
    : publishedChangesOf(before, after)
  ).map(({ type, subject, ...more }) => ({
    type,
    subject: { type: subject, id: 'round' in more ? `${after.planId} ${more.round}` : after.planId },
    data: { data: { object: { revision: after.revision } } },
  }));

/** The published events of the registered recipients of tests: the revision. */
const publishedEventsOfRecipient: PublishedEventsOfRecipient = (
  type,
  _before,
  { registered: { recipientId, revision } },
) => [{ type, subject: { type: 'recipient', id: recipientId }, data: { data: { object: { revision } } } }];

/** The published events of the endpoints of tests: their status. */
const publishedEventsOfEndpoint: PublishedEventsOfEndpoint = (
  type,
  { endpointId, status, disabledReason },
) => [
  {
    type,
    subject: { type: 'webhook_endpoint', id: endpointId },
    data: { data: { object: { status, disabledReason } } },
  },
];

/** The published events of the reports of tests: the status. */
const publishedEventsOfReport: PublishedEventsOfReport = ({ reportId, status }) => [
  {
    type: 'report.updated',
    subject: { type: 'report', id: reportId },
    data: { data: { object: { status } } },
  },
];

/** The published events of the statements of tests: the status of entries. */
const publishedEventsOfStatement: PublishedEventsOfStatement = (change) => [
  change.type === 'statement.imported'
    ? {
        type: change.type,
        subject: { type: 'statement', id: change.statement.statementId },
        data: { data: { object: { counts: change.statement.counts } } },
      }
    : {
        type: change.type,
        subject: { type: 'statement_entry', id: change.after.entryId },
        data: { data: { object: { status: change.after.status } } },
      },
];

async function openExaminedStore(
  connection: DatabaseConnection,
  sealingKey: Key,
  now: () => Date,
  examine: (text: string) => void,
): Promise<Store> {
  const database = openDatabase<Tables>(connection, () => {}, { examine });
  const key = await openServerKey(database, undefined);
  const sealing = createSealing([sealingKey]);
  // The key of the fingerprints is made anew, so that what looks for its version is examined, too.
  await database.deleteFrom('wrapped_keys').execute();
  const guard = await openGuard(database, sealing, { sealingKeys: [sealingKey] });
  assert.ok(key.ok && guard.ok);
  const keys = { serverKey: key.serverKey, fingerprintKey: guard.fingerprintKey };
  const clock = { nowMs: () => now().getTime(), aheadMs: () => 0, close: () => {} };
  // The organisations' credentials would be the first events of every test.
  const others = { publishedEventsOfStatement, publishedEventsOfCredential: () => [] };
  const published = {
    publishedEventsOfPlan,
    publishedEventsOfRecipient,
    publishedEventsOfEndpoint,
    publishedEventsOfReport,
    ...others,
  };
  return bindStore({ database, connection, sealing, clock, ...published, ...keys });
}

async function newScope(store: Store, organisation: string): Promise<PlanScope> {
  const made = await store.createCredential({ organisation, environment: 'sandbox', permissions: [] });
  assert.ok(made.ok);
  return { organisationId: made.organisationId, environment: 'sandbox' };
}

/** The same for any database. Compression can hide text in the files, but not here. */
export async function contentsOf(database: Database): Promise<Record<string, string[]>> {
  const tables = await sql<{ name: string }>`
    select format('%I.%I', schemaname, tablename) as name from pg_tables
    where schemaname in ('public', 'graphile_worker') order by 1`.execute(database);
  const contents: Record<string, string[]> = {};
  for (const { name } of tables.rows) {
    const { rows } = await sql<{ row: string }>`
      select t::text as row from ${sql.raw(name)} t order by 1`.execute(database);
    contents[name] = rows.map(({ row }) => row);
  }
  return contents;
}

/** The keys of the jobs that wait or run. A job that was replaced while it runs has no key. */
export async function jobKeys(database: Database): Promise<string[]> {
  const { rows } = await sql<{ key: string }>`
    select key from graphile_worker.jobs where key is not null order by key`.execute(database);
  return rows.map(({ key }) => key);
}
