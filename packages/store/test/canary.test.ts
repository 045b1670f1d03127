import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Plan } from '@fairway/plan';
import { openDatabase, startEmbeddedPostgres } from '@fairway/postgres';
import { TEST_CACHE_DIRECTORY } from '@fairway/testing';
import { sql } from 'kysely';
import type { Database } from '../src/database/database.ts';
import type { Tables } from '../src/database/schema.ts';
import { openStore, type PlanScope, type Store } from '../src/index.ts';
import {
  codeHashOf,
  COLLECTOR,
  link,
  linkMade,
  linkOrder,
  newLink,
  planToCollect,
  submission,
  submitted,
  tokenHashOf,
} from './collecting.ts';
import { deposit, hashOf, MADE_AT_MS, newPlan, RECIPIENT, REQUEST } from './plans.ts';
import { maskedBy, save, registeredCreation, SAVER } from './registeredRecipients.ts';
import { contentsOf, type TestStore } from './storeOfTest.ts';

const BY = { actor: 'cred_support', atMs: MADE_AT_MS + 9 };

// Longer than the service's codes, because any large file holds some six digits.
const [TOKEN, NEWER_TOKEN] = ['kQ7planted0token3vX', 'w2Zplanted1token8sB'];
const [CODE, WRONG_CODE] = ['code 739164 planted', 'code 204771 planted'];

const PLANTED = [
  ...['Zebedee', 'Quillfeather', '778812345', '062000', 'zebedee.q', 'quill.example'],
  ...[TOKEN, NEWER_TOKEN, CODE, WRONG_CODE],
];

type Log = (message: string) => void;

async function pay(store: Store, scope: PlanScope): Promise<void> {
  for (const details of [RECIPIENT, COLLECTOR]) {
    const plan = newPlan(details.type === 'email' ? { mode: 'DIGITAL_COLLECT' } : {});
    const creation = { plan, actor: 'cred_x', bodyFingerprint: REQUEST, recipient: details };
    assert.ok((await store.payments.createPlan(scope, creation)).ok);
    assert.ok(
      (await store.payments.changePlan(scope, plan.planId, deposit(plan, hashOf(plan.planId)), BY)).ok,
    );
    assert.ok((await store.payments.revealRecipient(scope, plan.planId, BY)).ok);
    // PostgreSQL would write a query that fails into its log.
    const twice = { ...creation, plan: { ...plan, clientReference: `${plan.planId} again` } };
    await assert.rejects(store.payments.createPlan(scope, twice), /duplicate key/);
  }
}

/** A recipient that is kept, changed, found again and revealed. */
async function saveRecipients(store: Store, scope: PlanScope): Promise<void> {
  const bench = { store, scope };
  // A mask shows the domain of an e-mail address.
  const mailed = { ...COLLECTOR, email: 'zebedee.q@other.example' };
  for (const details of [RECIPIENT, mailed]) {
    const clientReference = `canary ${details.type}`;
    const { registered } = await save(bench, { details, clientReference });
    const full = { ...details, name: 'Quillfeather Zebedee' };
    const change = {
      type: 'EDITED',
      details: { recipient: maskedBy(bench, full), full, needsApproval: false },
    } as const;
    assert.ok((await store.recipients.changeRecipient(scope, registered.recipientId, change, SAVER)).ok);
    assert.ok((await store.recipients.revealRegistered(scope, registered.recipientId, SAVER)).ok);
    const { making, ...rest } = registeredCreation(bench, { details });
    const twice = { ...rest, making: { ...making, metadata: '\0' as never } };
    // PostgreSQL would write a query that fails into its log.
    await assert.rejects(store.recipients.createRecipient(scope, twice, SAVER));
  }
}

/** Everything that can be done with a link, with failures in between. */
async function collect(store: Store, scope: PlanScope, database: Database, log: Log): Promise<void> {
  const bench = { store, scope, ...planMaking(store, scope) };
  const plan = await link(bench, await planToCollect(bench), TOKEN);
  const other = await planToCollect(bench);
  const again = store.collect.makeLink(scope, other.planId, linkMade(other), newLink(TOKEN), BY);
  await assert.rejects(again, /duplicate key/);
  const atMs = MADE_AT_MS + 60_000;
  const made = { ...newLink(NEWER_TOKEN), mail: linkOrder(NEWER_TOKEN, 'LINK_REPLACED') };
  const event = { ...linkMade(plan, 'READDRESSED', atMs), recipient: plan.recipient };
  const newer = { ...made, recipient: COLLECTOR };
  assert.ok((await store.collect.makeLink(scope, plan.planId, event, newer, { ...BY, atMs })).ok);
  const hash = tokenHashOf(NEWER_TOKEN);
  assert.ok((await store.collect.keepSubmission('sandbox', hash, submission(CODE))).ok);
  const tried = new Set<string>();
  const performMail = async (mailId: string) => {
    const read = await store.collect.readMail(mailId);
    if (!read.ok) return;
    if (tried.has(mailId)) return store.collect.markMail(mailId, { outcome: 'ACCEPTED' }, BY);
    tried.add(mailId);
    await store.collect.markMail(mailId, { outcome: 'DEFERRED', error: '421' }, BY);
    throw new Error(`421 ${JSON.stringify(read.mail.order)}`);
  };
  await sendAll(store, database, log, performMail);
  for (const code of [WRONG_CODE, CODE]) {
    const confirm = store.collect.confirmSubmission;
    const confirmed = await confirm('sandbox', hash, codeHashOf(code), submitted, BY);
    assert.equal(confirmed.ok, code === CODE, JSON.stringify(confirmed));
  }
  assert.ok((await store.payments.revealRecipient(scope, plan.planId, BY)).ok);
}

