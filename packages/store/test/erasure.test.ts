// Erased recipients: their sealed details are nowhere any more, their plans stay whole, and no interleaving keeps details.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { amountOf, type Plan, type PlanCommand, planStatus, type Recipient } from '@fairway/plan';
import { sql } from 'kysely';
import type { Erasure, ErasureOrder, KeptRecipient } from '../src/index.ts';
import { statementFile } from './everyStatementOperation.ts';
import {
  COLLECTOR,
  codeHashOf,
  contextAt,
  link,
  linkMade,
  newLink,
  submission,
  submitted,
  tokenHashOf,
} from './collecting.ts';
import { deactivatedRegistered, planOfRegistered, sealedBytes, swappedPlan } from './erasing.ts';
import { MADE_AT_MS, newPlan, RECIPIENT, REQUEST, stepId } from './plans.ts';
import { maskedBy, save, SAVER } from './registeredRecipients.ts';
import { openTestStore } from './storeOfTest.ts';

const bench = await openTestStore();
after(() => bench.close());

const OUT = 10n ** 77n;
const planOf = (kept: KeptRecipient, details?: Recipient) => planOfRegistered(bench, kept, details);
const swapped = (plan: Plan) => swappedPlan(bench, plan);
const deactivated = (kept: KeptRecipient) => deactivatedRegistered(bench, kept);
const sealedNow = () => sealedBytes(bench);

const paid = (plan: Plan): PlanCommand => ({
  type: 'PAYOUT_DONE',
  stepId: stepId(plan, 'CUSTODIAN_PAYOUT'),
  verification: 'REPORTED',
  providerReference: `pay ${plan.planId}`,
});
const returned = (plan: Plan): PlanCommand => ({
  type: 'PAYOUT_RETURNED',
  stepId: stepId(plan, 'CUSTODIAN_PAYOUT'),
  providerReference: `back ${plan.planId}`,
});
const retried = (plan: Plan): PlanCommand => ({
  type: 'STEP_RETRIED',
  stepId: stepId(plan, 'CUSTODIAN_PAYOUT'),
  endToEndId: `again-${plan.planId}`.slice(0, 35),
});

const kept: Erasure[] = [];
const order = (cause: ErasureOrder['cause'] = 'REQUESTED'): ErasureOrder => ({
  cause,
  keepOutside: async (erasure) => void kept.push(erasure),
});

function erase({ registered: { recipientId } }: KeptRecipient, how = order()) {
  return bench.store.recipients.eraseRecipient(bench.scope, recipientId, how, SAVER.atMs);
}

async function erased(recipient: KeptRecipient): Promise<KeptRecipient> {
  const done = await erase(await deactivated(recipient));
  assert.ok(done.ok && done.outcome === 'CHANGED', JSON.stringify(done));
  return done.kept;
}

/** Every row of every table, as a COPY of it would have them. */
async function copied(): Promise<string> {
  return JSON.stringify(await bench.contents());
}

/** Asserts that every plan is what its events rebuild, with the money that its movements add up to. */
async function assertWhole(): Promise<void> {
  const audited = await bench.store.ledger.audit(0, () => {});
  assert.deepEqual(audited.findings.faults, []);
}

/** A plan whose recipient was asked, has chosen and was paid. */
async function delivered(recipient: KeptRecipient): Promise<Plan> {
  const plan = await swapped(await planOf(recipient, COLLECTOR));
  return chosen(await link(bench, plan, `token ${plan.planId}`), `token ${plan.planId}`);
}

/** The plan after its recipient has chosen with the link of this token, and was paid. */
async function chosen(linked: Plan, token: string): Promise<Plan> {
  const plan = linked;
  const hash = tokenHashOf(token);
  assert.ok((await bench.store.collect.keepSubmission('sandbox', hash, submission(plan.planId))).ok);
  const confirm = bench.store.collect.confirmSubmission;
  const confirmed = await confirm(
    'sandbox',
    hash,
    codeHashOf(plan.planId),
    submitted,
    contextAt(bench.clock.nowMs),
  );
  assert.ok(confirmed.ok, JSON.stringify(confirmed));
  return bench.change(linked, {
    type: 'DELIVERY_REPORTED',
    stepId: stepId(linked, 'SEND_DIGITAL_COLLECT'),
    status: 'DELIVERED',
    verification: 'REPORTED',
    providerReference: `paid ${plan.planId}`,
  });
}

