import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, symlinkSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseUnavailableError, startEmbeddedPostgres } from '@fairway/postgres';
import { TEST_CACHE_DIRECTORY } from '@fairway/testing';
import {
  createAuthenticator,
  createSecretHasher,
  type CredentialRecord,
  type Credentials,
} from '../src/index.ts';
import { openApplication } from './application.ts';

const secrets = createSecretHasher(randomBytes(32));
const USER = `cred_${'1'.repeat(32)}`;
const NOBODY = `cred_${'2'.repeat(32)}`;

/** A store of one record in memory. The test can make its database unavailable and set both clocks. */
function arrange(change: Partial<CredentialRecord> = {}) {
  const record: CredentialRecord = {
    username: USER,
    organisationId: 'org_1',
    environment: 'sandbox',
    permissions: ['quotes:read'],
    secretHash: secrets.hash(USER, 'right'),
    previousSecretHash: undefined,
    previousValidUntilMs: 0,
    expiresAtMs: Number.POSITIVE_INFINITY,
    isRevoked: false,
    ...change,
  };
  const hold = Promise.resolve();
  const world = { record, hold, reads: 0, isDown: false, nowMs: 1_000_000, monotonicMs: 50_000 };
  const findCredential: Credentials['findCredential'] = async (username) => {
    world.reads += 1;
    const seen = world.record;
    await world.hold;
    if (world.isDown) throw new DatabaseUnavailableError(new Error('down'));
    return { record: username === USER ? seen : undefined };
  };
  const authenticate = createAuthenticator({
    store: { findCredential, secrets },
    nowMs: () => world.nowMs,
    monotonicMs: () => world.monotonicMs,
    patienceMs: 100,
  });
  const outcome = async (password: string, username = USER) =>
    (await authenticate(username, password)).outcome;
  return { world, authenticate, outcome };
}

test('the right password is accepted, from memory while that is fresh', async () => {
  const { world, authenticate } = arrange();
  const expected = {
    outcome: 'AUTHENTICATED',
    credentialId: USER,
    organisationId: 'org_1',
    environment: 'sandbox',
    permissions: ['quotes:read'],
  };
  for (let again = 0; again < 3; again += 1)
    assert.partialDeepStrictEqual(await authenticate(USER, 'right'), expected);
  assert.equal(world.reads, 1);
  world.monotonicMs += 3_000;
  assert.partialDeepStrictEqual(await authenticate(USER, 'right'), expected);
  assert.equal(world.reads, 2);
});

test('an accepted password holds until its credential is read again, or its time is over', async () => {
  const { world, authenticate, outcome } = arrange({
    expiresAtMs: 1_060_000,
    previousSecretHash: secrets.hash(USER, 'old'),
    previousValidUntilMs: 1_030_000,
  });
  const accepted = async (password: string) => {
    const result = await authenticate(USER, password);
    return result.outcome === 'AUTHENTICATED' ? result : assert.fail(result.outcome);
  };
  const holds = (...results: readonly { stillHolds(): boolean }[]) =>
    results.map((each) => each.stillHolds());
  const [right, old] = [await accepted('right'), await accepted('old')];
  assert.deepEqual(holds(right, old), [true, true]);
  world.nowMs = 1_030_000;
  assert.deepEqual(holds(right, old), [true, false]);
  world.nowMs = 1_060_000;
  assert.deepEqual(holds(right, old), [false, false]);
  world.nowMs = 1_000_000;
  world.monotonicMs += 2_999;
  assert.deepEqual(holds(right), [true]);
  world.monotonicMs += 1;
  assert.deepEqual(holds(right), [false]);
  const again = await accepted('right');
  assert.deepEqual(holds(right, again), [false, true]);
  // Revoked: whoever makes it known, what was accepted before ends with the read.
  world.record = { ...world.record, isRevoked: true };
  assert.equal(await outcome('wrong'), 'REJECTED');
  assert.deepEqual(holds(again), [false]);
});

test('wrong passwords, unknown and malformed user names are rejected', async () => {
  const { world, outcome } = arrange();
  assert.equal(await outcome('wrong'), 'REJECTED');
  assert.equal(await outcome(''), 'REJECTED');
  assert.equal(await outcome('right', NOBODY), 'REJECTED');
  const reads = world.reads;
  for (const name of ['', 'cred_', `${USER}0`, `${USER}\n`, 'x'.repeat(100_000)]) {
    assert.equal(await outcome('right', name), 'REJECTED');
  }
  assert.equal(world.reads, reads, 'what cannot be a user name is not asked for');
});

