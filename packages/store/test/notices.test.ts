import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Hash, Notice, NoticeOptions, Plan, PlanCommand } from '@fairway/plan';
import type { JobWorker } from '@fairway/postgres';
import { sql } from 'kysely';
import type { MailOutcome } from '../src/index.ts';
import {
  codeHashOf,
  contextAt,
  link,
  linkMailOf,
  linkOf,
  planToCollect,
  submission,
  submitted,
  tokenHashOf,
} from './collecting.ts';
import { evidence, hashOf, MADE_AT_MS, stepId } from './plans.ts';
import { openTestStore, type TestStore } from './storeOfTest.ts';

const DAY_MS = 86_400_000;
const LINK_ENDS_AT_MS = MADE_AT_MS + 14 * DAY_MS;
const ALL: NoticeOptions = { reminderBeforeMs: 2 * DAY_MS, confirmation: true, delivery: true };
const context = contextAt(MADE_AT_MS);
const ACCEPTED = { outcome: 'ACCEPTED' } as const;

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

type NoticeRow = { mail_id: string; kind: Notice; state: string; due_at: Date; expires_at: Date };

async function notices(token: string): Promise<NoticeRow[]> {
  const { rows } = await sql<NoticeRow>`select mail_id, kind, state, due_at, expires_at from mails
    where token_hash = ${tokenHashOf(token)} and due_at is not null order by mail_id`.execute(bench.database);
  return rows;
}

async function noticeOf(token: string, kind: Notice): Promise<NoticeRow> {
  const found = (await notices(token)).find((notice) => notice.kind === kind);
  assert.ok(found, kind);
  return found;
}

async function statesOf(token: string): Promise<string[]> {
  return (await notices(token)).map(({ kind, state }) => `${kind} ${state}`);
}

async function linkMailEnded(token: string, outcome: MailOutcome): Promise<void> {
  const { rows } = await sql<{ mail_id: string }>`select mail_id from mails
    where token_hash = ${tokenHashOf(token)} and due_at is null`.execute(bench.database);
  await bench.store.collect.markMail(rows[0]?.mail_id ?? '', outcome, context);
}

async function choose(plan: Plan, token: string): Promise<Plan> {
  const { collect } = bench.store;
  assert.ok((await collect.keepSubmission('sandbox', tokenHashOf(token), submission('1'))).ok);
  const confirmed = await collect.confirmSubmission(
    'sandbox',
    tokenHashOf(token),
    codeHashOf('1'),
    submitted,
    context,
  );
  assert.ok(confirmed.ok, plan.planId);
  return confirmed.plan;
}

function delivered(plan: Plan, txHash: Hash): PlanCommand {
  const id = stepId(plan, 'SEND_DIGITAL_COLLECT');
  const told = {
    status: 'DELIVERED',
    verification: 'VERIFIED',
    evidence: evidence(txHash, 10n ** 77n),
  } as const;
  return { type: 'DELIVERY_REPORTED', stepId: id, ...told };
}

function takenBack(plan: Plan, txHash: Hash): PlanCommand {
  const id = stepId(plan, 'SEND_DIGITAL_COLLECT');
  return { type: 'EVIDENCE_LOST', stepId: id, txHash, cause: 'REORGANISED' };
}

test('there are no notices unless the organisation wants them', async () => {
  const plan = await choose(await link(bench, await planToCollect(bench), 'off'), 'off');
  await bench.change(plan, delivered(plan, hashOf('p')));
  assert.deepEqual(await notices('off'), []);
});