test('the details of a recipient, its versions and its plans are in no table any more', async () => {
  await bench.clear();
  const other = await save(bench);
  const others = await sealedNow();
  const recipient = await save(bench);
  const full = { ...RECIPIENT, name: 'Another Name' };
  const details = { recipient: maskedBy(bench, full), full, needsApproval: false };
  const { recipientId } = recipient.registered;
  const first = await planOf(recipient);
  const edit = { type: 'EDITED', details } as const;
  const edited = await bench.store.recipients.changeRecipient(bench.scope, recipientId, edit, SAVER);
  assert.ok(edited.ok);
  const second = await planOf(edited.kept, full);
  await bench.change(await swapped(first), paid(first));
  await bench.change(second, { type: 'PLAN_ENDED', force: false });
  const mailed = await save(bench, { details: COLLECTOR });
  const asked = await delivered(mailed);
  assert.equal(planStatus(asked), 'COMPLETED');
  const sealed = (await sealedNow()).filter((each) => !others.includes(each));
  const before = await copied();
  assert.ok(sealed.length >= 7, `${sealed.length}`);
  for (const bytes of [...sealed, ...others]) assert.ok(before.includes(bytes), 'the scan sees what is kept');
  for (const each of [edited.kept, mailed]) {
    const gone = await erased(each);
    assert.deepEqual(
      { ...gone.registered, status: '', revision: 0, updatedAtMs: 0 },
      {
        ...each.registered,
        status: '',
        revision: 0,
        updatedAtMs: 0,
        lastUsedAtMs: gone.registered.lastUsedAtMs,
      },
      'masks and fingerprints stay',
    );
    const read = await bench.store.recipients.readRegistered(bench.scope, each.registered.recipientId);
    assert.deepEqual(read, { ok: false, reason: 'DETAILS_ERASED' });
  }
  const after = await copied();
  for (const bytes of sealed) assert.ok(!after.includes(bytes), 'sealed bytes are left');
  for (const bytes of others) assert.ok(after.includes(bytes), 'another recipient lost its details');
  for (const plan of [first, second, asked]) {
    const reveal = await bench.store.payments.revealRecipient(bench.scope, plan.planId, SAVER);
    assert.deepEqual(reveal, { ok: false, reason: 'DETAILS_ERASED' });
  }
  await assertWhole();
  await bench.store.payments.reseal(() => {});
  assert.ok((await bench.store.recipients.readRegistered(bench.scope, other.registered.recipientId)).ok);
});

test('the name in an entry that pays the recipient is gone, and no later file brings it back', async () => {
  const { statements } = bench.store;
  const recipient = await save(bench);
  const plan = await planOf(recipient);
  await bench.change(await swapped(plan), paid(plan));
  const units = [`pay ${plan.planId}`, 'another'].map((reference) => {
    const text = 'Zebedee0007 rent';
    return { servicerReference: reference, references: [reference], name: 'Zebedee Quillfeather', text };
  });
  const imported = async (code: string) => {
    const file = statementFile(units.map((unit) => ({ ...unit, code })));
    const taken = await statements.importStatement(bench.scope, file, SAVER);
    assert.ok(taken.ok);
    const ask = { statementId: taken.statement.statementId, limit: 2 };
    const listed = await statements.listEntries(bench.scope, ask);
    assert.ok(listed.ok);
    return listed.entries.map(({ entry }) => entry);
  };
  const [own, other] = await imported('A');
  assert.ok(own && other);
  const { movementId = '' } = own.proposals[0] ?? {};
  const match = { type: 'MATCH', allocations: [{ movementId, minor: 1n }] } as const;
  assert.ok((await statements.decideEntry(bench.scope, own.entryId, match, SAVER)).ok);
  await erased(recipient);
  const names = async () => {
    const { rows } = await sql<{ entry_id: string }>`
      select entry_id from statement_entries
      where (sealed is not null or word_tags <> '[]') and entry_id in (${own.entryId}, ${other.entryId})`.execute(
      bench.database,
    );
    return rows.map((row) => row.entry_id);
  };
  assert.deepEqual(await names(), [other.entryId]);
  const again = await imported('B');
  assert.deepEqual(
    again.map(({ entryId, code, masked }) => [entryId, code, masked.name]),
    [own, other].map(({ entryId }) => [entryId, 'B', 'Z. Q.']),
  );
  assert.deepEqual(await names(), [other.entryId]);
});

