// Registered recipients as the store keeps them: each change with its event, sealed, and used only as they are at that moment.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { openStore, type PlanScope } from '../src/index.ts';
import { deposit, evidence, hashOf, newPlan, RECIPIENT, REQUEST, stepId, swap } from './plans.ts';
import { maskedBy, save, registeredCreation, SAVER, walletDetails } from './registeredRecipients.ts';
import { openTestStore, type TestStore } from './storeOfTest.ts';

const bench = await openTestStore();
after(() => bench.close());

const recipients = () => bench.store.recipients;
const RENAMED = { type: 'EDITED', label: 'Office' } as const;

/** The events of a subject, with their numbers. */
async function told(subjectId: string): Promise<string[]> {
  const { rows } = await sql<{ told: string }>`
    select sequence || ' ' || type as told from events
    where organisation_id = ${bench.scope.organisationId} and subject_id = ${subjectId} order by written`.execute(
    bench.database,
  );
  return rows.map((row) => row.told);
}

async function load(recipientId: string, scope: PlanScope = bench.scope) {
  const loaded = await recipients().loadRecipient(scope, recipientId);
  return loaded.found?.registered;
}

test('of parallel creations with one reference one is kept, with one event', async () => {
  const made = await Promise.all(
    Array.from({ length: 8 }, () =>
      recipients().createRecipient(
        bench.scope,
        registeredCreation(bench, { clientReference: 'SUP-1' }),
        SAVER,
      ),
    ),
  );
  const outcomes = made.map(({ outcome }) => outcome).sort();
  assert.deepEqual(outcomes, ['CREATED', ...Array.from({ length: 7 }, () => 'EXISTS')]);
  const ids = new Set(made.map(({ kept }) => kept.registered.recipientId));
  assert.equal(ids.size, 1);
  const [id = ''] = ids;
  assert.deepEqual(await told(id), ['1 recipient.created']);
  assert.equal(await load(id, bench.otherScope), undefined, 'of its organisation alone');
});

test('a recipient is read as it was written, and each change is told once', async () => {
  const { registered } = await save(bench, { clientReference: 'SUP-2' });
  assert.deepEqual(await load(registered.recipientId), registered);
  const details = { recipient: maskedBy(bench, walletDetails()), full: RECIPIENT, needsApproval: false };
  const verification = { provider: 'P', result: 'MATCH', checkedAtMs: 5, reference: 'R' } as const;
  const bank = { ...RECIPIENT, name: 'ZEBEDEE QUILLFEATHER' };
  const changes = [
    RENAMED,
    RENAMED,
    { type: 'VERIFIED', verification },
    { type: 'EDITED', details },
    { type: 'EDITED', details: { recipient: maskedBy(bench, bank), full: bank, needsApproval: false } },
    { type: 'EDITED', details: { recipient: maskedBy(bench, bank), full: bank, needsApproval: false } },
    { type: 'DEACTIVATED' },
    { type: 'DEACTIVATED' },
  ] as const;
  const outcomes: unknown[] = [];
  for (const change of changes) {
    const changed = await recipients().changeRecipient(bench.scope, registered.recipientId, change, SAVER);
    outcomes.push(changed.ok ? changed.outcome : changed.reason);
    if (changed.ok) assert.deepEqual(await load(registered.recipientId), changed.kept.registered);
  }
  assert.deepEqual(outcomes, [
    ...['CHANGED', 'UNCHANGED', 'CHANGED', 'UNCHANGED', 'CHANGED', 'UNCHANGED', 'CHANGED', 'UNCHANGED'],
  ]);
  assert.deepEqual(await told(registered.recipientId), [
    '1 recipient.created',
    '2 recipient.updated',
    '3 recipient.updated',
    '4 recipient.updated',
    '5 recipient.deactivated',
  ]);
  const listed = await recipients().listVersions(bench.scope, registered.recipientId, { limit: 9 });
  const versions = listed.found?.versions.map(({ version, madeBy, verification: check }) => [
    version,
    madeBy,
    check?.result,
  ]);
  assert.deepEqual(versions, [
    [2, SAVER.actor, undefined],
    [1, SAVER.actor, 'MATCH'],
  ]);
});