test('a link, its use and its delivery each queue their notice, which needs no seal', async () => {
  const plan = await link(bench, await planToCollect(bench, ALL), 'all');
  assert.deepEqual(
    (await notices('all')).map(({ mail_id: _id, ...notice }) => notice),
    [
      {
        kind: 'REMINDER',
        state: 'QUEUED',
        due_at: new Date(LINK_ENDS_AT_MS - 2 * DAY_MS),
        expires_at: new Date(LINK_ENDS_AT_MS),
      },
    ],
  );
  await linkMailEnded('all', ACCEPTED);
  const { mail_id: reminderId } = await noticeOf('all', 'REMINDER');
  const early = { ok: false, reason: 'NOT_DUE' };
  assert.deepEqual(await bench.store.collect.readMail(reminderId), early);

  const chosen = await choose(plan, 'all');
  assert.deepEqual(await statesOf('all'), ['REMINDER DROPPED', 'CONFIRMATION QUEUED']);
  const confirmation = await bench.store.collect.readMail((await noticeOf('all', 'CONFIRMATION')).mail_id);
  assert.deepEqual(confirmation.ok && confirmation.mail.order, { kind: 'CONFIRMATION' });
  await bench.change(chosen, delivered(plan, hashOf('p')));
  assert.deepEqual(await statesOf('all'), ['REMINDER DROPPED', 'CONFIRMATION QUEUED', 'DELIVERED QUEUED']);
  for (const kind of ['CONFIRMATION', 'DELIVERED'] as const) {
    const { due_at: dueAt, expires_at: expiresAt } = await noticeOf('all', kind);
    assert.deepEqual([dueAt, expiresAt], [new Date(MADE_AT_MS), new Date(MADE_AT_MS + 3 * DAY_MS)]);
  }
  const { mail_id: deliveredId } = await noticeOf('all', 'DELIVERED');
  const read = await bench.store.collect.readMail(deliveredId);
  assert.ok(read.ok);
  assert.deepEqual(read.mail.order, { kind: 'DELIVERED' });
  // After the delivery the confirmation of the choice is no longer sent.
  const { mail_id: confirmationId } = await noticeOf('all', 'CONFIRMATION');
  const told = { ok: false, reason: 'NOT_QUEUED', state: 'DROPPED' };
  assert.deepEqual(await bench.store.collect.readMail(confirmationId), told);
});

test('the outcome of a notice changes neither the plan nor the e-mail with the link', async () => {
  await link(bench, await planToCollect(bench, ALL), 'row');
  await linkMailEnded('row', ACCEPTED);
  bench.clock.nowMs = LINK_ENDS_AT_MS - 2 * DAY_MS;
  const { mail_id: mailId } = await noticeOf('row', 'REMINDER');
  const read = await bench.store.collect.readMail(mailId);
  assert.ok(read.ok);
  const plan = await bench.stored({ planId: read.mail.planId } as Plan);
  const view = await linkMailOf(bench, plan);
  await bench.store.collect.markMail(mailId, { outcome: 'BOUNCED', error: '550 5.1.1' }, context);
  assert.deepEqual(await statesOf('row'), ['REMINDER BOUNCED']);
  assert.deepEqual(await bench.stored(plan), plan);
  assert.equal(linkOf(plan)?.mail, 'ACCEPTED');
  assert.deepEqual(await linkMailOf(bench, plan), view);
});

test('a link that is sent again gets the reminder, and a dropped reminder has no job', async () => {
  const plan = await link(bench, await planToCollect(bench, ALL), 'one');
  const jobs = async () => {
    const { rows } = await sql<{ key: string }>`select key from graphile_worker.jobs
      where key like 'mail:%' order by key`.execute(bench.database);
    return rows.map(({ key }) => key);
  };
  const { mail_id: first } = await noticeOf('one', 'REMINDER');
  assert.ok((await jobs()).includes(`mail:${first}`));
  await link(bench, plan, 'two', 'RESENT', MADE_AT_MS + 60_000);
  assert.deepEqual(await statesOf('one'), ['REMINDER DROPPED']);
  assert.deepEqual(await statesOf('two'), ['REMINDER QUEUED']);
  const { mail_id: mailId, due_at: dueAt } = await noticeOf('two', 'REMINDER');
  assert.deepEqual(dueAt, new Date(LINK_ENDS_AT_MS - 2 * DAY_MS));
  const left = await jobs();
  assert.deepEqual([left.length, left.includes(`mail:${mailId}`)], [2, true]);
});

test('a reminder waits for the e-mail with the link, and is dropped when that bounces', async () => {
  await link(bench, await planToCollect(bench, ALL), 'late');
  await link(bench, await planToCollect(bench, ALL), 'back');
  bench.clock.nowMs = LINK_ENDS_AT_MS - 2 * DAY_MS;
  const { collect } = bench.store;
  for (const token of ['late', 'back']) {
    const { mail_id: mailId } = await noticeOf(token, 'REMINDER');
    assert.deepEqual(await collect.readMail(mailId), { ok: false, reason: 'NOT_DUE' });
    assert.deepEqual(await statesOf(token), ['REMINDER QUEUED']);
  }
  await linkMailEnded('late', ACCEPTED);
  const { mail_id: late } = await noticeOf('late', 'REMINDER');
  const read = await collect.readMail(late);
  assert.ok(read.ok && read.mail.version === 1);
  await linkMailEnded('back', { outcome: 'BOUNCED', error: '550' });
  const { mail_id: back } = await noticeOf('back', 'REMINDER');
  const dropped = { ok: false, reason: 'NOT_QUEUED', state: 'DROPPED' };
  assert.deepEqual(await collect.readMail(back), dropped);
});

