import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Plan } from '@fairway/plan';
import { sql } from 'kysely';
import {
  COLLECTOR,
  contextAt,
  DESTINATION,
  link,
  linkMade,
  linkOf,
  linkOrder,
  newLink,
  planToCollect,
  submission,
  submitted,
  tokenHashOf,
} from './collecting.ts';
import { hashOf, MADE_AT_MS, RECIPIENT, stepId } from './plans.ts';
import { openTestStore } from './storeOfTest.ts';

const bench = await openTestStore();
after(() => bench.close());

const MINUTE_MS = 60_000;

async function stateOf(token: string): Promise<string | undefined> {
  const found = await bench.store.collect.findLink('sandbox', tokenHashOf(token));
  return found.link?.state;
}

type Mail = { mail_id: string; state: string; sealed: Buffer | null };

async function mailsOf(token: string): Promise<Mail[]> {
  const { rows } = await sql<Mail>`select mail_id, state, sealed from mails
    where token_hash = ${tokenHashOf(token)} order by mail_id`.execute(bench.database);
  return rows;
}

/** Starts both while the plan is locked, so that the first gets the lock before the second. */
async function inTurn<One, Other>(
  plan: Plan,
  one: () => Promise<One>,
  other: () => Promise<Other>,
): Promise<[One, Other]> {
  const waits = async (count: number) => {
    const waiting = sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    for (let tries = 0; (await waiting.execute(bench.database)).rows.length < count; tries++) {
      assert.ok(tries < 400, 'nobody waits for the lock');
      await sleep(25);
    }
  };
  const [first, second] = await bench.database.transaction().execute(async (transaction) => {
    await sql`select from plans where plan_id = ${plan.planId} for update`.execute(transaction);
    const begun = one();
    await waits(1);
    const beside = other();
    await waits(2);
    // Wrapped in functions, because returning the promises would await them before the lock is released.
    return [() => begun, () => beside] as const;
  });
  return Promise.all([first(), second()]);
}

/** Lets every write to a table fail, and asserts that the work then leaves nothing behind. */
async function withBroken(table: string, work: () => Promise<unknown>): Promise<void> {
  const before = await bench.contents();
  await sql`alter table ${sql.raw(table)} add constraint broken check (false) not valid`.execute(
    bench.database,
  );
  try {
    await assert.rejects(work, /broken/, table);
  } finally {
    await sql`alter table ${sql.raw(table)} drop constraint broken`.execute(bench.database);
  }
  assert.deepEqual(await bench.contents(), before, table);
}

test('a link is made together with its e-mail, the e-mail’s job and the plan’s history', async () => {
  const plan = await planToCollect(bench);
  const linked = await link(bench, plan, 'first');
  assert.deepEqual(await bench.stored(plan), linked);
  assert.deepEqual(linkOf(linked)?.version, 1);
  const found = await bench.store.collect.findLink('sandbox', tokenHashOf('first'));
  assert.deepEqual(found, {
    link: {
      scope: bench.scope,
      planId: plan.planId,
      stepId: stepId(plan, 'SEND_DIGITAL_COLLECT'),
      version: 1,
      state: 'LIVE',
      expiresAtMs: MADE_AT_MS + 14 * 86_400_000,
    },
  });
  const [mail] = await mailsOf('first');
  const read = await bench.store.collect.readMail(mail?.mail_id ?? '');
  assert.ok(read.ok);
  assert.deepEqual(read.mail.order, linkOrder('first'));
  assert.match(read.mail.messageId, /^[\w-]{36}$/);
  const { rows } = await sql<{ identifier: string }>`select task_identifier as identifier
    from graphile_worker.jobs where key = ${`mail:${mail?.mail_id}`}`.execute(bench.database);
  assert.deepEqual(rows, [{ identifier: 'mail' }]);
  const history = await bench.store.payments.history(bench.scope, plan.planId, { limit: 50 });
  assert.equal(history.found?.events.at(-1)?.command.type, 'LINK_MADE');
});

test('a link is written whole or not at all', async () => {
  const plan = await link(bench, await planToCollect(bench), 'broken 1');
  const atMs = MADE_AT_MS + MINUTE_MS;
  const made = { ...newLink('broken 2'), recipient: COLLECTOR };
  const event = { ...linkMade(plan, 'READDRESSED', atMs), recipient: plan.recipient };
  const work = () => bench.store.collect.makeLink(bench.scope, plan.planId, event, made, contextAt(atMs));
  for (const table of [
    'plans',
    'plan_events',
    'collect_links',
    'mails',
    'recipients',
    'graphile_worker._private_jobs',
  ])
    await withBroken(table, work);
  assert.ok((await work()).ok);
});