test('a change whose event cannot be written changes nothing', async () => {
  const { registered } = await save(bench);
  const dropped = sql`alter table events rename to events_away`;
  await dropped.execute(bench.database);
  try {
    await assert.rejects(recipients().changeRecipient(bench.scope, registered.recipientId, RENAMED, SAVER));
    await assert.rejects(
      recipients().createRecipient(
        bench.scope,
        registeredCreation(bench, { clientReference: 'LOST' }),
        SAVER,
      ),
    );
  } finally {
    await sql`alter table events_away rename to events`.execute(bench.database);
  }
  assert.deepEqual(await load(registered.recipientId), registered);
  const found = await recipients().findRecipientByReference(bench.scope, 'LOST');
  assert.ok(found.found === undefined);
});

test('of parallel changes for one revision one is made', async () => {
  const { registered } = await save(bench);
  const outcomes = await Promise.all(
    Array.from({ length: 8 }, (_, index) =>
      recipients().changeRecipient(
        bench.scope,
        registered.recipientId,
        { type: 'EDITED', label: `Label ${index}` },
        { ...SAVER, expectedRevisions: [1] },
      ),
    ),
  );
  const counts = outcomes.map((each) => (each.ok ? each.outcome : each.reason));
  assert.equal(counts.filter((each) => each === 'CHANGED').length, 1);
  assert.equal(counts.filter((each) => each === 'REVISION_MISMATCH').length, 7);
  assert.equal((await load(registered.recipientId))?.revision, 2);
});

test('a plan is made of the version that was read, or of none', async () => {
  const { registered } = await save(bench);
  const { recipientId, recipient } = registered;
  const create = (version: number) => {
    const plan = newPlan({ recipient: { ...recipient, registeredAs: { recipientId, version } } });
    const creation = { plan, actor: 'cred_x', bodyFingerprint: REQUEST, recipient: RECIPIENT };
    return bench.store.payments.createPlan(bench.scope, creation);
  };
  const made = await create(1);
  assert.ok(made.ok && made.outcome === 'CREATED');
  assert.equal((await load(recipientId))?.lastUsedAtMs, made.plan.createdAtMs);
  const listed = await bench.store.payments.listPlans(bench.scope, { recipientId }, { limit: 9 });
  assert.deepEqual(listed.plans, [made.plan]);
  const reasonOf = async (version: number) => {
    const refused = await create(version);
    return refused.ok ? refused.outcome : refused.reason;
  };
  assert.equal(await reasonOf(2), 'RECIPIENT_CHANGED');
  await recipients().changeRecipient(bench.scope, recipientId, { type: 'DEACTIVATED' }, SAVER);
  assert.equal(await reasonOf(1), 'RECIPIENT_CHANGED');
  assert.deepEqual(await bench.store.payments.loadPlan(bench.scope, made.plan.planId), {
    plan: made.plan,
  });
});

test('a plan that rests on a check is made of the revision that was read, or of none', async () => {
  const { registered } = await save(bench);
  const { recipientId, recipient, version } = registered;
  const registeredAs = { recipientId, version };
  const create = async (registeredRevision?: number) => {
    const plan = newPlan({ recipient: { ...recipient, registeredAs } });
    const creation = { plan, actor: 'cred_x', bodyFingerprint: REQUEST, recipient: RECIPIENT };
    const made = await bench.store.payments.createPlan(
      bench.scope,
      registeredRevision === undefined ? creation : { ...creation, registeredRevision },
    );
    return made.ok ? made.outcome : made.reason;
  };
  assert.equal(await create(1), 'CREATED');
  const verification = { provider: 'p', result: 'NO_MATCH', checkedAtMs: 1, reference: 'r' } as const;
  const checked = { type: 'VERIFIED', verification } as const;
  assert.ok((await recipients().changeRecipient(bench.scope, recipientId, checked, SAVER)).ok);
  assert.equal(await create(1), 'RECIPIENT_CHANGED');
  assert.deepEqual([await create(2), await create()], ['CREATED', 'CREATED']);
  const plan = await bench.create();
  await bench.change(plan, deposit(plan, hashOf(`${plan.planId} in`)));
  await bench.change(plan, swap(plan, evidence(hashOf(`${plan.planId} out`), 10n ** 77n)));
  const lastId = stepId(plan, 'CUSTODIAN_PAYOUT');
  const failure = { code: 'ACCOUNT_CLOSED' };
  await bench.change(plan, { type: 'PAYOUT_FAILED', stepId: lastId, failure });
  const replace = async (registeredRevision: number) => {
    const other = { ...recipient, registeredAs };
    const event = {
      type: 'RECIPIENT_REPLACED',
      stepId: lastId,
      recipient: other,
      endToEndId: 'FW-c',
    } as const;
    const context = { ...SAVER, registeredRevision };
    const done = await bench.store.payments.replaceRecipient(
      bench.scope,
      plan.planId,
      event,
      RECIPIENT,
      context,
    );
    return done.ok ? done.outcome : done.reason;
  };
  assert.deepEqual([await replace(1), await replace(2)], ['RECIPIENT_CHANGED', 'CHANGED']);
});