test('a refusal takes the same steps whether the user name exists or not', async () => {
  const stepsOf = async (username: string, change: Partial<CredentialRecord> = {}) => {
    const { world } = arrange(change);
    const steps: string[] = [];
    const step = <Arguments extends unknown[], Answer>(
      name: string,
      run: (...given: Arguments) => Answer,
    ) => {
      return (...given: Arguments): Answer => {
        steps.push(name);
        return run(...given);
      };
    };
    const authenticate = createAuthenticator({
      store: {
        findCredential: step('read', async (name: string) => ({
          ok: true as const,
          record: name === USER ? world.record : undefined,
        })),
        secrets: { hash: step('hash', secrets.hash), isEqual: step('compare', secrets.isEqual) },
      },
      nowMs: step('clock', () => world.nowMs),
      monotonicMs: step('age', () => world.monotonicMs),
    });
    // The first sign-in reads the name, the others meet what is remembered of it: lately, and long ago.
    for (const passedMs of [0, 1, 10_000]) {
      world.monotonicMs += passedMs;
      assert.equal((await authenticate(username, 'wrong')).outcome, 'REJECTED');
      steps.push('refused');
    }
    return steps;
  };
  const known = await stepsOf(USER);
  assert.equal(known.filter((name) => name === 'compare').length, 3 * 4);
  assert.deepEqual(await stepsOf(NOBODY), known);
  assert.deepEqual(await stepsOf(USER, { isRevoked: true }), known);
  assert.deepEqual(await stepsOf(USER, { expiresAtMs: 0 }), known);
  const previous = { previousSecretHash: secrets.hash(USER, 'old'), previousValidUntilMs: 2_000_000 };
  assert.deepEqual(await stepsOf(USER, previous), known);
});

test('revocation takes effect at the next recheck, expiry and the end of an overlap at once', async () => {
  const { world, outcome } = arrange({
    expiresAtMs: 1_060_000,
    previousSecretHash: secrets.hash(USER, 'old'),
    previousValidUntilMs: 1_030_000,
  });
  assert.equal(await outcome('right'), 'AUTHENTICATED');
  assert.equal(await outcome('old'), 'AUTHENTICATED');
  world.nowMs = 1_029_999;
  assert.equal(await outcome('old'), 'AUTHENTICATED');
  world.nowMs = 1_030_000;
  assert.equal(await outcome('old'), 'REJECTED');
  assert.equal(await outcome('right'), 'AUTHENTICATED');
  world.nowMs = 1_060_000;
  assert.equal(await outcome('right'), 'REJECTED');
  world.nowMs = 1_000_000;
  world.record = { ...world.record, isRevoked: true };
  world.monotonicMs += 3_000;
  assert.equal(await outcome('right'), 'REJECTED');
});

test('a new password works at once, whatever is in memory', async () => {
  const { world, outcome } = arrange();
  assert.equal(await outcome('right'), 'AUTHENTICATED');
  assert.equal(await outcome('rotated'), 'REJECTED');
  world.record = { ...world.record, secretHash: secrets.hash(USER, 'rotated') };
  assert.equal(await outcome('rotated'), 'AUTHENTICATED');
  assert.equal(await outcome('right'), 'REJECTED');
});

test('a rejection needs a read that began after the request', async () => {
  const { world, outcome } = arrange();
  let release = () => {};
  world.hold = new Promise((resolve) => (release = resolve));
  const before = outcome('right');
  world.record = { ...world.record, secretHash: secrets.hash(USER, 'rotated') };
  const during = outcome('rotated');
  release();
  assert.equal(await before, 'AUTHENTICATED');
  assert.equal(await during, 'AUTHENTICATED');
});

test('many requests at once share one read', async () => {
  const { world, outcome } = arrange();
  const first = await Promise.all(Array.from({ length: 100 }, () => outcome('right')));
  assert.deepEqual(new Set(first), new Set(['AUTHENTICATED']));
  assert.ok(world.reads <= 2, `${world.reads} reads`);
  world.reads = 0;
  world.monotonicMs += 3_000;
  await Promise.all(Array.from({ length: 100 }, () => outcome('right')));
  assert.equal(world.reads, 1);
});

