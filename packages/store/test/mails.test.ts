import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JobWorker } from '@fairway/postgres';
import { sql } from 'kysely';
import {
  codeHashOf,
  contextAt,
  link,
  linkMailOf,
  linkOf,
  linkOrder,
  planToCollect,
  submission,
  submitted,
  tokenHashOf,
} from './collecting.ts';
import { MADE_AT_MS } from './plans.ts';
import { openTestStore, type TestStore } from './storeOfTest.ts';

let bench: TestStore;
let workers: JobWorker[] = [];
before(async () => {
  bench = await openTestStore();
});
beforeEach(() => bench.clear());
afterEach(async () => {
  await Promise.all(workers.map((worker) => worker.close()));
  workers = [];
});
after(() => bench?.close());

const context = contextAt(MADE_AT_MS);
const ACCEPTED = { outcome: 'ACCEPTED' } as const;

function work(performMail: (mailId: string) => Promise<void>, concurrency = 2): string[] {
  const said: string[] = [];
  const log = (message: string) => void said.push(message);
  const { jobs } = bench.store;
  const tasks = { plan: jobs.planTask(() => Promise.resolve('TRIED')), mail: jobs.mailTask(performMail) };
  workers.push(jobs.startWorker({ tasks, concurrency, log }));
  return said;
}

async function eventually(is: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await is()); tries += 1) {
    assert.ok(tries < 1_200, 'it did not come about');
    await sleep(25);
  }
}

async function mailIdOf(token: string, kind = 'LINK_FIRST'): Promise<string> {
  const { rows } = await sql<{ mail_id: string }>`select mail_id from mails
    where token_hash = ${tokenHashOf(token)} and kind = ${kind}`.execute(bench.database);
  return rows[0]?.mail_id ?? '';
}

async function isErased(mailId: string): Promise<boolean> {
  const { rows } = await sql`select from mails
    where mail_id = ${mailId} and sealed is null and key_id is null`.execute(bench.database);
  return rows.length === 1;
}

async function keep(token: string, code: string): Promise<string> {
  const kept = await bench.store.collect.keepSubmission('sandbox', tokenHashOf(token), submission(code));
  assert.ok(kept.ok);
  return mailIdOf(token, 'CODE');
}

type Job = { attempts: number; last_error: string | null; delay_s: number };

async function jobOf(mailId: string): Promise<Job | undefined> {
  const { rows } = await sql<Job>`
    select attempts, last_error, extract(epoch from run_at - clock_timestamp())::float8 as delay_s
    from graphile_worker.jobs where key = ${`mail:${mailId}`} and locked_by is null`.execute(bench.database);
  return rows[0];
}

/** Whether nothing is left of the job of an e-mail: a worker removes it only after the e-mail was marked. */
async function isJobGone(mailId: string): Promise<boolean> {
  const { rows } = await sql`select from graphile_worker.jobs where key = ${`mail:${mailId}`}`.execute(
    bench.database,
  );
  return rows.length === 0;
}

test('an e-mail is sent once, its details are erased and the plan learns of it', async () => {
  const plan = await link(bench, await planToCollect(bench), 'sent');
  assert.deepEqual(await linkMailOf(bench, plan), { state: 'QUEUED', attempts: 0 });
  const { collect } = bench.store;
  const sent: unknown[] = [];
  work(async (mailId) => {
    const read = await collect.readMail(mailId);
    assert.ok(read.ok);
    sent.push(read.mail.order);
    await collect.markMail(mailId, ACCEPTED, context);
  });
  const mailId = await mailIdOf('sent');
  await eventually(() => isErased(mailId));
  await eventually(() => isJobGone(mailId));
  assert.deepEqual(sent, [linkOrder('sent')]);
  const told = await bench.stored(plan);
  assert.deepEqual([linkOf(told)?.state, linkOf(told)?.mail], ['SENT', 'ACCEPTED']);
  assert.deepEqual(await linkMailOf(bench, plan), { state: 'ACCEPTED', attempts: 1, sentAtMs: MADE_AT_MS });
  const gone = { ok: false, reason: 'NOT_QUEUED', state: 'ACCEPTED' };
  assert.deepEqual(await collect.readMail(mailId), gone);

  const before = await bench.contents();
  await collect.markMail(mailId, { outcome: 'BOUNCED', error: '550' }, context);
  await collect.markMail('mail_none', ACCEPTED, context);
  assert.deepEqual(await collect.readMail('mail_none'), { ...gone, state: 'UNKNOWN' });
  assert.deepEqual(await bench.contents(), before);
});