test('only a deactivated recipient whose plans have ended is erased', async () => {
  const recipient = await save(bench);
  const plan = await planOf(recipient);
  assert.deepEqual(await erase(recipient), { ok: false, reason: 'NOT_DEACTIVATED', status: 'ACTIVE' });
  await deactivated(recipient);
  const open = { ok: false, reason: 'PLANS_OPEN', planIds: [plan.planId], count: 1 };
  assert.deepEqual(await erase(recipient), open);
  await bench.change(await swapped(plan), paid(plan));
  const back = await bench.change(plan, returned(plan));
  assert.equal(planStatus(back), 'RETURNED');
  assert.deepEqual(await erase(recipient), open, 'the money that came back is there');
  const asset = { chainId: 31337, address: plan.corridor.target.token };
  const money = { amount: amountOf(OUT), asset };
  await bench.change(plan, {
    type: 'REFUND_RECORDED',
    money,
    verification: 'REPORTED',
    providerReference: `refund ${plan.planId}`,
  });
  const foreign = await bench.store.recipients.eraseRecipient(
    bench.otherScope,
    recipient.registered.recipientId,
    order(),
    SAVER.atMs,
  );
  assert.deepEqual(foreign, { ok: false, reason: 'RECIPIENT_UNKNOWN' });
  const done = await erase(recipient);
  assert.ok(done.ok && done.outcome === 'CHANGED', JSON.stringify(done));
});

test('a plan that has failed holds the erasure up, and one that expired or was closed does not', async () => {
  const recipient = await save(bench);
  const expired = await planOf(recipient);
  await bench.change(expired, { type: 'TIME_PASSED' }, expired.expiresAtMs);
  const plan = await planOf(recipient);
  await deactivated(recipient);
  const open = { ok: false, reason: 'PLANS_OPEN', planIds: [plan.planId], count: 1 };
  const failed = await bench.change(await swapped(plan), {
    type: 'PAYOUT_FAILED',
    stepId: stepId(plan, 'CUSTODIAN_PAYOUT'),
    failure: { code: 'ACCOUNT_CLOSED' },
  });
  assert.equal(planStatus(failed), 'ACTION_REQUIRED');
  assert.deepEqual(await erase(recipient), open);
  const over = { type: 'PLAN_ENDED', reason: 'ABANDONED', force: false } as const;
  const closed = await bench.change(failed, over);
  assert.deepEqual([planStatus(closed), closed.ended?.reason], ['ENDED', 'ABANDONED']);
  const done = await erase(recipient);
  assert.ok(done.ok && done.outcome === 'CHANGED', JSON.stringify(done));
  const { rows } =
    await sql`select from recipients where plan_id in (${plan.planId}, ${expired.planId})`.execute(
      bench.database,
    );
  assert.equal(rows.length, 0);
});

test('money that comes back later is paid again only to somebody who is named', async () => {
  const recipient = await save(bench);
  const plan = await planOf(recipient);
  await bench.change(await swapped(plan), paid(plan));
  await erased(recipient);
  await bench.change(plan, returned(plan));
  const { payments } = bench.store;
  const retry = () => payments.changePlan(bench.scope, plan.planId, retried(plan), SAVER);
  assert.deepEqual(await retry(), { ok: false, reason: 'DETAILS_ERASED' });
  const event = {
    type: 'RECIPIENT_REPLACED',
    stepId: stepId(plan, 'CUSTODIAN_PAYOUT'),
    recipient: maskedBy(bench, { ...RECIPIENT, name: 'Somebody Else' }),
    endToEndId: 'FW-other',
  } as const;
  const named = await payments.replaceRecipient(bench.scope, plan.planId, event, RECIPIENT, SAVER);
  assert.ok(named.ok && named.outcome === 'CHANGED', JSON.stringify(named));
  assert.ok((await payments.revealRecipient(bench.scope, plan.planId, SAVER)).ok);
  await assertWhole();
});

test('of parallel erasures one is made, told and kept outside', async () => {
  const recipient = await deactivated(await save(bench));
  kept.length = 0;
  const all = await Promise.all(Array.from({ length: 8 }, () => erase(recipient)));
  assert.equal(all.filter((each) => each.ok && each.outcome === 'CHANGED').length, 1);
  assert.equal(all.filter((each) => each.ok && each.outcome === 'UNCHANGED').length, 7);
  assert.deepEqual(
    kept.map(({ recipientId }) => recipientId),
    [recipient.registered.recipientId],
  );
  const { rows } = await sql`select from events where type = 'recipient.erased'
    and subject_id = ${recipient.registered.recipientId}`.execute(bench.database);
  assert.equal(rows.length, 1);
});

test('an erasure that cannot be kept outside is not made', async () => {
  const recipient = await deactivated(await save(bench));
  const before = await copied();
  const failing = {
    cause: 'REQUESTED',
    keepOutside: () => Promise.reject(new Error('the disk is full')),
  } as const;
  await assert.rejects(erase(recipient, failing), /the disk is full/);
  assert.equal(await copied(), before);
});

