// What keys promise: a stolen database answers nothing, a wrong key is refused, and keys are exchanged without a gap.
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Plan } from '@fairway/plan';
import { sql } from 'kysely';
import { type OpenStoreOutcome, openStore, type SealingKey, type Store } from '../src/index.ts';
import { MADE_AT_MS, newPlan, RECIPIENT } from './plans.ts';
import type { ResealOrder } from './resealProcess.ts';
import { openTestStore, type TestStore } from './storeOfTest.ts';

let bench: TestStore;
before(async () => {
  bench = await openTestStore();
});
after(() => bench?.close());

const DEED = { actor: 'cred_support', atMs: MADE_AT_MS + 9 };
const newKey = (id: string): SealingKey => ({ id, key: randomBytes(32) });

function open(sealingKeys: SealingKey[], lostKeyId?: string): Promise<OpenStoreOutcome> {
  const now = () => new Date(bench.clock.nowMs);
  return openStore({ connection: bench.postgres.connection, sealingKeys, lostKeyId, now });
}

async function withKeys<T>(sealingKeys: SealingKey[], use: (store: Store) => Promise<T>): Promise<T> {
  const opened = await open(sealingKeys);
  assert.ok(opened.ok, JSON.stringify(opened));
  try {
    return await use(opened.store);
  } finally {
    await opened.store.close();
  }
}

/** Why a store does not open. No refusal shows a key. */
async function refusalOf(sealingKeys: SealingKey[]): Promise<string> {
  const opened = await open(sealingKeys);
  if (opened.ok) await opened.store.close();
  assert.ok(!opened.ok);
  for (const { key } of sealingKeys)
    for (const text of [key.toString('hex'), key.toString('base64'), key.toString('base64url')])
      assert.ok(!JSON.stringify(opened).includes(text));
  return `${opened.reason}: ${opened.detail}`;
}

/** The fingerprint that the version 0.1.0 (845f45f) stored, under the key in the table `server_keys`. */
function formerFingerprint(serverKey: Buffer, purpose: 'recipient' | 'request', text: string): Buffer {
  const key = hkdfSync('sha256', serverKey, Buffer.alloc(0), `fairway ${purpose} fingerprints v1`, 32);
  const { organisationId } = bench.scope;
  return createHmac('sha256', Buffer.from(key)).update(`${organisationId}\0${text}`).digest();
}

async function serverKey(): Promise<Buffer> {
  const row = await bench.database.selectFrom('server_keys').select('key').executeTakeFirstOrThrow();
  assert.ok(row.key !== null);
  return row.key;
}

const masked = (fingerprint: Buffer) =>
  ({
    type: 'bank',
    name: 'Z. Q.',
    country: 'AU',
    account: { accountNumberLast4: '1234' },
    fingerprint: fingerprint.toString('base64url'),
  }) as const;

const PURPOSES = ['recipient', 'request'] as const;
const numberOf = (index: number) => `062000 77880${String(index).padStart(4, '0')}`;

/** Keeps a plan to an account number, with the fingerprints that `make` gives. */
async function keep(
  number: string,
  make: (purpose: 'recipient' | 'request', text: string) => Buffer,
  clientReference: string,
): Promise<Plan> {
  // What the plan's own texts say is not to be touched.
  const metadata = { fingerprint: 'A'.repeat(43) };
  const plan = newPlan({ clientReference, recipient: masked(make('recipient', number)), metadata });
  const creation = { plan, actor: 'a', bodyFingerprint: make('request', number), recipient: RECIPIENT };
  const created = await bench.store.payments.createPlan(bench.scope, creation);
  assert.ok(created.ok && created.outcome === 'CREATED');
  return plan;
}

/**
 * Tries account numbers against a copy of all tables: every 32 bytes in it are tried as a key, alone and on top of the
 * server key, and every 32 bytes as a fingerprint. Answers the numbers that the copy gives away.
 */