test('no plan is made of details that wait, and one of the former when they were rejected', async () => {
  const { registered } = await save(bench);
  const { recipientId, recipient } = registered;
  const change = async (
    change: Parameters<TestStore['store']['recipients']['changeRecipient']>[2],
    actor: string,
  ) => {
    const changed = await recipients().changeRecipient(bench.scope, recipientId, change, { ...SAVER, actor });
    return changed.ok ? changed.kept.registered : changed.reason;
  };
  const create = async (version: number) => {
    const plan = newPlan({ recipient: { ...recipient, registeredAs: { recipientId, version } } });
    const creation = { plan, actor: 'cred_x', bodyFingerprint: REQUEST, recipient: RECIPIENT };
    const created = await bench.store.payments.createPlan(bench.scope, creation);
    return created.ok ? created.outcome : created.reason;
  };
  const full = { ...RECIPIENT, name: 'Mallory Quillfeather' };
  const details = { recipient: maskedBy(bench, full), full, needsApproval: true };
  const waiting = await change({ type: 'EDITED', details }, 'cred_maker');
  assert.ok(typeof waiting === 'object' && waiting.status === 'PENDING_APPROVAL');
  assert.deepEqual(await load(recipientId), waiting, 'with the version that stands');
  assert.equal(waiting.standing?.version, 1);
  for (const version of [1, 2]) assert.equal(await create(version), 'RECIPIENT_CHANGED');
  assert.equal(await change({ type: 'APPROVED', version: 2 }, 'cred_maker'), 'OWN_DETAILS');
  assert.equal(await change({ type: 'REJECTED', version: 1 }, 'cred_other'), 'NOT_WAITING');
  const back = await change({ type: 'REJECTED', version: 2 }, 'cred_other');
  assert.ok(typeof back === 'object');
  assert.deepEqual([back.status, back.version, back.standing], ['ACTIVE', 1, undefined]);
  assert.equal(await create(2), 'RECIPIENT_CHANGED');
  assert.equal(await create(1), 'CREATED');
  assert.deepEqual(await told(recipientId), [
    '1 recipient.created',
    '2 recipient.updated',
    '3 recipient.rejected',
  ]);
});

test('a plan waits for a change of its recipient, and is not made of what that ends', async () => {
  const { registered } = await save(bench);
  const { recipientId, recipient } = registered;
  const plan = newPlan({ recipient: { ...recipient, registeredAs: { recipientId, version: 1 } } });
  const creation = { plan, actor: 'cred_x', bodyFingerprint: REQUEST, recipient: RECIPIENT };
  let isOver = false;
  const created = await bench.database.transaction().execute(async (holder) => {
    await sql`update registered_recipients set status = 'DEACTIVATED' where recipient_id = ${recipientId}`.execute(
      holder,
    );
    const creating = bench.store.payments.createPlan(bench.scope, creation).finally(() => {
      isOver = true;
    });
    await sleep(300);
    assert.ok(!isOver, 'it waits');
    return { creating };
  });
  const outcome = await created.creating;
  assert.equal(outcome.ok ? outcome.outcome : outcome.reason, 'RECIPIENT_CHANGED');
  assert.deepEqual(await bench.store.payments.loadPlan(bench.scope, plan.planId), {
    plan: undefined,
  });
});