test('while the database is away, known credentials work for the grace period and no longer', async () => {
  const { world, outcome } = arrange();
  assert.equal(await outcome('right'), 'AUTHENTICATED');
  assert.equal(await outcome('right', NOBODY), 'REJECTED');
  world.isDown = true;
  world.monotonicMs += 299_999;
  assert.equal(await outcome('right'), 'AUTHENTICATED');
  assert.equal(await outcome('wrong'), 'REJECTED');
  assert.equal(await outcome('right', `cred_${'3'.repeat(32)}`), 'UNAVAILABLE');
  world.monotonicMs += 1;
  assert.equal(await outcome('right'), 'UNAVAILABLE');
  world.isDown = false;
  while ((await outcome('right')) !== 'AUTHENTICATED') await sleep(10);
});

test('revoked and expired credentials stay rejected while the database is away', async () => {
  const revoked = arrange({ isRevoked: true });
  const expired = arrange({ expiresAtMs: 1_000_001 });
  assert.equal(await revoked.outcome('right'), 'REJECTED');
  assert.equal(await expired.outcome('right'), 'AUTHENTICATED');
  expired.world.nowMs += 1;
  for (const { world, outcome } of [revoked, expired]) {
    world.isDown = true;
    assert.equal(await outcome('right'), 'REJECTED');
  }
});

test('a database that hangs delays one request and rejects no known credential', async () => {
  const { world, outcome } = arrange();
  assert.equal(await outcome('right'), 'AUTHENTICATED');
  world.hold = new Promise(() => {});
  world.monotonicMs += 3_000;
  assert.equal(await outcome('right'), 'AUTHENTICATED');
  assert.equal(await outcome('right'), 'AUTHENTICATED');
  assert.equal(await outcome('right', NOBODY), 'UNAVAILABLE');
  assert.equal(world.reads, 3, 'the hanging read is not asked again');
});

test('guessed user names displace no credential from memory', async () => {
  const { world, outcome } = arrange();
  assert.equal(await outcome('right'), 'AUTHENTICATED');
  for (let guess = 0; guess < 10_500; guess += 1) {
    await outcome('x', `cred_${guess.toString(16).padStart(32, '0')}`);
  }
  world.isDown = true;
  world.monotonicMs += 4_000;
  assert.equal(await outcome('right'), 'AUTHENTICATED');
  assert.equal(await outcome('x', `cred_${(10_499).toString(16).padStart(32, '0')}`), 'REJECTED');
  assert.equal(await outcome('x', `cred_${'0'.repeat(32)}`), 'UNAVAILABLE', 'the oldest guess is forgotten');
});

test('authentication follows rotation, outage and revocation with a real database', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'fairway-authentication-'));
  const options = { dataDirectory: join(folder, 'data'), cacheDirectory: TEST_CACHE_DIRECTORY, log() {} };
  // Every start has another socket folder; the store connects through a link that the test moves.
  const place = join(folder, 'socket');
  let postgres = await startEmbeddedPostgres(options);
  symlinkSync(postgres.connection.host, place);
  const store = await openApplication({ connection: { ...postgres.connection, host: place } });
  try {
    let ageMs = 0;
    const monotonicMs = () => ageMs + performance.now();
    const authenticate = createAuthenticator({ store, nowMs: Date.now, monotonicMs });
    const created = await store.createCredential({
      organisation: 'Pier',
      environment: 'sandbox',
      permissions: [],
    });
    assert.ok(created.ok);
    const { username, password } = created;
    const outcome = async (given: string) => (await authenticate(username, given)).outcome;
    assert.equal(await outcome(password), 'AUTHENTICATED');
    const rotated = await store.rotateCredential(username, 60);
    assert.ok(rotated.ok);
    assert.equal(await outcome(rotated.password), 'AUTHENTICATED');
    assert.equal(await outcome(password), 'AUTHENTICATED');

    await postgres.close();
    ageMs += 4_000;
    assert.equal(await outcome(rotated.password), 'AUTHENTICATED');
    assert.equal((await authenticate(NOBODY, password)).outcome, 'UNAVAILABLE');
    await assert.rejects(store.listCredentials(), DatabaseUnavailableError);

    postgres = await startEmbeddedPostgres(options);
    unlinkSync(place);
    symlinkSync(postgres.connection.host, place);
    while ((await authenticate(NOBODY, password)).outcome !== 'REJECTED') await sleep(25);
    assert.equal(await outcome(rotated.password), 'AUTHENTICATED');
    assert.ok((await store.revokeCredential(username)).ok);
    ageMs += 3_000;
    assert.equal(await outcome(rotated.password), 'REJECTED');
  } finally {
    await store.close();
    await postgres.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