test('an e-mail that fails is tried again later, and the words of its errors are not kept', async () => {
  const plan = await link(bench, await planToCollect(bench), 'deferred');
  const mailId = await mailIdOf('deferred');
  const { collect, jobs } = bench.store;
  let calls = 0;
  const said = work(async () => {
    calls += 1;
    if (calls === 1) throw new Error('550 <zebedee.q@quill.example> is away', { cause: 'zebedee.q' });
    if (calls === 2)
      throw Object.assign(new Error('zebedee.q@quill.example refused'), { code: 'ECONNECTION' });
    const outcome = calls === 3 ? ({ outcome: 'DEFERRED', error: '421 4.3.2' } as const) : ACCEPTED;
    await collect.markMail(mailId, outcome, context);
  });
  const failed = (error: string) => async () => (await jobOf(mailId))?.last_error === error;
  await eventually(failed('the e-mail was not sent: Error'));
  assert.ok(((await jobOf(mailId))?.delay_s ?? 0) > 1);
  await jobs.hasten();
  await eventually(failed('the e-mail was not sent: ECONNECTION'));
  assert.deepEqual(await linkMailOf(bench, plan), { state: 'QUEUED', attempts: 0 });
  await jobs.hasten();
  await eventually(failed('the e-mail still waits'));
  assert.deepEqual(await linkMailOf(bench, plan), { state: 'QUEUED', attempts: 1, lastError: '421 4.3.2' });
  assert.equal(linkOf(await bench.stored(plan))?.mail, 'QUEUED');
  await jobs.hasten();
  await eventually(() => isErased(mailId));
  const all = JSON.stringify(await bench.contents()) + said.join('\n');
  assert.ok(!all.includes('zebedee.q') && said.length > 0);
});

test('an e-mail that bounces is recorded on the plan, and its error is a code without an address', async () => {
  const plan = await link(bench, await planToCollect(bench), 'bounced');
  const mailId = await mailIdOf('bounced');
  const { collect } = bench.store;
  for (const error of ['550 to zebedee', 'a@b.example', '', 'X'.repeat(41)])
    await assert.rejects(collect.markMail(mailId, { outcome: 'BOUNCED', error }, context), /is a code/);
  await assert.rejects(
    sql`update mails set last_error = 'a@b.example'`.execute(bench.database),
    /last_error_check/,
  );
  assert.deepEqual(await linkMailOf(bench, plan), { state: 'QUEUED', attempts: 0 });
  await collect.markMail(mailId, { outcome: 'BOUNCED', error: '550 5.1.1' }, context);
  assert.deepEqual(await linkMailOf(bench, plan), { state: 'BOUNCED', attempts: 1, lastError: '550 5.1.1' });
  assert.equal(linkOf(await bench.stored(plan))?.mail, 'BOUNCED');
  assert.ok(await isErased(mailId));
});

test('an e-mail that was sent but not marked is sent again with the same message id', async () => {
  await link(bench, await planToCollect(bench), 'twice');
  const mailId = await mailIdOf('twice');
  const sent: string[] = [];
  work(async () => {
    const read = await bench.store.collect.readMail(mailId);
    assert.ok(read.ok);
    sent.push(read.mail.messageId);
    if (sent.length > 1) await bench.store.collect.markMail(mailId, ACCEPTED, context);
  });
  await eventually(async () => sent.length === 1 && (await jobOf(mailId)) !== undefined);
  await bench.store.jobs.hasten();
  await eventually(() => isErased(mailId));
  assert.equal(sent.length, 2);
  assert.match(sent[0] ?? '', /^[\w-]{36}$/);
  assert.equal(sent[1], sent[0]);
});

test('an e-mail whose time is over is dropped unsent', async () => {
  const plan = await link(bench, await planToCollect(bench), 'over');
  const [mailId, codeMailId] = [await mailIdOf('over'), await keep('over', '1')];
  const { collect } = bench.store;
  bench.clock.nowMs = MADE_AT_MS + 600_000;
  const dropped = { ok: false, reason: 'NOT_QUEUED', state: 'DROPPED' };
  assert.deepEqual(await collect.readMail(codeMailId), dropped);
  assert.ok(await isErased(codeMailId));
  assert.ok((await collect.readMail(mailId)).ok);
  bench.clock.nowMs = MADE_AT_MS + 14 * 86_400_000;
  assert.deepEqual(await collect.readMail(mailId), dropped);
  assert.ok(await isErased(mailId));
  assert.deepEqual(await linkMailOf(bench, plan), { state: 'DROPPED', attempts: 0 });
});