test('a newer link ends the link before it, with its e-mails and its submission', async () => {
  const plan = await link(bench, await planToCollect(bench), 'older');
  assert.ok((await bench.store.collect.keepSubmission('sandbox', tokenHashOf('older'), submission('1'))).ok);
  const before = await bench.contents();
  const soon = contextAt(MADE_AT_MS + MINUTE_MS - 1);
  const { collect } = bench.store;
  const made = linkMade(plan, 'RESENT');
  const refused = await collect.makeLink(bench.scope, plan.planId, made, newLink('too soon'), soon);
  assert.ok(!refused.ok && refused.reason === 'REFUSED' && refused.refusal.reason === 'TOO_SOON');
  assert.deepEqual(await bench.contents(), before);

  await link(bench, plan, 'newer', 'RESENT', MADE_AT_MS + MINUTE_MS);
  assert.deepEqual([await stateOf('older'), await stateOf('newer')], ['SUPERSEDED', 'LIVE']);
  const dropped = await mailsOf('older');
  assert.deepEqual(
    dropped.map(({ state, sealed }) => [state, sealed]),
    [
      ['DROPPED', null],
      ['DROPPED', null],
    ],
  );
  for (const { mail_id } of dropped)
    assert.deepEqual(await collect.readMail(mail_id), { ok: false, reason: 'NOT_QUEUED', state: 'DROPPED' });
  const { rows } = await sql`select from collect_codes where token_hash = ${tokenHashOf('older')}`.execute(
    bench.database,
  );
  assert.equal(rows.length, 0);
  const late = await collect.keepSubmission('sandbox', tokenHashOf('older'), submission('2'));
  assert.deepEqual(late, { ok: false, reason: 'LINK_GONE' });
});

test('only one of several links of the same version that are made at once is kept', async () => {
  const plan = await planToCollect(bench);
  const made = await Promise.all(
    Array.from({ length: 12 }, (_, one) =>
      bench.store.collect.makeLink(
        bench.scope,
        plan.planId,
        linkMade(plan),
        newLink(`rival ${one}`),
        contextAt(MADE_AT_MS),
      ),
    ),
  );
  assert.equal(made.filter(({ ok }) => ok).length, 1);
  const { rows } = await sql`select from collect_links where plan_id = ${plan.planId}`.execute(
    bench.database,
  );
  assert.equal(rows.length, 1);
});

test('the details of a new recipient replace those of the old one when a link is readdressed', async () => {
  const plan = await link(bench, await planToCollect(bench), 'astray');
  const { payments, collect } = bench.store;
  assert.deepEqual(await payments.readRecipient(bench.scope, plan.planId), {
    ok: true,
    recipient: RECIPIENT,
  });
  const atMs = MADE_AT_MS + MINUTE_MS;
  const masked = { type: 'email', email: 'y***@example.com', fingerprint: 'f9' } as const;
  const event = { ...linkMade(plan, 'READDRESSED', atMs), recipient: masked };
  const made = { ...newLink('found'), recipient: COLLECTOR };
  const changed = await collect.makeLink(bench.scope, plan.planId, event, made, contextAt(atMs));
  assert.ok(changed.ok);
  assert.deepEqual((await bench.stored(plan)).recipient, masked);
  assert.deepEqual(await payments.readRecipient(bench.scope, plan.planId), {
    ok: true,
    recipient: COLLECTOR,
  });
});

test('a link ends when it expires or its plan is ended, and when its swap is undone', async () => {
  const [expired, cancelled, undone] = [
    await link(bench, await planToCollect(bench), 'expires'),
    await link(bench, await planToCollect(bench), 'is cancelled'),
    await link(bench, await planToCollect(bench), 'is undone'),
  ];
  for (const token of ['expires', 'is cancelled', 'is undone'])
    assert.ok((await bench.store.collect.keepSubmission('sandbox', tokenHashOf(token), submission('1'))).ok);
  await bench.change(cancelled, { type: 'PLAN_ENDED', reason: 'ABANDONED', force: false });
  const txHash = hashOf(`${undone.planId} out`);
  const swapId = stepId(undone, 'EXECUTE_SWAP');
  await bench.change(undone, { type: 'EVIDENCE_LOST', stepId: swapId, txHash, cause: 'REORGANISED' });
  const endMs = MADE_AT_MS + 14 * 86_400_000;
  // The clock decides, even before the end of the link is recorded.
  bench.clock.nowMs = endMs;
  assert.equal(await stateOf('expires'), 'EXPIRED');
  bench.clock.nowMs = MADE_AT_MS;
  assert.equal(await stateOf('expires'), 'LIVE');
  const ended = await bench.change(expired, { type: 'TIME_PASSED' }, endMs);
  assert.deepEqual(await Promise.all(['expires', 'is cancelled', 'is undone'].map(stateOf)), [
    'EXPIRED',
    'CANCELLED',
    'CANCELLED',
  ]);
  for (const token of ['expires', 'is cancelled', 'is undone'])
    assert.deepEqual(
      (await mailsOf(token)).map(({ state, sealed }) => [state, sealed]),
      [
        ['DROPPED', null],
        ['DROPPED', null],
      ],
    );
  const { rows } = await sql`select from collect_codes where plan_id in
    (${expired.planId}, ${cancelled.planId}, ${undone.planId})`.execute(bench.database);
  assert.equal(rows.length, 0);

  // The old link now says that a newer link was made.
  await link(bench, ended, 'reissued', 'REISSUED', endMs);
  assert.deepEqual([await stateOf('expires'), await stateOf('reissued')], ['SUPERSEDED', 'LIVE']);
});

