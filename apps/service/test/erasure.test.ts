// Erasures outlive the database: a process that is killed within one, and a backup from before that is put back.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openStore } from '@fairway/store';
import type { PaymentPlan, RegisteredRecipient } from '@fairway/wire';
import { Client } from 'pg';
import { alignErasures } from '../src/platform/erasures/alignErasures.ts';
import { type Caller, callerOf, type Login, makeLogin } from './paymentCalls.ts';
import { freshReference, requestOf } from './paymentsHarness.ts';
import { endEverything, freshFolder, startProcess, type ServiceProcess } from './processHarness.ts';
import { auBank } from './recipientsHarness.ts';
import { type Backup, backUpFiles, type CopiedDatabase, endDatabases, startOn } from './restoreHarness.ts';
import { runFairway } from './commandHarness.ts';

const NAME = 'Zebedee Quillfeather';
const sealing = { FAIRWAY_SEALING_KEYS: `k1:${'5a'.repeat(32)}` };

let file: string;
let database: CopiedDatabase;
let login: Login;
let service: ServiceProcess;
let ask: Caller;
let backup: Backup;
let backedUpAt: string;
/** A recipient that is erased, with a plan, and one whose erasure is cut short. */
let [one, two]: string[] = [];
let plan: PaymentPlan;

before(async () => {
  file = join(freshFolder(), 'erasures');
  database = await startOn();
  login = await makeLogin({ databaseUrl: database.url }, 'Acme');
  await serve();
  [one, two] = [await registered(), await registered()];
  const recipient = { type: 'saved', recipientId: one };
  const made = await ask('/v1/payments', requestOf({ recipient }));
  assert.equal(made.status, 200, made.text);
  plan = made.body;
  backedUpAt = new Date().toISOString();
  backup = await backUpFiles(database);
});
after(async () => {
  await endEverything();
  await endDatabases();
});

/** Starts the service on the database, as an operator does. */
async function serve(): Promise<void> {
  const options = ['--port', '0', '--log-level', 'info', '--erasure-log', file];
  const env = { ...sealing, DATABASE_URL: database.url };
  service = await startProcess(options, env);
  ask = callerOf(service.ready.url, login);
}

async function registered(): Promise<string> {
  const made = await ask('/v1/recipients', { recipient: auBank(NAME), clientReference: freshReference() });
  assert.equal(made.status, 201, made.text);
  return (JSON.parse(made.text) as RegisteredRecipient).recipientId;
}

const erase = (id = '') => ask(`/v1/recipients/${id}/erase`, {});
const namedIn = (text: string) => [...text.matchAll(/rcp_[0-9a-f]{32}/g)].map(([id]) => id);

/** What a database still has of the details of recipients, and how they are. */
async function leftIn({ url }: CopiedDatabase): Promise<{ statuses: string[]; sealed: number }> {
  return withClient(url, async (client) => {
    const { rows } = await client.query<{ status: string; sealed: boolean }>(
      `select r.status, bool_or(v.sealed is not null) or exists (
         select from recipients d join plans p using (organisation_id, environment, plan_id)
         where p.recipient -> 'registeredAs' ->> 'recipientId' = r.recipient_id) as sealed
       from registered_recipients r join registered_recipient_versions v using (organisation_id, environment, recipient_id)
       where recipient_id = any($1) group by 1, r.recipient_id order by r.recipient_id`,
      [[one, two]],
    );
    return { statuses: rows.map(({ status }) => status), sealed: rows.filter((row) => row.sealed).length };
  });
}

async function withClient<T>(url: string, use: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

async function until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (const untilMs = performance.now() + 20_000; !(await holds()); await sleep(20))
    assert.ok(performance.now() < untilMs, `${what}: it never was`);
}

test('an erasure is in the file before it is answered, without a personal detail', async () => {
  const seen = { 'if-match': `"${plan.revision}"` };
  assert.equal((await ask(`/v1/payments/${plan.planId}/end`, {}, undefined, seen)).status, 200);
  await ask(`/v1/recipients/${one}`, undefined, 'DELETE');
  renameSync(file, `${file}.away`);
  const away = await erase(one);
  assert.deepEqual([away.status, away.body.code], [503, 'upstream-unavailable'], away.text);
  assert.deepEqual(await leftIn(database), { statuses: ['DEACTIVATED', 'ACTIVE'], sealed: 2 });
  renameSync(`${file}.away`, file);
  const answer = await erase(one);
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual((JSON.parse(answer.text) as RegisteredRecipient).warnings, []);
  const text = readFileSync(file, 'utf8');
  assert.deepEqual(namedIn(text), [one]);
  assert.ok(!/Zebedee|Quillfeather|062-?000/.test(text), text);
  await erase(one);
  assert.equal(readFileSync(file, 'utf8'), text, 'once more adds nothing');
});