function attack(tables: Record<string, string[]>, thief: Buffer): Set<string> {
  const dump = Object.values(tables).flat().join('\n');
  const found = new Set(
    [...dump.matchAll(/"fingerprint": "([A-Za-z0-9_-]{43,44})"/g)].map(([, text = '']) => {
      return Buffer.from(text, 'base64url').subarray(-32).toString('hex');
    }),
  );
  const bytes = [...dump.matchAll(/\\x([0-9a-f]{64,})/g)].map(([, hex = '']) => Buffer.from(hex, 'hex'));
  for (const one of bytes) found.add(one.subarray(-32).toString('hex'));
  const keys = [...new Set(bytes.flatMap((one) => [one.subarray(0, 32), one.subarray(-32)]))].slice(0, 200);
  const given = new Set<string>();
  for (let index = 0; index < 1_235; index += 1) {
    for (const purpose of PURPOSES) {
      const former = formerFingerprint(thief, purpose, numberOf(index));
      const labels = [`fairway ${purpose} fingerprints v1`, `fairway ${purpose} fingerprints v2`];
      const guesses = [former];
      // Only the last candidates, which are the right ones: all of them times all keys would take minutes.
      if (index >= 1_230)
        for (const key of keys)
          for (const label of labels) {
            const derived = Buffer.from(hkdfSync('sha256', key, Buffer.alloc(0), label, 32));
            guesses.push(createHmac('sha256', derived).update(former).digest());
          }
      if (guesses.some((guess) => found.has(guess.toString('hex')))) given.add(numberOf(index));
    }
  }
  return given;
}

test('a stolen database does not give back an account number, new or stored before', async () => {
  const thief = await serverKey();
  const { fingerprint } = bench.store;
  const guarded = (purpose: 'recipient' | 'request', text: string) =>
    fingerprint(purpose, bench.scope.organisationId, text);
  const former = (purpose: 'recipient' | 'request', text: string) => formerFingerprint(thief, purpose, text);
  await keep(numberOf(1_233), guarded, 'guarded');
  assert.deepEqual(attack(await bench.contents(), thief), new Set());
  // What 0.1.0 stored gives its number away, so that the attack works.
  const plan = await keep(numberOf(1_234), former, 'former');
  assert.deepEqual(attack(await bench.contents(), thief), new Set([numberOf(1_234)]));

  const done = await bench.store.payments.reseal(() => {});
  assert.deepEqual(done, { ok: true, resealed: 0, unreadable: 0, fingerprinted: 1, isRewrapped: false });
  assert.deepEqual(attack(await bench.contents(), thief), new Set());
  // It is equal to what is made now, and nothing else of the plan changed.
  const recipient = masked(guarded('recipient', numberOf(1_234)));
  const loaded = await bench.store.payments.loadPlan(bench.scope, plan.planId);
  assert.deepEqual(loaded, { ok: true, plan: { ...plan, recipient } });
  const read = await bench.store.payments.history(bench.scope, plan.planId, { limit: 9 });
  assert.ok(read.ok);
  assert.deepEqual(read.found?.events[0]?.event, { type: 'PLAN_CREATED', plan: { ...plan, recipient } });
});

