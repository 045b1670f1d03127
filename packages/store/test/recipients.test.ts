import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Recipient } from '@fairway/plan';
import { TEST_CACHE_DIRECTORY } from '@fairway/testing';
import { sql } from 'kysely';
import { openDatabase } from '../src/database.ts';
import { openStore, type SealingKey, startEmbeddedPostgres, type Store } from '../src/index.ts';
import { deposit, hashOf, MADE_AT_MS, newPlan, recipient } from './plans.ts';
import { contentsOf, openTestStore, type TestStore } from './storeOfTest.ts';

let bench: TestStore;
before(async () => {
  bench = await openTestStore();
});
after(() => bench.close());

const deed = { actor: 'cred_support', atMs: MADE_AT_MS + 9 };

async function withKeys<T>(sealingKeys: SealingKey[], use: (store: Store) => Promise<T>): Promise<T> {
  const opened = await openStore({ connection: bench.postgres.connection, sealingKeys });
  assert.ok(opened.ok);
  try {
    return await use(opened.store);
  } finally {
    await opened.store.close();
  }
}

test('a recipient is revealed to whoever is named in the history, and read by the service without a trace', async () => {
  const plan = await bench.create();
  const { payments } = bench.store;
  assert.deepEqual(await payments.readRecipient(bench.scope, plan.planId), { ok: true, recipient });
  const revealed = await payments.revealRecipient(bench.scope, plan.planId, deed);
  assert.ok(revealed.ok);
  assert.deepEqual(revealed.recipient, recipient);
  assert.equal(revealed.plan.revision, 2);
  const read = await payments.history(bench.scope, plan.planId, { limit: 9 });
  assert.ok(read.ok);
  assert.deepEqual(read.found?.events.slice(1), [
    { revision: 2, ...deed, event: { type: 'RECIPIENT_REVEALED' } },
  ]);
});

test('sealed details that were moved or altered are refused and nothing is recorded', async () => {
  const [one, other] = [await bench.create(), await bench.create()];
  await sql`
    update recipients as r set sealed = o.sealed from recipients o
    where (r.plan_id, o.plan_id) in ((${one.planId}, ${other.planId}), (${other.planId}, ${one.planId}))`.execute(
    bench.database,
  );
  const altered = await bench.create();
  await sql`update recipients set sealed = set_byte(sealed, 20, get_byte(sealed, 20) # 1)
    where plan_id = ${altered.planId}`.execute(bench.database);
  const broken = { ok: false, reason: 'SEAL_BROKEN' };
  const { payments } = bench.store;
  for (const { planId } of [one, other, altered]) {
    const before = await bench.contents();
    assert.deepEqual(await payments.revealRecipient(bench.scope, planId, deed), broken);
    assert.deepEqual(await payments.readRecipient(bench.scope, planId), broken);
    assert.deepEqual(await bench.contents(), before);
  }
  const { planId } = await bench.create();
  const unknown = { ok: false, reason: 'KEY_UNKNOWN' };
  await withKeys([{ id: 'k9', key: randomBytes(32) }], async (store) => {
    assert.deepEqual(await store.payments.revealRecipient(bench.scope, planId, deed), unknown);
  });
  // For the test of re-sealing to count.
  await sql`delete from recipients where plan_id in (${one.planId}, ${other.planId})`.execute(bench.database);
});

test('no plan is made without a key to seal its recipient with', async () => {
  const before = await bench.contents();
  await withKeys([], async (store) => {
    const creation = { plan: newPlan(), actor: 'a', bodyFingerprint: Buffer.alloc(1), recipient };
    await assert.rejects(async () => store.payments.createPlan(bench.scope, creation), /needs a key/);
  });
  assert.deepEqual(await bench.contents(), before);
});

