// What keys promise: a stolen database answers nothing, a wrong key is refused, and keys are exchanged without a gap.
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Plan } from '@fairway/plan';
import { sql } from 'kysely';
import type { Key } from '@fairway/keys';
import { type OpenStoreOutcome, openStore, type Store } from '../src/index.ts';
import { MADE_AT_MS, newPlan, RECIPIENT } from './plans.ts';
import type { ResealOrder } from './resealProcess.ts';
import { openTestStore } from './storeOfTest.ts';

const bench = await openTestStore();
after(() => bench.close());

const BY = { actor: 'cred_support', atMs: MADE_AT_MS + 9 };
const newKey = (id: string): Key => ({ id, key: randomBytes(32) });

function open(sealingKeys: Key[], lostKeyId?: string): Promise<OpenStoreOutcome> {
  const now = () => new Date(bench.clock.nowMs);
  return openStore({ connection: bench.postgres.connection, sealingKeys, lostKeyId, now });
}

async function withKeys<T>(sealingKeys: Key[], use: (store: Store) => Promise<T>): Promise<T> {
  const opened = await open(sealingKeys);
  assert.ok(opened.ok, JSON.stringify(opened));
  try {
    return await use(opened.store);
  } finally {
    await opened.store.close();
  }
}

/** Why a store does not open. No refusal shows a key. */
async function refusalOf(sealingKeys: Key[]): Promise<string> {
  const opened = await open(sealingKeys);
  if (opened.ok) await opened.store.close();
  assert.ok(!opened.ok);
  for (const { key } of sealingKeys)
    for (const text of [key.toString('hex'), key.toString('base64'), key.toString('base64url')])
      assert.ok(!JSON.stringify(opened).includes(text));
  return `${opened.reason}: ${opened.detail}`;
}

/** The fingerprint of a text under a key and one of the labels of fingerprints. */
function fingerprintUnder(key: Buffer, purpose: 'recipient' | 'request', text: string): Buffer {
  const derived = hkdfSync('sha256', key, Buffer.alloc(0), `fairway ${purpose} fingerprints v1`, 32);
  const { organisationId } = bench.scope;
  return createHmac('sha256', Buffer.from(derived)).update(`${organisationId}\0${text}`).digest();
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
  const plan = newPlan({ clientReference, recipient: masked(make('recipient', number)) });
  const creation = { plan, actor: 'a', bodyFingerprint: make('request', number), recipient: RECIPIENT };
  const created = await bench.store.payments.createPlan(bench.scope, creation);
  assert.ok(created.ok && created.outcome === 'CREATED');
  return plan;
}