test('a replay of a request that was stored before is recognised, and stored anew', async () => {
  const thief = await serverKey();
  const former = (purpose: 'recipient' | 'request', text: string) => formerFingerprint(thief, purpose, text);
  const { planId } = await keep('a request', former, 'replayed');
  const expected = bench.store.fingerprint('request', bench.scope.organisationId, 'a request');
  const recipient = masked(bench.store.fingerprint('recipient', bench.scope.organisationId, 'a request'));
  const lengths = async () =>
    (
      await sql<{ length: number }>`select length(body_fingerprint) from plans
        where client_reference = 'replayed'`.execute(bench.database)
    ).rows.map(({ length }) => length);
  assert.deepEqual(await lengths(), [32]);
  for (let turn = 0; turn < 2; turn += 1) {
    const found = await bench.store.payments.findByReference(bench.scope, 'replayed');
    assert.ok(found.ok && found.found?.bodyFingerprint?.equals(expected));
    assert.deepEqual(await lengths(), [33]);
    // The recipient's fingerprint was made of an account number, so it is guarded by the same request.
    assert.deepEqual(found.found?.plan.recipient, recipient);
  }
  const read = await bench.store.payments.history(bench.scope, planId, { limit: 9 });
  const [created] = read.ok ? (read.found?.events ?? []) : [];
  assert.ok(created?.event.type === 'PLAN_CREATED');
  assert.deepEqual(created.event.plan.recipient, recipient);
  assert.deepEqual(attack(await bench.contents(), thief), new Set());
  const done = await bench.store.payments.reseal(() => {});
  assert.ok(done.ok && done.fingerprinted === 0);
});

test('destinations, rounds and events of collecting are guarded too', async () => {
  const thief = await serverKey();
  const former = formerFingerprint(thief, 'recipient', 'chosen').toString('base64url');
  const next = bench.store
    .fingerprint('recipient', bench.scope.organisationId, 'chosen')
    .toString('base64url');
  const plan = await bench.create();
  const { planId } = plan;
  const of = sql`plan_id = ${planId}`;
  const rounds = (text: string) => [
    { version: 1, destination: { fingerprint: text } },
    { version: 2 },
    { version: 3, destination: { fingerprint: text, note: 'fingerprint' } },
  ];
  await sql`update plan_steps set destination = ${JSON.stringify({ fingerprint: former })},
    rounds = ${JSON.stringify(rounds(former))} where ${of} and position = 2`.execute(bench.database);
  await sql`insert into plan_events select organisation_id, environment, plan_id, 2, at, actor,
    ${JSON.stringify({ type: 'X', destination: { fingerprint: former }, recipient: { fingerprint: former } })}::jsonb
    from plan_events where ${of}`.execute(bench.database);
  const done = await bench.store.payments.reseal(() => {});
  assert.ok(done.ok && done.fingerprinted === 1);
  const { rows } = await sql<Record<string, unknown>>`
    select s.destination, s.rounds, e.event from plan_steps s join plan_events e using (plan_id)
    where plan_id = ${planId} and s.position = 2 and e.revision = 2`.execute(bench.database);
  assert.deepEqual(rows, [
    {
      destination: { fingerprint: next },
      rounds: rounds(next),
      event: { type: 'X', destination: { fingerprint: next }, recipient: { fingerprint: next } },
    },
  ]);
  const again = await bench.store.payments.reseal(() => {});
  assert.ok(again.ok && again.fingerprinted === 0);
});

test('a key of a known id with other bytes is refused by its id, whoever comes first', async () => {
  const wrong = (id: string) =>
    `SEALING_KEY_WRONG: the sealing key ${id} is not the one that this database knows by that id: give the bytes that ${id} had, or give a new key an id of its own`;
  assert.equal(await refusalOf([newKey('k1')]), wrong('k1'));
  const [one, other] = [newKey('twice'), newKey('twice')];
  const outcomes = await Promise.all([
    open([bench.sealingKey, one]),
    open([bench.sealingKey, other]),
    open([bench.sealingKey, other]),
  ]);
  const opened = outcomes.filter(({ ok }) => ok);
  for (const each of outcomes) if (each.ok) await each.store.close();
  assert.ok(opened.length === 1 || opened.length === 2);
  const kept = outcomes[0].ok ? one : other;
  assert.equal(await refusalOf([bench.sealingKey, kept === one ? other : one]), wrong('twice'));
  await withKeys([bench.sealingKey, kept], () => Promise.resolve());
});