function planMaking(store: Store, scope: PlanScope): Pick<TestStore, 'create' | 'change'> {
  return {
    create: async (plan: Plan = newPlan()) => {
      const creation = { plan, actor: 'cred_x', bodyFingerprint: REQUEST, recipient: COLLECTOR };
      const created = await store.payments.createPlan(scope, creation);
      assert.ok(created.ok);
      return created.plan;
    },
    change: async ({ planId }, event) => {
      const changed = await store.payments.changePlan(scope, planId, event, BY);
      assert.ok(changed.ok, JSON.stringify(changed));
      return changed.plan;
    },
  };
}

/** Sends e-mails, each after a failure, until none waits. */
async function sendAll(
  store: Store,
  database: Database,
  log: Log,
  performMail: (mailId: string) => Promise<void>,
): Promise<void> {
  const { jobs } = store;
  const tasks = { plan: jobs.planTask(async () => 'TRIED'), mail: jobs.mailTask(performMail) };
  const worker = jobs.startWorker({ tasks, concurrency: 2, log });
  const isWaiting = async () => {
    const { rows } = await sql`select from mails where state = 'QUEUED'`.execute(database);
    return rows.length > 0;
  };
  for (let tries = 0; await isWaiting(); tries += 1) {
    assert.ok(tries < 1_200, 'they are never sent');
    await store.jobs.hasten();
    await sleep(25);
  }
  await worker.close();
}

/** The contents of all files in a folder. */
function contentsOfFiles(folder: string, copy: string): Buffer {
  // When tests run as root, the server's files belong to another user; we can read a copy.
  cpSync(folder, copy, { recursive: true, filter: (path) => !statSync(path).isSocket() });
  const files = readdirSync(copy, { recursive: true, encoding: 'utf8' })
    .map((path) => join(copy, path))
    .filter((path) => statSync(path).isFile());
  return Buffer.concat(files.map((path) => readFileSync(path)));
}

test('no personal detail, token or code is readable in any table, database file or log', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'fairway-canary-'));
  const dataDirectory = join(folder, 'data');
  const said: string[] = [];
  const log = (message: string) => void said.push(message);
  const postgres = await startEmbeddedPostgres({ dataDirectory, cacheDirectory: TEST_CACHE_DIRECTORY, log });
  t.after(async () => {
    await postgres.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const sealingKeys = [{ id: 'k1', key: randomBytes(32) }];
  const now = () => new Date(MADE_AT_MS);
  const opened = await openStore({ connection: postgres.connection, sealingKeys, now, log });
  assert.ok(opened.ok);
  const { store } = opened;
  const made = await store.createCredential({
    organisation: 'Seen',
    environment: 'sandbox',
    permissions: [],
  });
  assert.ok(made.ok);
  const scope = { organisationId: made.organisationId, environment: 'sandbox' as const };
  const database = openDatabase<Tables>(postgres.connection, () => {});
  await pay(store, scope);
  await saveRecipients(store, scope);
  await collect(store, scope, database, log);
  await store.close();
  const tables = JSON.stringify(await contentsOf(database));
  await database.destroy();
  await postgres.close();
  const contents = Buffer.concat([
    contentsOfFiles(dataDirectory, join(folder, 'copy')),
    Buffer.from(tables + said.join('\n')),
  ]);
  for (const kept of ['cred_x', SAVER.actor, 'accountNumberLast4', tokenHashOf(TOKEN).toString('hex')])
    assert.ok(contents.includes(kept), 'the scan sees what is kept');
  assert.ok(said.some((line) => line.includes('the e-mail was not sent')));
  for (const planted of PLANTED) {
    for (const written of [
      planted,
      Buffer.from(planted).toString('hex'),
      Buffer.from(planted).toString('base64'),
    ])
      assert.equal(contents.indexOf(written), -1, planted);
  }
});
