// What is left of erased details in the files of a database, once the operator has done what docs/operating.md says.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openDatabase, startEmbeddedPostgres } from '@fairway/postgres';
import { TEST_CACHE_DIRECTORY } from '@fairway/testing';
import { sql } from 'kysely';
import { openStore } from '../src/index.ts';
import { MADE_AT_MS, newPlan, RECIPIENT, REQUEST } from './plans.ts';
import { save, SAVER } from './registeredRecipients.ts';

/** The files below a folder that hold some bytes. */
function filesWith(bytes: Buffer, folder: string): string[] {
  const copy = mkdtempSync(join(tmpdir(), 'fairway-erased-copy-'));
  try {
    // When tests run as root, the server's files belong to another user; we can read a copy.
    cpSync(folder, copy, { recursive: true, filter: (path) => !statSync(path).isSocket() });
    return readdirSync(copy, { recursive: true, encoding: 'utf8' }).filter((path) => {
      const file = join(copy, path);
      return statSync(file).isFile() && readFileSync(file).includes(bytes);
    });
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

test('after VACUUM FULL and a checkpoint no file of the database has the sealed bytes', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'fairway-erased-'));
  const dataDirectory = join(folder, 'data');
  const options = { dataDirectory, cacheDirectory: TEST_CACHE_DIRECTORY, log: () => {} };
  const postgres = await startEmbeddedPostgres(options);
  t.after(async () => {
    await postgres.close();
    rmSync(folder, { recursive: true, force: true });
  });
  // The superuser is otherwise not let in.
  writeFileSync(join(dataDirectory, 'pg_hba.conf'), 'local all all trust\n');
  process.kill(postgres.pid() ?? 0, 'SIGHUP');
  const now = () => new Date(MADE_AT_MS);
  const sealingKeys = [{ id: 'k1', key: randomBytes(32) }];
  const opened = await openStore({ connection: postgres.connection, sealingKeys, now });
  assert.ok(opened.ok);
  const { store } = opened;
  const made = await store.createCredential({ organisation: 'A', environment: 'sandbox', permissions: [] });
  assert.ok(made.ok);
  const scope = { organisationId: made.organisationId, environment: 'sandbox' } as const;
  const { registered } = await save({ store, scope });
  const { recipientId, version, recipient } = registered;
  const plan = newPlan({ recipient: { ...recipient, registeredAs: { recipientId, version } } });
  const creation = { plan, actor: 'cred_x', bodyFingerprint: REQUEST, recipient: RECIPIENT };
  assert.ok((await store.payments.createPlan(scope, creation)).ok);
  const cancelled = await store.payments.changePlan(
    scope,
    plan.planId,
    { type: 'PLAN_ENDED', force: false },
    SAVER,
  );
  assert.ok(cancelled.ok);
  const superuser = { ...postgres.connection, user: 'postgres' };
  const database = openDatabase<Record<string, never>>(superuser, () => {});
  t.after(() => database.destroy());
  const { rows } = await sql<{ sealed: Buffer }>`
    select sealed from registered_recipient_versions union all select sealed from recipients`.execute(
    database,
  );
  await sql`checkpoint`.execute(database);
  for (const { sealed } of rows) assert.ok(filesWith(sealed, dataDirectory).length > 0, 'the scan sees them');
  assert.equal(rows.length, 2);
  await store.recipients.changeRecipient(scope, recipientId, { type: 'DEACTIVATED' }, SAVER);
  const order = { cause: 'REQUESTED', keepOutside: async () => undefined } as const;
  assert.ok((await store.recipients.eraseRecipient(scope, recipientId, order, SAVER.atMs)).ok);
  await sql`alter system set wal_recycle = off`.execute(database);
  await sql`select pg_reload_conf()`.execute(database);
  for (const table of ['registered_recipient_versions', 'recipients', 'collect_codes', 'mails'])
    await sql`vacuum full ${sql.table(table)}`.execute(database);
  // The log of before is removed once a checkpoint has begun behind it.
  for (let times = 0; times < 2; times += 1) {
    await sql`select pg_switch_wal()`.execute(database);
    await sql`checkpoint`.execute(database);
  }
  for (const { sealed } of rows) assert.deepEqual(filesWith(sealed, dataDirectory), []);
  await store.close();
});
