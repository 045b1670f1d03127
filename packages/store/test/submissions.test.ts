import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Plan, PlanCommand, Recipient } from '@fairway/plan';
import { sql } from 'kysely';
import {
  codeHashOf,
  contextAt,
  DESTINATION,
  link,
  linkOf,
  MASKED_DESTINATION,
  planToCollect,
  submission,
  submitted,
  tokenHashOf,
} from './collecting.ts';
import { MADE_AT_MS, RECIPIENT } from './plans.ts';
import { openTestStore } from './storeOfTest.ts';

const bench = await openTestStore();
after(() => bench.close());

const BY = { actor: 'recipient', atMs: MADE_AT_MS };
const GONE = { ok: false, reason: 'LINK_GONE' };

/** A plan with a live link of this token. */
async function linked(token: string): Promise<Plan> {
  bench.clock.nowMs = MADE_AT_MS;
  return link(bench, await planToCollect(bench), token);
}

const keep = (token: string, code: string, changes = {}) =>
  bench.store.collect.keepSubmission('sandbox', tokenHashOf(token), submission(code, changes));

type ToEvent = (plan: Plan, destination: Recipient) => PlanCommand;

const confirm = (token: string, code: string, toEvent: ToEvent = submitted) =>
  bench.store.collect.confirmSubmission('sandbox', tokenHashOf(token), codeHashOf(code), toEvent, BY);

const WRONG = { ok: false, reason: 'CODE_WRONG' };

async function waiting(token: string, environment: 'sandbox' | 'production' = 'sandbox') {
  const found = await bench.store.collect.findSubmission(environment, tokenHashOf(token));
  assert.ok(found.ok);
  return found.submission;
}

/** The e-mails with codes, oldest first. */
async function codeMails(token: string): Promise<{ mail_id: string; state: string; isSealed: boolean }[]> {
  const { rows } = await sql<{ mail_id: string; state: string; isSealed: boolean }>`
    select mail_id, state, sealed is not null as "isSealed" from mails
    where token_hash = ${tokenHashOf(token)} and kind = 'CODE' order by mail_id`.execute(bench.database);
  return rows;
}

test('the right code records the submission, seals the destination and ends the link', async () => {
  const plan = await linked('right');
  assert.deepEqual(await confirm('right', '1'), { ok: false, reason: 'NO_SUBMISSION' });
  assert.deepEqual(await keep('right', '1'), { ok: true });
  assert.deepEqual(await bench.stored(plan), plan);
  const [mail] = await codeMails('right');
  const read = await bench.store.collect.readMail(mail?.mail_id ?? '');
  assert.ok(read.ok && 'code' in read.mail.order && read.mail.order.code === '1');
  assert.equal(read.mail.expiresAtMs, MADE_AT_MS + 600_000);

  const seen: unknown[] = [];
  const confirmed = await confirm('right', '1', (before, chosen) => {
    seen.push(before, chosen);
    return submitted(before);
  });
  assert.deepEqual(seen, [plan, DESTINATION]);
  assert.ok(confirmed.ok);
  assert.deepEqual(confirmed.plan, await bench.stored(plan));
  const step = confirmed.plan.steps.at(-1);
  assert.ok(step?.type === 'SEND_DIGITAL_COLLECT' && step.status === 'DONE');
  assert.deepEqual(step.destination, MASKED_DESTINATION);
  const { payments, collect } = bench.store;
  const details = await payments.readRecipient(bench.scope, plan.planId, 'destination');
  assert.deepEqual(details, { ok: true, recipient: DESTINATION });
  assert.deepEqual(await payments.readRecipient(bench.scope, plan.planId), {
    ok: true,
    recipient: RECIPIENT,
  });
  const found = await collect.findLink('sandbox', tokenHashOf('right'));
  assert.ok(found.link?.state === 'USED');
  assert.deepEqual(await confirm('right', '1'), GONE);
  assert.deepEqual(await keep('right', '2'), GONE);
  const { rows } = await sql`select from collect_codes where plan_id = ${plan.planId}`.execute(
    bench.database,
  );
  assert.equal(rows.length, 0);
});

test('exactly one of fifty parallel confirmations succeeds, and the others find the link gone', async () => {
  const plan = await linked('fifty');
  await keep('fifty', '1');
  const all = await Promise.all(Array.from({ length: 50 }, () => confirm('fifty', '1')));
  assert.equal(all.filter(({ ok }) => ok).length, 1);
  for (const one of all) if (!one.ok) assert.deepEqual(one, GONE);
  assert.equal((await bench.stored(plan)).revision, plan.revision + 1);
});