test('a wrong key is also refused where records are older than check values', async () => {
  await bench.create();
  await sql`delete from sealing_keys`.execute(bench.database);
  assert.match(await refusalOf([newKey('k1')]), /^SEALING_KEY_WRONG: the sealing key k1 is not the one/);
  // One altered record does not refuse the right key.
  await sql`update recipients set sealed = set_byte(sealed, 20, get_byte(sealed, 20) # 1)
    where plan_id = (select min(plan_id) from recipients)`.execute(bench.database);
  await withKeys([bench.sealingKey], () => Promise.resolve());
  assert.match(await refusalOf([newKey('k1')]), /^SEALING_KEY_WRONG/);
  await sql`delete from recipients where plan_id = (select min(plan_id) from recipients)`.execute(
    bench.database,
  );
});

test('keys are exchanged while two stores serve: every record opens, every replay is recognised', async () => {
  const [old, next] = [bench.sealingKey, newKey('next')];
  const plans: Plan[] = [];
  const request = (store: Store, plan: Plan) =>
    store.fingerprint('request', bench.scope.organisationId, plan.clientReference);
  const serve = async (...stores: Store[]) => {
    for (const store of stores) {
      const plan = newPlan();
      const creation = { plan, actor: 'a', bodyFingerprint: request(store, plan), recipient: RECIPIENT };
      assert.ok((await store.payments.createPlan(bench.scope, creation)).ok);
      plans.push(plan);
    }
    for (const store of stores)
      for (const plan of plans) {
        const revealed = await store.payments.revealRecipient(bench.scope, plan.planId, DEED);
        assert.ok(revealed.ok, JSON.stringify(revealed));
        const known = await store.payments.findByReference(bench.scope, plan.clientReference);
        assert.ok(known.ok && known.found?.bodyFingerprint?.equals(request(store, plan)));
      }
  };
  // The order of docs/operating.md: the new key opens everywhere before it seals anywhere.
  const orders = [[old], [old, next], [next, old]] as const;
  for (const [index, order] of orders.slice(1).entries()) {
    const former = orders[index] ?? [];
    await withKeys([...former], (one) => withKeys([...order], (two) => serve(one, two)));
  }
  await withKeys([next, old], async (one) => {
    const done = await one.payments.reseal(() => {});
    assert.ok(done.ok && done.isRewrapped && done.unreadable === 0);
    await withKeys([next], (two) => serve(one, two));
  });
  assert.match(await refusalOf([old]), /^SEALING_KEY_MISSING: the sealing key next is missing/);
  await withKeys([old, next], ({ payments }) => payments.reseal(() => {}));
  assert.match(await refusalOf([next]), /^SEALING_KEY_MISSING: the sealing key k1 is missing/);
});

/** How many rows of a table were read so far, by sessions that have ended. */
async function rowsRead(table: string): Promise<number> {
  const { rows } = await sql<{ read: number }>`
    select (seq_tup_read + coalesce(idx_tup_fetch, 0))::int as read from pg_stat_user_tables
    where relname = ${table}`.execute(bench.database);
  return rows[0]?.read ?? 0;
}

test('re-sealing reads the plans once, however many have fingerprints of before', async () => {
  const copies = 1_200;
  const thief = await serverKey();
  const former = (purpose: 'recipient' | 'request', text: string) => formerFingerprint(thief, purpose, text);
  const { planId } = await keep('n', former, 'copied');
  for (const [table, changes] of [
    ['plans', `'client_reference', 'copy' || n, 'end_to_end_id', 'FWcopy' || n`],
    ['plan_events', `'at', row.at`],
  ] as const)
    await sql`insert into ${sql.table(table)} select copy.* from ${sql.table(table)} row, generate_series(1, ${copies}) n,
      jsonb_populate_record(null::${sql.table(table)}, to_jsonb(row)
        || jsonb_build_object('plan_id', 'plan_copy' || n, ${sql.raw(changes)})) copy
      where row.plan_id = ${planId}`.execute(bench.database);
  // Without statistics, PostgreSQL may take an index that has a part of the key.
  await sql`analyze plans, plan_events`.execute(bench.database);
  const { rows } = await sql<{ events: number }>`select count(*)::int as events from plan_events`.execute(
    bench.database,
  );
  const before = await rowsRead('plan_events');
  await withKeys([bench.sealingKey], async ({ payments }) => {
    const done = await payments.reseal(() => {});
    assert.ok(done.ok && done.fingerprinted === copies + 1);
  });
  const deadlineMs = performance.now() + 20_000;
  let read = 0;
  // Sessions report what they read when they end.
  while (read < copies && performance.now() < deadlineMs) {
    await sleep(50);
    read = (await rowsRead('plan_events')) - before;
  }
  // Once to find those that are left, once to read and once to change them.
  const most = 3 * (rows[0]?.events ?? 0) + 200;
  assert.ok(read >= copies && read <= most, `${read} events were read, of at most ${most}`);
  await sql`delete from plan_events where plan_id like 'plan_copy%'`.execute(bench.database);
  await sql`delete from plans where plan_id like 'plan_copy%'`.execute(bench.database);
});

