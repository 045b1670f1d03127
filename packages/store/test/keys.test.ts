// What keys promise: a stolen database answers nothing, a wrong key is refused, and keys are exchanged without a gap.
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
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
  await keep('a request', former, 'replayed');
  const expected = bench.store.fingerprint('request', bench.scope.organisationId, 'a request');
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
  }
  assert.ok((await bench.store.payments.reseal(() => {})).ok);
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
  for (const diesWithLeft of [before.sealed + before.fingerprints - 1, 449]) {
    const child = fork(join(import.meta.dirname, 'resealProcess.ts'));
    const ended = once(child, 'exit');
    const given = keys.map(({ id, key }) => ({ id, hex: key.toString('hex') }));
    child.send({ connection: bench.postgres.connection, keys: given, diesWithLeft } satisfies ResealOrder);
    assert.deepEqual(await ended, [null, 'SIGKILL']);
    if (diesWithLeft > 449) assert.equal((await count()).sealed, before.sealed - 200);
  }
  const between = await count();
  assert.deepEqual(between, { sealed: 0, fingerprints: 250 });
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
    const expected = store.fingerprint('request', bench.scope.organisationId, 'n');
    for (const { planId, clientReference } of plans) {
      const read = await store.payments.readRecipient(bench.scope, planId);
      assert.deepEqual(read, { ok: true, recipient: RECIPIENT });
      const found = await store.payments.findByReference(bench.scope, clientReference);
      assert.ok(found.ok && found.found?.bodyFingerprint?.equals(expected));
    }
  });
});