test('a code is refused after five wrong attempts, however many are made at once', async () => {
  const plan = await linked('guessed');
  await keep('guessed', '1');
  const all = await Promise.all(Array.from({ length: 40 }, (_, one) => confirm('guessed', `wrong ${one}`)));
  assert.equal(all.filter((one) => !one.ok && one.reason === 'CODE_WRONG').length, 5);
  const spent = { ok: false, reason: 'TOO_MANY' };
  assert.deepEqual(
    all.filter((one) => !one.ok && one.reason !== 'CODE_WRONG'),
    Array.from({ length: 35 }, () => spent),
  );
  assert.equal((await waiting('guessed'))?.attemptsLeft, 0);
  assert.deepEqual(await confirm('guessed', '1'), spent);
  assert.deepEqual(await bench.stored(plan), plan);
});

test('a link takes no code after fifteen wrong attempts', async () => {
  await linked('besieged');
  for (const code of ['1', '2', '3']) {
    assert.deepEqual(await keep('besieged', code), { ok: true });
    for (let left = 4; left >= 0; left -= 1) {
      assert.deepEqual(await confirm('besieged', 'wrong'), WRONG);
      const now = await waiting('besieged');
      // After the fifteenth wrong code there is no other code.
      const isLast = code === '3' && left === 0;
      assert.deepEqual(
        [now?.attemptsLeft, now?.nextCodeAtMs],
        [left, isLast ? undefined : bench.clock.nowMs + 30_000],
      );
    }
    bench.clock.nowMs += 30_000;
  }
  assert.deepEqual(await confirm('besieged', '3'), { ok: false, reason: 'TOO_MANY' });
  assert.deepEqual(await keep('besieged', '4'), { ok: false, reason: 'TOO_MANY' });
});

test('a link has at most five codes, thirty seconds apart, and only the newest is valid', async () => {
  const plan = await linked('resent');
  const parallel = await Promise.all(Array.from({ length: 10 }, () => keep('resent', '1')));
  assert.equal(parallel.filter(({ ok }) => ok).length, 1);
  const soon = { ok: false, reason: 'TOO_SOON', retryAfterMs: 30_000 };
  assert.deepEqual(
    parallel.filter(({ ok }) => !ok),
    Array.from({ length: 9 }, () => soon),
  );
  bench.clock.nowMs += 29_999;
  assert.deepEqual(await keep('resent', '2'), { ...soon, retryAfterMs: 1 });
  bench.clock.nowMs += 1;
  assert.deepEqual(await keep('resent', '2'), { ok: true });
  assert.deepEqual(await confirm('resent', '1'), WRONG);
  const mails = await codeMails('resent');
  assert.deepEqual(
    mails.map(({ state, isSealed }) => [state, isSealed]),
    [
      ['DROPPED', false],
      ['QUEUED', true],
    ],
  );
  for (const code of ['3', '4', '5']) {
    bench.clock.nowMs += 30_000;
    assert.deepEqual(await keep('resent', code), { ok: true });
  }
  bench.clock.nowMs += 30_000;
  const before = await bench.contents();
  assert.deepEqual(await keep('resent', '6'), { ok: false, reason: 'TOO_MANY' });
  assert.deepEqual(await bench.contents(), before);
  assert.deepEqual(await confirm('resent', 'wrong'), WRONG);
  assert.deepEqual(await waiting('resent'), {
    destination: DESTINATION,
    sentAtMs: bench.clock.nowMs - 30_000,
    expiresAtMs: bench.clock.nowMs + 570_000,
    attemptsLeft: 4,
  });
  assert.ok((await confirm('resent', '5')).ok);
  assert.equal(linkOf(await bench.stored(plan))?.state, 'SUBMITTED');
});

test('the submission that waits is found by its link alone, and not once it counts', async () => {
  await linked('waits');
  assert.equal(await waiting('waits'), undefined);
  await keep('waits', '1');
  const before = await bench.contents();
  assert.deepEqual(await waiting('waits'), {
    destination: DESTINATION,
    sentAtMs: MADE_AT_MS,
    expiresAtMs: MADE_AT_MS + 600_000,
    attemptsLeft: 5,
    nextCodeAtMs: MADE_AT_MS + 30_000,
  });
  assert.equal(await waiting('waits', 'production'), undefined);
  assert.equal(await waiting('nothing'), undefined);
  assert.deepEqual(await bench.contents(), before, 'looking changes nothing');
  assert.ok((await confirm('waits', '1')).ok);
  assert.equal(await waiting('waits'), undefined);
});

test('a submission can be replaced, and the code of the earlier one is no longer mailed', async () => {
  const plan = await linked('replaced');
  const other = { ...DESTINATION, name: 'Somebody Else' };
  assert.ok((await keep('replaced', '1')).ok);
  bench.clock.nowMs += 30_000;
  assert.ok((await keep('replaced', '2', { destination: other })).ok);
  const { rows } = await sql`select from graphile_worker.jobs join mails on key = 'mail:' || mail_id
    where token_hash = ${tokenHashOf('replaced')} and kind = 'CODE'`.execute(bench.database);
  assert.equal(rows.length, 1, 'one code waits to be sent');
  assert.ok((await confirm('replaced', '2')).ok);
  const read = await bench.store.payments.readRecipient(bench.scope, plan.planId, 'destination');
  assert.deepEqual(read, { ok: true, recipient: other });
});