test('a missing key of fingerprints ends the start, and its successor has a version of its own', async () => {
  const asked = 'asked before the loss';
  await keep(
    asked,
    (purpose, text) => bench.store.fingerprint(purpose, bench.scope.organisationId, text),
    asked,
  );
  const kept = await bench.database.selectFrom('wrapped_keys').selectAll().execute();
  assert.equal(kept.length, 1);
  const renew = (...keys: SealingKey[]) =>
    openStore({ connection: bench.postgres.connection, sealingKeys: keys, lostFingerprintKey: true });
  const known = await renew(bench.sealingKey);
  assert.ok(!known.ok && known.reason === 'FINGERPRINT_KEY_KNOWN', JSON.stringify(known));

  await bench.database.deleteFrom('wrapped_keys').execute();
  const missing =
    'FINGERPRINT_KEY_MISSING: the table wrapped_keys lacks the key of the fingerprints, and there are plans whose ' +
    'fingerprints were made with it: restore the table; if no backup has it, run: fairway reseal --lost-fingerprints';
  for (let turn = 0; turn < 2; turn += 1) assert.equal(await refusalOf([bench.sealingKey]), missing);
  assert.deepEqual(await bench.database.selectFrom('wrapped_keys').selectAll().execute(), []);
  const renewed = await renew(bench.sealingKey);
  assert.ok(renewed.ok, JSON.stringify(renewed));
  // Whether a request is the same cannot be told any more, which is not the same as telling that it is another.
  const found = await renewed.store.payments.findByReference(bench.scope, asked);
  assert.ok(found.ok && found.found !== undefined && found.found.bodyFingerprint === undefined);
  await renewed.store.close();

  // An older row beside newer fingerprints does not bring a version back that was used.
  const [row] = await bench.database.selectFrom('wrapped_keys').selectAll().execute();
  assert.equal(row?.version, (kept[0]?.version ?? 0) + 1);
  await sql`update plans set body_fingerprint = set_byte(body_fingerprint, 0, 9) where client_reference = ${asked}`.execute(
    bench.database,
  );
  const lost = await openStore({
    ...{ connection: bench.postgres.connection, sealingKeys: [newKey('after the loss')] },
    lostKeyId: bench.sealingKey.id,
  });
  assert.ok(lost.ok);
  await lost.store.close();
  const [replaced] = await bench.database.selectFrom('wrapped_keys').selectAll().execute();
  assert.equal(replaced?.version, 10);
  await bench.database.deleteFrom('wrapped_keys').execute();
  await bench.database.insertInto('wrapped_keys').values(kept).execute();
});