test('a delivery that was undone is not announced, and is announced once when it is done again', async () => {
  const plan = await choose(await link(bench, await planToCollect(bench, ALL), 'undone'), 'undone');
  await bench.change(plan, delivered(plan, hashOf('p')));
  const { mail_id: mailId } = await noticeOf('undone', 'DELIVERED');
  await bench.change(plan, takenBack(plan, hashOf('p')));
  const { collect } = bench.store;
  const dropped = { ok: false, reason: 'NOT_QUEUED', state: 'DROPPED' };
  assert.deepEqual(await collect.readMail(mailId), dropped);

  bench.clock.nowMs = MADE_AT_MS + DAY_MS;
  await bench.change(plan, delivered(plan, hashOf('q')));
  const again = await noticeOf('undone', 'DELIVERED');
  assert.deepEqual([again.mail_id, again.state], [mailId, 'QUEUED']);
  assert.deepEqual(again.expires_at, new Date(MADE_AT_MS + 4 * DAY_MS));
  assert.ok((await collect.readMail(mailId)).ok);
  await collect.markMail(mailId, ACCEPTED, context);

  await bench.change(plan, takenBack(plan, hashOf('q')));
  await bench.change(plan, delivered(plan, hashOf('r')));
  assert.equal((await noticeOf('undone', 'DELIVERED')).state, 'ACCEPTED');
});

test('a reminder is sent when due by the service’s clock, however often its job ran before', async () => {
  await link(bench, await planToCollect(bench, ALL), 'due');
  await linkMailEnded('due', ACCEPTED);
  const { mail_id: mailId } = await noticeOf('due', 'REMINDER');
  const jobs = async () => {
    const { rows } = await sql<{ id: string; delay_s: number; attempts: number; last_error: string | null }>`
      select id::text, extract(epoch from run_at - clock_timestamp())::float8 as delay_s, attempts, last_error
      from graphile_worker.jobs where key = ${`mail:${mailId}`} and locked_by is null`.execute(
      bench.database,
    );
    return rows;
  };
  const [made] = await jobs();
  assert.ok(made && Math.abs(made.delay_s - 12 * 86_400) < 60, String(made?.delay_s));

  const calls: boolean[] = [];
  const performMail = async (id: string) => {
    if (id !== mailId) return;
    const read = await bench.store.collect.readMail(id);
    calls.push(read.ok);
    if (read.ok) await bench.store.collect.markMail(id, ACCEPTED, context);
  };
  const { jobs: storeJobs } = bench.store;
  const tasks = {
    plan: storeJobs.planTask(() => Promise.resolve('TRIED')),
    mail: storeJobs.mailTask(performMail),
  };
  workers.push(storeJobs.startWorker({ tasks, concurrency: 1, log: () => {} }));
  const eventually = async (what: string, is: () => Promise<boolean>) => {
    for (let tries = 0; !(await is()); tries += 1) {
      assert.ok(tries < 1_200, what);
      await sleep(25);
    }
  };
  bench.clock.nowMs = MADE_AT_MS + 11 * DAY_MS;
  await bench.store.jobs.hasten();
  await eventually('it waits again', async () => {
    const [job] = await jobs();
    return job !== undefined && job.id !== made.id;
  });
  const [again] = await jobs();
  assert.ok(again && Math.abs(again.delay_s - 86_400) < 60, String(again?.delay_s));
  assert.deepEqual([again.attempts, again.last_error, calls], [0, null, [false]]);

  bench.clock.nowMs = MADE_AT_MS + 12 * DAY_MS;
  await bench.store.jobs.hasten();
  await eventually('it is sent', async () => (await noticeOf('due', 'REMINDER')).state === 'ACCEPTED');
  await eventually('its job is done', async () => (await jobs()).length === 0);
  assert.deepEqual(calls, [false, true]);
});

test('a notice that cannot be written leaves the plan as it was', async () => {
  const plan = await choose(await link(bench, await planToCollect(bench, ALL), 'broken'), 'broken');
  const before = await bench.contents();
  await sql`alter table mails add constraint broken check (kind <> 'DELIVERED') not valid`.execute(
    bench.database,
  );
  await assert.rejects(bench.change(plan, delivered(plan, hashOf('p'))), /broken/);
  assert.deepEqual(await bench.contents(), before);
  await sql`alter table mails drop constraint broken`.execute(bench.database);
});