test('an e-mail whose link was replaced meanwhile is marked as sent, and the plan stays as it is', async () => {
  const plan = await link(bench, await planToCollect(bench), 'way 1');
  const mailId = await mailIdOf('way 1');
  const { collect } = bench.store;
  assert.ok((await collect.readMail(mailId)).ok);
  const newer = await link(bench, plan, 'way 2', 'RESENT', MADE_AT_MS + 60_000);
  await collect.markMail(mailId, ACCEPTED, context);
  const { rows } = await sql`select state from mails where mail_id = ${mailId}`.execute(bench.database);
  assert.deepEqual(rows, [{ state: 'ACCEPTED' }]);
  assert.deepEqual(await bench.stored(plan), newer);
  assert.deepEqual(await linkMailOf(bench, plan), { state: 'QUEUED', attempts: 0 });
});

test('an e-mail with a code does not change the plan', async () => {
  const plan = await link(bench, await planToCollect(bench), 'code');
  const mailId = await keep('code', '1');
  await bench.store.collect.markMail(mailId, ACCEPTED, context);
  assert.deepEqual(await bench.stored(plan), plan);
  assert.ok(await isErased(mailId));
  assert.deepEqual(await linkMailOf(bench, plan), { state: 'QUEUED', attempts: 0 });
  const code = codeHashOf('1');
  const confirm = bench.store.collect.confirmSubmission;
  assert.ok((await confirm('sandbox', tokenHashOf('code'), code, submitted, context)).ok);
});

test('when the end of an e-mail cannot be written, it waits on and the plan stays as it was', async () => {
  await link(bench, await planToCollect(bench), 'broken');
  const mailId = await mailIdOf('broken');
  const before = await bench.contents();
  for (const table of ['mails', 'plan_steps', 'plan_events']) {
    await sql`alter table ${sql.raw(table)} add constraint broken check (false) not valid`.execute(
      bench.database,
    );
    await assert.rejects(bench.store.collect.markMail(mailId, ACCEPTED, context), /broken/, table);
    await sql`alter table ${sql.raw(table)} drop constraint broken`.execute(bench.database);
  }
  assert.deepEqual(await bench.contents(), before);
});

test('the details of an e-mail open in no other e-mail, even of the same plan', async () => {
  await link(bench, await planToCollect(bench), 'one');
  const [one, other] = [await mailIdOf('one'), await keep('one', '1')];
  await sql`update mails as m set sealed = o.sealed from mails o
    where m.mail_id = ${one} and o.mail_id = ${other}`.execute(bench.database);
  const broken = { ok: false, reason: 'SEAL_BROKEN' };
  assert.deepEqual(await bench.store.collect.readMail(one), broken);
  assert.ok((await bench.store.collect.readMail(other)).ok);
});

test('an e-mail waits for a worker that sends e-mails', async () => {
  await link(bench, await planToCollect(bench), 'waits');
  const mailId = await mailIdOf('waits');
  let isPlanDone = false;
  const perform = async () => {
    isPlanDone = true;
    return 'TRIED' as const;
  };
  const tasks = { plan: bench.store.jobs.planTask(perform) };
  workers.push(bench.store.jobs.startWorker({ tasks, concurrency: 1, log: () => {} }));
  await planToCollect(bench);
  await eventually(async () => isPlanDone);
  assert.equal((await jobOf(mailId))?.attempts, 0);
  work(() => bench.store.collect.markMail(mailId, ACCEPTED, context));
  await eventually(() => isErased(mailId));
});

test('an e-mail with a code is sent before all others', async () => {
  const tokens = ['w1', 'w2', 'w3'];
  for (const token of tokens) await link(bench, await planToCollect(bench), token);
  const code = await keep('w3', '1');
  const order: string[] = [];
  work(async (mailId) => {
    order.push(mailId);
    await bench.store.collect.markMail(mailId, ACCEPTED, context);
  }, 1);
  await eventually(() => Promise.resolve(order.length === 4));
  assert.equal(order[0], code);
});