test('plans that are made while a recipient is erased keep no details of it', async () => {
  for (let round = 0; round < 10; round += 1) {
    const recipient = await save(bench);
    const { recipientId, version, recipient: masked } = recipient.registered;
    const make = async () => {
      const plan = newPlan({ recipient: { ...masked, registeredAs: { recipientId, version } } });
      const creation = { plan, actor: 'cred_x', bodyFingerprint: REQUEST, recipient: RECIPIENT };
      const made = await bench.store.payments.createPlan(bench.scope, creation);
      assert.ok(made.ok || made.reason === 'RECIPIENT_CHANGED', JSON.stringify(made));
      return made.ok ? [plan.planId] : [];
    };
    const requested = async () => erase(await deactivated(recipient));
    const [plans, outcome] = await Promise.all([
      Promise.all([make(), make(), make(), make()]),
      round % 2 === 0 ? requested() : erase(recipient, order('LOST')),
    ]);
    const made = plans.flat();
    const { rows } = await sql`select from recipients where plan_id = any(${made})`.execute(bench.database);
    if (outcome.ok) assert.equal(rows.length, 0, 'details are left');
    else assert.ok(outcome.reason === 'PLANS_OPEN' && rows.length === made.length, JSON.stringify(outcome));
  }
});

test('a payment that comes back while its recipient is erased is paid again to nobody', async () => {
  for (let round = 0; round < 8; round += 1) {
    const recipient = await save(bench);
    const plan = await planOf(recipient);
    await bench.change(await swapped(plan), paid(plan));
    await deactivated(recipient);
    const { payments } = bench.store;
    const back = async () => {
      await bench.change(plan, returned(plan));
      return payments.changePlan(bench.scope, plan.planId, retried(plan), SAVER);
    };
    const first = round % 2 === 0 ? erase(recipient) : undefined;
    const [again, outcome] = await Promise.all([back(), first ?? erase(recipient)]);
    if (outcome.ok) assert.deepEqual(again, { ok: false, reason: 'DETAILS_ERASED' });
    else assert.ok(again.ok && again.outcome === 'CHANGED', JSON.stringify([again, outcome]));
  }
  await assertWhole();
});

test('a link that is mailed while its recipient is erased keeps nothing to be sent', async () => {
  const recipient = await save(bench, { details: COLLECTOR });
  const plan = await swapped(await planOf(recipient, COLLECTOR));
  const made = await bench.store.collect.makeLink(
    bench.scope,
    plan.planId,
    linkMade(plan),
    newLink(`late ${plan.planId}`),
    contextAt(MADE_AT_MS),
  );
  assert.ok(made.ok);
  const { rows } = await sql<{ mail_id: string }>`
    select mail_id from mails where plan_id = ${plan.planId} and state = 'QUEUED'`.execute(bench.database);
  const mailId = rows[0]?.mail_id ?? '';
  const read = await bench.store.collect.readMail(mailId);
  assert.ok(read.ok, 'it is being sent');
  await deactivated(recipient);
  const refused = await erase(recipient);
  assert.ok(!refused.ok && refused.reason === 'PLANS_OPEN');
  // A restored database may have the link of a plan that has ended since.
  assert.ok((await erase(recipient, order('LOST'))).ok);
  assert.deepEqual(await bench.store.collect.readMail(mailId), {
    ...{ ok: false, reason: 'NOT_QUEUED', state: 'DROPPED' },
  });
  await bench.store.collect.markMail(mailId, { outcome: 'ACCEPTED' }, SAVER);
  const left = await sql`select from mails where plan_id = ${plan.planId} and sealed is not null`.execute(
    bench.database,
  );
  assert.equal(left.rows.length, 0);
  const jobs = await sql`select from graphile_worker.jobs where key = ${`mail:${mailId}`}`.execute(
    bench.database,
  );
  assert.equal(jobs.rows.length, 0);
  await assertWhole();
});