// The procedure of docs/operating.md, "The server key is lost".
test('a lost server key is given up by hand, and no repeated request is taken for another one', async () => {
  const asked = 'asked before the server key was lost';
  await keep(
    asked,
    (purpose, text) => bench.store.fingerprint(purpose, bench.scope.organisationId, text),
    asked,
  );
  const tables = ['server_keys', 'wrapped_keys'] as const;
  const kept = [];
  for (const table of tables) {
    kept.push(await bench.database.selectFrom(table).selectAll().execute());
    await bench.database.deleteFrom(table).execute();
  }
  const opened = await openStore({
    ...{ connection: bench.postgres.connection, serverKey: randomBytes(32), sealingKeys: [bench.sealingKey] },
    lostFingerprintKey: true,
  });
  assert.ok(opened.ok, JSON.stringify(opened));
  const found = await opened.store.payments.findByReference(bench.scope, asked);
  assert.ok(found.ok && found.found !== undefined && found.found.bodyFingerprint === undefined);
  await opened.store.close();
  for (const [index, table] of tables.entries()) {
    await bench.database.deleteFrom(table).execute();
    await bench.database
      .insertInto(table)
      .values(kept[index] as never)
      .execute();
  }
});

test('re-sealing that is killed in the middle goes on where it was, and nothing is lost', async () => {
  const thief = await serverKey();
  const former = (purpose: 'recipient' | 'request', text: string) => formerFingerprint(thief, purpose, text);
  const plans: Plan[] = [];
  while (plans.length < 450)
    plans.push(
      ...(await Promise.all(
        Array.from({ length: 10 }, (_, index) => keep('n', former, `killed ${plans.length + index}`)),
      )),
    );
  const next = newKey('after the kill');
  const keys = [next, bench.sealingKey];
  const count = async () => {
    const { rows } = await sql<{ sealed: number; fingerprints: number }>`
      select (select count(*)::int from recipients where key_id <> ${next.id}) as sealed,
        (select count(*)::int from plans where length(body_fingerprint) = 32) as fingerprints`.execute(
      bench.database,
    );
    return rows[0] ?? { sealed: 0, fingerprints: 0 };
  };
  const before = await count();
  assert.equal(before.fingerprints, 450);
  // Killed after the first batch of records, and again after the first batch of fingerprints.
  for (const diesAfter of ['RECORDS', 'PLANS'] as const) {
    const child = fork(join(import.meta.dirname, 'resealProcess.ts'));
    const ended = once(child, 'exit');
    const given = keys.map(({ id, key }) => ({ id, hex: key.toString('hex') }));
    child.send({ connection: bench.postgres.connection, keys: given, diesAfter } satisfies ResealOrder);
    assert.deepEqual(await ended, [null, 'SIGKILL']);
    if (diesAfter === 'RECORDS') {
      assert.equal((await count()).sealed, before.sealed - 200);
      // The former key is taken out too early: the operator is told how many records nobody opens.
      await withKeys([next], async ({ operator }) =>
        assert.deepEqual(await operator.recordsWithoutKey([next.id]), {
          ok: true,
          counts: new Map([[bench.sealingKey.id, before.sealed - 200]]),
        }),
      );
    }
  }
  const between = await count();
  assert.equal(between.sealed, 0);
  assert.ok(between.fingerprints >= 250 && between.fingerprints < 450, String(between.fingerprints));
  await withKeys(keys, async ({ payments }) => {
    const done = await payments.reseal(() => {});
    assert.deepEqual(done, {
      ok: true,
      resealed: 0,
      unreadable: 0,
      fingerprinted: between.fingerprints,
      isRewrapped: false,
    });
  });
  await withKeys([next], async (store) => {
    assert.deepEqual(await store.operator.recordsWithoutKey([next.id]), { ok: true, counts: new Map() });
    const expected = store.fingerprint('request', bench.scope.organisationId, 'n');
    for (const { planId, clientReference } of plans) {
      const read = await store.payments.readRecipient(bench.scope, planId);
      assert.deepEqual(read, { ok: true, recipient: RECIPIENT });
      const found = await store.payments.findByReference(bench.scope, clientReference);
      assert.ok(found.ok && found.found?.bodyFingerprint?.equals(expected));
    }
  });
});