/** Makes the commit of an erasure wait until the lock 42 is free. */
const WAIT_AT_COMMIT = `create function wait_for_test() returns trigger language plpgsql as
  $$ begin perform pg_advisory_xact_lock(42); return null; end $$;
  create constraint trigger wait_for_test after update on registered_recipients deferrable initially deferred
  for each row when (new.status = 'ERASED') execute function wait_for_test()`;

test('an erasure that was killed between the file and the commit is made by the next start', async () => {
  await ask(`/v1/recipients/${two}`, undefined, 'DELETE');
  await withClient(database.url, async (client) => {
    await client.query(WAIT_AT_COMMIT);
    await client.query('select pg_advisory_lock(42)');
    const cut = erase(two).catch(() => 'cut');
    await until(() => namedIn(readFileSync(file, 'utf8')).includes(two ?? ''), 'the file names it');
    service.child.kill('SIGKILL');
    assert.equal(await cut, 'cut');
    await client.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where wait_event = 'advisory'`,
    );
    await client.query('drop function wait_for_test cascade');
  });
  assert.deepEqual(await leftIn(database), { statuses: ['ERASED', 'DEACTIVATED'], sealed: 1 });
  await service.ended;
  await serve();
  assert.deepEqual(await leftIn(database), { statuses: ['ERASED', 'ERASED'], sealed: 0 });
  assert.match(service.output(), /Erased 1 recipients that only the file of erasures named/);
  assert.equal((await ask(`/v1/recipients/${two}/reveal`, {})).body.code, 'details-erased');
});

test('a backup from before brings nobody back once the restore is marked', async () => {
  const restored = await backup.restore();
  assert.deepEqual(await leftIn(restored), { statuses: ['ACTIVE', 'ACTIVE'], sealed: 2 });
  const opened = await openStore({ connection: restored.postgres.connection });
  assert.ok(opened.ok);
  // The service was started before the restore was marked: it leaves the erasures to the command that marks it.
  const { erased, refused } = await alignErasures(opened.store, file, 'REQUESTED');
  assert.deepEqual([erased.length, refused], [0, 2]);
  await opened.store.close();
  const audit = join(freshFolder(), 'audit.log');
  const command = ['recover', '--since', backedUpAt, '--erasure-log', file, '--audit-log', audit, '--json'];
  for (const recipients of [2, 0]) {
    const { code, output, printed } = await runFairway(command, {
      ...sealing,
      DATABASE_URL: restored.url,
    });
    assert.equal(code, 0, output);
    assert.deepEqual((JSON.parse(printed) as { erased: object }).erased, { recipients, unreadableLines: 0 });
    assert.deepEqual(await leftIn(restored), { statuses: ['ERASED', 'ERASED'], sealed: 0 });
  }
  const facts = readFileSync(audit, 'utf8').match(/"event":"ERASURE_GRANTED"/g);
  assert.equal(facts?.length, 2);
  const told = await withClient(restored.url, (client) =>
    client.query(`select from events where type = 'recipient.erased' and subject_id = any($1)`, [[one, two]]),
  );
  assert.equal(told.rows.length, 2, 'readers are told');
  const whole = await runFairway(['audit', 'ledger', '--json'], { DATABASE_URL: restored.url });
  assert.equal(whole.code, 0, whole.output);
});

test('a file that lacks erasures is completed, and one that cannot be used ends the start', async () => {
  const other = join(freshFolder(), 'other');
  const opened = await openStore({ connection: database.postgres.connection });
  assert.ok(opened.ok);
  const { prepareErasureFile } = await import('../src/platform/erasures/erasureFile.ts');
  await prepareErasureFile(other);
  assert.equal((await alignErasures(opened.store, other, 'REQUESTED')).added, 2);
  assert.equal((await alignErasures(opened.store, other, 'REQUESTED')).added, 0);
  await opened.store.close();
  assert.deepEqual(namedIn(readFileSync(other, 'utf8')).sort(), [one, two].sort());
  const nowhere = join(freshFolder(), 'nowhere', 'erasures');
  const command = ['start', '--port', '0', '--erasure-log', nowhere];
  const { code, output } = await runFairway(command, { ...sealing, DATABASE_URL: database.url });
  assert.equal(code, 1);
  assert.match(output, /--erasure-log .*: cannot be used: ENOENT/);
  assert.ok(!existsSync(nowhere));
});