test('after a restore recipients that are ACTIVE or have changed since are told again, in parts', async () => {
  await bench.clear();
  const [active, recent, former] = [await save(bench), await save(bench), await save(bench)];
  const end = ({ registered: { recipientId } }: typeof active, atMs: number) =>
    recipients().changeRecipient(bench.scope, recipientId, { type: 'DEACTIVATED' }, { ...SAVER, atMs });
  await end(former, SAVER.atMs);
  await end(recent, SAVER.atMs + 10);
  const recovered = await bench.store.operator.recover(SAVER.atMs + 5);
  let after: string | undefined;
  do {
    const republished = await bench.store.operator.republishRecipients({
      sinceMs: SAVER.atMs + 5,
      limit: 1,
      after,
    });
    after = republished.next;
  } while (after !== undefined);
  const base = recovered.epoch * 10_000_000;
  assert.deepEqual(await told(active.registered.recipientId), [
    '1 recipient.created',
    `${base + 1} recipient.updated`,
  ]);
  assert.deepEqual((await told(recent.registered.recipientId)).at(-1), `${base + 1} recipient.updated`);
  assert.deepEqual((await told(former.registered.recipientId)).length, 2, 'over before the backup');
});

test('details are sealed anew with the first key, and a lost key is noticed', async () => {
  const { registered } = await save(bench, { clientReference: 'SUP-3' });
  const newer = { id: 'k2', key: randomBytes(32) };
  const connection = bench.postgres.connection;
  const counted = await bench.store.operator.recordsWithoutKey([]);
  assert.ok((counted.counts.get('k1') ?? 0) > 0);
  const both = await openStore({ connection, sealingKeys: [newer, bench.sealingKey] });
  assert.ok(both.ok);
  await both.store.payments.reseal(() => {});
  await both.store.close();
  const { rows } = await sql<{ key_id: string }>`
    select distinct key_id from registered_recipient_versions`.execute(bench.database);
  assert.deepEqual(rows, [{ key_id: 'k2' }]);
  const only = await openStore({ connection, sealingKeys: [newer] });
  assert.ok(only.ok);
  const read = await only.store.recipients.readRegistered(bench.scope, registered.recipientId);
  assert.ok(read.ok);
  assert.deepEqual(read.recipient, RECIPIENT);
  await only.store.close();
  const closed = await recipients().readRegistered(bench.scope, registered.recipientId);
  assert.ok(!closed.ok && closed.reason === 'KEY_UNKNOWN');
  // Back to the key that the other tests use.
  const back = await openStore({ connection, sealingKeys: [bench.sealingKey, newer] });
  assert.ok(back.ok);
  await back.store.payments.reseal(() => {});
  await back.store.close();
});

test('a sealed version does not open in the place of another version or recipient', async () => {
  const [one, other] = [(await save(bench)).registered, (await save(bench)).registered];
  await sql`
    update registered_recipient_versions to_change set sealed = source.sealed from registered_recipient_versions source
    where source.recipient_id = ${one.recipientId} and to_change.recipient_id = ${other.recipientId}`.execute(
    bench.database,
  );
  const read = await recipients().readRegistered(bench.scope, other.recipientId);
  assert.ok(!read.ok && read.reason === 'SEAL_BROKEN');
});

test('without the key of the fingerprints a store with registered recipients alone does not open', async () => {
  await bench.clear();
  await save(bench);
  await sql`create table kept_keys as table wrapped_keys`.execute(bench.database);
  await sql`delete from wrapped_keys`.execute(bench.database);
  try {
    const opened = await openStore({
      connection: bench.postgres.connection,
      sealingKeys: [bench.sealingKey],
    });
    // A store that went on would keep the failed test from ending.
    if (opened.ok) await opened.store.close();
    assert.equal(opened.ok ? 'OPENED' : opened.reason, 'FINGERPRINT_KEY_MISSING');
  } finally {
    await sql`insert into wrapped_keys select * from kept_keys`.execute(bench.database);
    await sql`drop table kept_keys`.execute(bench.database);
  }
});