test('what somebody chose who was asked before goes, what the next one chose stays', async () => {
  const recipient = await save(bench, { details: COLLECTOR });
  const plan = await delivered(recipient);
  const failed = await bench.change(plan, {
    type: 'DELIVERY_REPORTED',
    stepId: stepId(plan, 'SEND_DIGITAL_COLLECT'),
    status: 'RETURNED',
    verification: 'REPORTED',
    providerReference: `back ${plan.planId}`,
  });
  bench.clock.nowMs += 120_000;
  const event = {
    ...linkMade(failed, 'REISSUED', bench.clock.nowMs),
    recipient: maskedBy(bench, { ...COLLECTOR, email: 'other@quill.example' } as Recipient),
    endToEndId: 'FW-third',
  };
  const token = `next ${plan.planId}`;
  const next = await bench.store.collect.makeLink(
    bench.scope,
    plan.planId,
    event,
    { ...newLink(token), recipient: { ...COLLECTOR, email: 'other@quill.example' } as Recipient },
    contextAt(bench.clock.nowMs),
  );
  assert.ok(next.ok && next.outcome === 'CHANGED', JSON.stringify(next));
  const fields = async () =>
    (
      await sql<{
        field: string;
      }>`select field from recipients where plan_id = ${plan.planId} order by field`.execute(bench.database)
    ).rows.map(({ field }) => field);
  assert.deepEqual(await fields(), ['destination', 'recipient']);
  await deactivated(recipient);
  const open = await erase(recipient);
  assert.ok(!open.ok && open.reason === 'PLANS_OPEN', JSON.stringify(open));
  assert.ok((await erase(recipient, order('LOST'))).ok);
  assert.deepEqual(await fields(), ['recipient'], 'the address of the next one stays');
});

test('what somebody has entered and not confirmed goes, with the code that waits to be e-mailed', async () => {
  const { collect } = bench.store;
  for (const cause of ['REQUESTED', 'LOST'] as const) {
    const others = await sealedNow();
    const recipient = await save(bench, { details: COLLECTOR });
    const plan = await swapped(await planOf(recipient, COLLECTOR));
    const token = `entered ${plan.planId}`;
    const linked = await link(bench, plan, token);
    assert.ok((await collect.keepSubmission('sandbox', tokenHashOf(token), submission(plan.planId))).ok);
    if (cause === 'REQUESTED') {
      await bench.change(linked, { type: 'PLAN_ENDED', reason: 'ABANDONED', force: false });
      await deactivated(recipient);
    }
    const sealed = (await sealedNow()).filter((each) => !others.includes(each));
    assert.ok(sealed.length >= (cause === 'LOST' ? 5 : 2), `${cause}: ${sealed.length}`);
    const done = await erase(recipient, order(cause));
    assert.ok(done.ok && done.outcome === 'CHANGED', JSON.stringify(done));
    const after = await copied();
    for (const bytes of sealed) assert.ok(!after.includes(bytes), `${cause}: sealed bytes are left`);
  }
});

test('an address that was given by hand in its place goes, too, once the plan has ended', async () => {
  const recipient = await save(bench, { details: COLLECTOR });
  const plan = await swapped(await planOf(recipient, COLLECTOR));
  const linked = await link(bench, plan, `first ${plan.planId}`);
  bench.clock.nowMs = MADE_AT_MS + 120_000;
  const elsewhere = { ...COLLECTOR, email: 'right@quill.example' } as Recipient;
  const token = `token ${plan.planId}`;
  const readdressed = await bench.store.collect.makeLink(
    bench.scope,
    plan.planId,
    {
      ...linkMade(linked, 'READDRESSED', bench.clock.nowMs),
      recipient: maskedBy(bench, elsewhere),
    },
    { ...newLink(token), recipient: elsewhere },
    contextAt(bench.clock.nowMs),
  );
  assert.ok(readdressed.ok && readdressed.outcome === 'CHANGED', JSON.stringify(readdressed));
  await deactivated(recipient);
  const open = await erase(recipient);
  assert.ok(!open.ok && open.reason === 'PLANS_OPEN', JSON.stringify(open));
  assert.equal(planStatus(await chosen(readdressed.plan, token)), 'COMPLETED');
  await erased(recipient);
  const { rows } = await sql`select from recipients where plan_id = ${plan.planId}`.execute(bench.database);
  assert.equal(rows.length, 0, 'details are left');
});

test('a notice that falls due after the erasure is dropped', async () => {
  const recipient = await save(bench, { details: COLLECTOR });
  const plan = await delivered(recipient);
  await erased(recipient);
  const mailId = `mail_of_${plan.planId}`;
  await sql`insert into mails (mail_id, organisation_id, environment, plan_id, token_hash, kind, message_id, due_at, expires_at, state,
      attempts, created_at)
    select ${mailId}, organisation_id, environment, plan_id, token_hash, 'DELIVERED', ${mailId}, now() - interval '20 years',
      now() + interval '20 years', 'QUEUED', 0, now()
    from collect_links where plan_id = ${plan.planId}`.execute(bench.database);
  assert.deepEqual(await bench.store.collect.readMail(mailId), {
    ...{ ok: false, reason: 'NOT_QUEUED', state: 'DROPPED' },
  });
});