test('a link is out of reach of other environments and other organisations', async () => {
  const plan = await link(bench, await planToCollect(bench), 'mine');
  const { collect } = bench.store;
  const hash = tokenHashOf('mine');
  assert.ok((await collect.keepSubmission('sandbox', hash, submission('1'))).ok);
  const before = await bench.contents();
  assert.deepEqual(await collect.findLink('production', hash), { link: undefined });
  assert.deepEqual(await collect.findLink('sandbox', tokenHashOf('none')), { link: undefined });
  const gone = { ok: false, reason: 'LINK_GONE' };
  assert.deepEqual(await collect.keepSubmission('production', hash, submission('1')), gone);
  const code = submission('1').codeHash;
  assert.deepEqual(
    await collect.confirmSubmission('production', hash, code, submitted, contextAt(MADE_AT_MS)),
    gone,
  );
  for (const scope of [bench.otherScope, { ...bench.scope, environment: 'production' as const }]) {
    const event = linkMade(plan, 'RESENT');
    const made = await collect.makeLink(
      scope,
      plan.planId,
      event,
      newLink('theirs'),
      contextAt(MADE_AT_MS + MINUTE_MS),
    );
    assert.deepEqual(made, { ok: false, reason: 'PLAN_UNKNOWN' });
    const read = await bench.store.payments.readRecipient(scope, plan.planId, 'destination');
    assert.deepEqual(read, { ok: true, recipient: undefined });
  }
  assert.deepEqual(await bench.contents(), before);
});

test('the recipient is revealed until a destination is chosen, and then the destination', async () => {
  const plan = await link(bench, await planToCollect(bench), 'revealed');
  const { payments, collect } = bench.store;
  const reveal = () => payments.revealRecipient(bench.scope, plan.planId, contextAt(MADE_AT_MS));
  const first = await reveal();
  assert.deepEqual(first.ok && first.recipient, RECIPIENT);
  const hash = tokenHashOf('revealed');
  const { codeHash } = submission('1');
  assert.ok((await collect.keepSubmission('sandbox', hash, submission('1'))).ok);
  assert.ok(
    (await collect.confirmSubmission('sandbox', hash, codeHash, submitted, contextAt(MADE_AT_MS))).ok,
  );
  const revealed = await reveal();
  assert.ok(revealed.ok);
  assert.deepEqual(revealed.recipient, DESTINATION);
  assert.deepEqual(revealed.plan, await bench.stored(plan));
  // The recipient's own details are still there.
  assert.deepEqual(await payments.readRecipient(bench.scope, plan.planId), {
    ok: true,
    recipient: RECIPIENT,
  });
});

test('a reveal shows the recipient of its place in the history, even beside a readdressed link', async () => {
  const plan = await link(bench, await planToCollect(bench), 'before');
  const { payments, collect } = bench.store;
  const atMs = MADE_AT_MS + MINUTE_MS;
  const event = { ...linkMade(plan, 'READDRESSED', atMs), recipient: plan.recipient };
  const newer = { ...newLink('after'), mail: linkOrder('after', 'LINK_REPLACED'), recipient: COLLECTOR };
  const [readdressed, revealed] = await inTurn(
    plan,
    () => collect.makeLink(bench.scope, plan.planId, event, newer, contextAt(atMs)),
    () => payments.revealRecipient(bench.scope, plan.planId, contextAt(atMs)),
  );
  assert.ok(readdressed.ok && revealed.ok);
  assert.equal(revealed.plan.revision, readdressed.plan.revision + 1);
  assert.deepEqual(revealed.recipient, COLLECTOR);
});