test('re-sealing moves every readable record to the first key, can be repeated, and loses none', async () => {
  const plans = await Promise.all(Array.from({ length: 230 }, () => bench.create()));
  const next = { id: 'k2', key: randomBytes(32) };
  const counts = await sql<{ count: number }>`select count(*)::int as count from recipients`.execute(
    bench.database,
  );
  const total = counts.rows[0]?.count ?? 0;
  await withKeys([next, bench.sealingKey], async ({ payments }) => {
    const progress: number[] = [];
    const first = await payments.resealRecipients((done) => progress.push(done));
    assert.deepEqual(first, { ok: true, resealed: total - 1, unreadable: 1 });
    assert.deepEqual(progress, [200, total]);
    assert.deepEqual(await payments.resealRecipients(() => {}), { ok: true, resealed: 0, unreadable: 1 });
  });
  await withKeys([next], async ({ payments }) => {
    for (const { planId } of plans)
      assert.deepEqual(await payments.readRecipient(bench.scope, planId), { ok: true, recipient });
  });
  await withKeys([bench.sealingKey], async ({ payments }) => {
    const read = await payments.readRecipient(bench.scope, plans[0]?.planId ?? '');
    assert.deepEqual(read, { ok: false, reason: 'KEY_UNKNOWN' });
  });
});

test('fingerprints are equal for equal texts of one organisation and purpose, and for nothing else', () => {
  const { fingerprint } = bench.store;
  const one = fingerprint('recipient', 'org_1', 'AU 062000 1');
  assert.equal(one.length, 32);
  assert.deepEqual(fingerprint('recipient', 'org_1', 'AU 062000 1'), one);
  assert.notDeepEqual(fingerprint('request', 'org_1', 'AU 062000 1'), one);
  assert.notDeepEqual(fingerprint('recipient', 'org_2', 'AU 062000 1'), one);
  assert.notDeepEqual(fingerprint('recipient', 'org_1', 'AU 062000 2'), one);
});

test('no name, account or e-mail address of a recipient is in any table, file of the database or log', async (t) => {
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
  const opened = await openStore({ connection: postgres.connection, sealingKeys, log });
  assert.ok(opened.ok);
  const { store } = opened;
  const made = await store.createCredential({
    organisation: 'Seen',
    environment: 'sandbox',
    permissions: [],
  });
  assert.ok(made.ok);
  const scope = { organisationId: made.organisationId, environment: 'sandbox' as const };
  const email: Recipient = { type: 'email', email: 'zebedee.q@quill.example', name: 'Zebedee Quillfeather' };
  for (const details of [recipient, email]) {
    const plan = newPlan(details.type === 'email' ? { mode: 'DIGITAL_COLLECT' } : {});
    const creation = { plan, actor: 'cred_x', bodyFingerprint: Buffer.from('x'), recipient: details };
    assert.ok((await store.payments.createPlan(scope, creation)).ok);
    assert.ok(
      (await store.payments.changePlan(scope, plan.planId, deposit(plan, hashOf(plan.planId)), deed)).ok,
    );
    assert.ok((await store.payments.revealRecipient(scope, plan.planId, deed)).ok);
    // A statement that fails is what a server likes to write into its log.
    const twice = { ...creation, plan: { ...plan, clientReference: `${plan.planId} again` } };
    await assert.rejects(store.payments.createPlan(scope, twice), /duplicate key/);
  }
  await store.close();
  const database = openDatabase(postgres.connection, () => {});
  const tables = JSON.stringify(await contentsOf(database));
  await database.destroy();
  await postgres.close();

  // The server's files belong to another user where tests run as root; a copy is ours to read.
  const copy = join(folder, 'copy');
  cpSync(dataDirectory, copy, { recursive: true, filter: (path) => !statSync(path).isSocket() });
  const files = readdirSync(copy, { recursive: true, encoding: 'utf8' })
    .map((path) => join(copy, path))
    .filter((path) => statSync(path).isFile());
  const contents = Buffer.concat([
    ...files.map((path) => readFileSync(path)),
    Buffer.from(tables + said.join('\n')),
  ]);
  assert.ok(
    contents.includes('cred_x') && contents.includes('accountNumberLast4'),
    'the scan sees what is kept',
  );
  for (const planted of ['Zebedee', 'Quillfeather', '778812345', '062000', 'zebedee.q', 'quill.example']) {
    for (const written of [
      planted,
      Buffer.from(planted).toString('hex'),
      Buffer.from(planted).toString('base64'),
    ])
      assert.equal(contents.indexOf(written), -1, planted);
  }
});