test('a code expires after its life, or earlier with its link', async () => {
  await linked('late');
  await keep('late', '1');
  bench.clock.nowMs += 599_999;
  assert.deepEqual(await confirm('late', 'wrong'), WRONG);
  bench.clock.nowMs += 1;
  assert.deepEqual(await confirm('late', '1'), { ok: false, reason: 'CODE_EXPIRED' });
  const endMs = MADE_AT_MS + 14 * 86_400_000;
  bench.clock.nowMs = endMs - 1;
  await keep('late', '2');
  const mails = await codeMails('late');
  const read = await bench.store.collect.readMail(mails.at(-1)?.mail_id ?? '');
  assert.ok(read.ok && read.mail.expiresAtMs === endMs);
  bench.clock.nowMs = endMs;
  assert.deepEqual(await confirm('late', '2'), GONE);
  assert.deepEqual(await keep('late', '3'), GONE);
  bench.clock.nowMs = MADE_AT_MS;
});

test('a submission that is refused or cannot be written whole leaves nothing behind', async () => {
  const plan = await linked('refused');
  await keep('refused', '1');
  const before = await bench.contents();
  const refused = await confirm('refused', '1', (now) => ({ ...submitted(now), version: 7 }) as PlanCommand);
  assert.ok(!refused.ok && refused.reason === 'REFUSED' && refused.refusal.reason === 'STEP_NOT_READY');
  await assert.rejects(
    confirm('refused', '1', () => ({ type: 'RECIPIENT_REVEALED' })),
    /uses its link up/,
  );
  for (const table of ['plans', 'plan_steps', 'plan_events', 'collect_links', 'recipients']) {
    await sql`alter table ${sql.raw(table)} add constraint broken check (false) not valid`.execute(
      bench.database,
    );
    await assert.rejects(confirm('refused', '1'), /broken/, table);
    await sql`alter table ${sql.raw(table)} drop constraint broken`.execute(bench.database);
  }
  assert.deepEqual(await bench.contents(), before);
  bench.clock.nowMs += 30_000;
  for (const table of ['collect_codes', 'mails', 'graphile_worker._private_jobs']) {
    await sql`alter table ${sql.raw(table)} add constraint broken check (false) not valid`.execute(
      bench.database,
    );
    await assert.rejects(keep('refused', '2'), /broken/, table);
    await sql`alter table ${sql.raw(table)} drop constraint broken`.execute(bench.database);
  }
  assert.deepEqual(await bench.contents(), before);
  assert.deepEqual(await bench.stored(plan), plan);
  bench.clock.nowMs = MADE_AT_MS;
  assert.ok((await confirm('refused', '1')).ok);
});

test('a submission that was moved to another link does not open, even of the same plan', async () => {
  const plan = await linked('from');
  await keep('from', '1');
  const { rows } = await sql<{ sealed: Buffer }>`select sealed from collect_codes
    where token_hash = ${tokenHashOf('from')}`.execute(bench.database);
  const newer = await link(bench, plan, 'to', 'RESENT', MADE_AT_MS + 60_000);
  await keep('to', '1');
  await sql`update collect_codes set sealed = ${rows[0]?.sealed}
    where token_hash = ${tokenHashOf('to')}`.execute(bench.database);
  assert.deepEqual(await confirm('to', '1'), { ok: false, reason: 'SEAL_BROKEN' });
  assert.deepEqual(await bench.stored(plan), newer);
});

test('when a submission is confirmed and its link expires at once, exactly one happens', async () => {
  for (let round = 0; round < 8; round += 1) {
    const token = `race ${round}`;
    const plan = await linked(token);
    await keep(token, '1');
    const later = contextAt(MADE_AT_MS + 14 * 86_400_000);
    const [confirmed, passed] = await Promise.all([
      confirm(token, '1'),
      bench.store.payments.changePlan(bench.scope, plan.planId, { type: 'TIME_PASSED' }, later),
    ]);
    assert.ok(passed.ok);
    assert.notEqual(confirmed.ok, passed.outcome === 'CHANGED');
    const found = await bench.store.collect.findLink('sandbox', tokenHashOf(token));
    assert.ok(found.link?.state === (confirmed.ok ? 'USED' : 'EXPIRED'));
    const read = await bench.store.payments.readRecipient(bench.scope, plan.planId, 'destination');
    assert.ok(read.ok && (read.recipient !== undefined) === confirmed.ok);
  }
});