/**
 * Tries account numbers against a copy of all tables. It tries every 32 bytes of the copy as a key, and every 32
 * bytes as a fingerprint. Answers the numbers that the copy gives away.
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
  for (let index = 0; index < 1_235; index += 1)
    for (const purpose of PURPOSES) {
      // All keys for the last candidates, which are the right ones: for all of them it would take minutes.
      const tried = index >= 1_230 ? [thief, ...keys] : [thief];
      const guesses = tried.map((key) => fingerprintUnder(key, purpose, numberOf(index)).toString('hex'));
      if (guesses.some((guess) => found.has(guess))) given.add(numberOf(index));
    }
  return given;
}

test('a stolen database does not give back an account number', async () => {
  const thief = await serverKey();
  const { fingerprint } = bench.store;
  await keep(
    numberOf(1_233),
    (purpose, text) => fingerprint(purpose, bench.scope.organisationId, text),
    'guarded',
  );
  assert.deepEqual(attack(await bench.contents(), thief), new Set());
  // A fingerprint under a key of the database gives its number away, so the attack works.
  const unguarded = (purpose: 'recipient' | 'request', text: string) =>
    Buffer.concat([Buffer.of(1), fingerprintUnder(thief, purpose, text)]);
  await keep(numberOf(1_234), unguarded, 'unguarded');
  assert.deepEqual(attack(await bench.contents(), thief), new Set([numberOf(1_234)]));
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
        const revealed = await store.payments.revealRecipient(bench.scope, plan.planId, BY);
        assert.ok(revealed.ok, JSON.stringify(revealed));
        const known = await store.payments.findByReference(bench.scope, plan.clientReference);
        assert.ok(known.found?.bodyFingerprint?.equals(request(store, plan)));
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
    assert.ok(done.isRewrapped && done.unreadable === 0);
    await withKeys([next], (two) => serve(one, two));
  });
  assert.match(await refusalOf([old]), /^SEALING_KEY_MISSING: the sealing key next is missing/);
  await withKeys([old, next], ({ payments }) => payments.reseal(() => {}));
  assert.match(await refusalOf([next]), /^SEALING_KEY_MISSING: the sealing key k1 is missing/);
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
  const renew = (...keys: Key[]) =>
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
  assert.ok(found.found !== undefined && found.found.bodyFingerprint === undefined);
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
test('a lost server key is given up by hand, and repeated requests are still recognised', async () => {
  const asked = 'asked before the server key was lost';
  const expected = bench.store.fingerprint('request', bench.scope.organisationId, asked);
  await keep(
    asked,
    (purpose, text) => bench.store.fingerprint(purpose, bench.scope.organisationId, text),
    asked,
  );
  const kept = await bench.database.deleteFrom('server_keys').returningAll().execute();
  const opened = await openStore({
    ...{ connection: bench.postgres.connection, serverKey: randomBytes(32), sealingKeys: [bench.sealingKey] },
  });
  assert.ok(opened.ok, JSON.stringify(opened));
  const found = await opened.store.payments.findByReference(bench.scope, asked);
  assert.ok(found.found?.bodyFingerprint?.equals(expected));
  await opened.store.close();
  await bench.database.deleteFrom('server_keys').execute();
  await bench.database.insertInto('server_keys').values(kept).execute();
});

test('re-sealing that is killed in the middle goes on where it was, and nothing is lost', async () => {
  const plans: Plan[] = [];
  while (plans.length < 450)
    plans.push(...(await Promise.all(Array.from({ length: 10 }, () => bench.create()))));
  const next = newKey('after the kill');
  const keys = [next, bench.sealingKey];
  const countLeft = async () => {
    const { rows } = await sql<{ left: number }>`
      select count(*)::int as left from recipients where key_id <> ${next.id}`.execute(bench.database);
    return rows[0]?.left ?? 0;
  };
  const before = await countLeft();
  assert.ok(before >= 450);
  const child = fork(join(import.meta.dirname, 'resealProcess.ts'));
  const ended = once(child, 'exit');
  const given = keys.map(({ id, key }) => ({ id, hex: key.toString('hex') }));
  child.send({ connection: bench.postgres.connection, keys: given } satisfies ResealOrder);
  assert.deepEqual(await ended, [null, 'SIGKILL']);
  assert.equal(await countLeft(), before - 200);
  // The former key is taken out too early: the operator is told how many records nobody opens.
  await withKeys([next], async ({ operator }) =>
    assert.deepEqual(await operator.recordsWithoutKey([next.id]), {
      counts: new Map([[bench.sealingKey.id, before - 200]]),
    }),
  );
  await withKeys(keys, async ({ payments }) => {
    const done = await payments.reseal(() => {});
    assert.deepEqual(done, { resealed: before - 200, unreadable: 0, isRewrapped: false });
  });
  await withKeys([next], async (store) => {
    assert.deepEqual(await store.operator.recordsWithoutKey([next.id]), { counts: new Map() });
    for (const { planId } of plans) {
      const read = await store.payments.readRecipient(bench.scope, planId);
      assert.deepEqual(read, { ok: true, recipient: RECIPIENT });
    }
  });
});
