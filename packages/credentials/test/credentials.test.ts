import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type EmbeddedPostgres, openDatabase } from '@fairway/postgres';
import { startTestDatabase } from '@fairway/testing';
import { sql } from 'kysely';
import type { CredentialRequest, NewCredential, PublishedEventsOfCredential } from '../src/index.ts';
import { type Application, openApplication } from './application.ts';

const NOW = new Date('2026-03-01T12:00:00Z');
let postgres: EmbeddedPostgres;
let store: Application;

before(async () => {
  postgres = await startTestDatabase();
  store = await openApplication({ connection: postgres.connection, now: () => NOW });
});
after(async () => {
  await store.close();
  await postgres.close();
});

const request = (change: Partial<CredentialRequest> = {}): CredentialRequest => ({
  organisation: 'Harbour Ltd',
  environment: 'sandbox',
  permissions: ['quotes:read'],
  ...change,
});

async function create(change: Partial<CredentialRequest> = {}): Promise<NewCredential> {
  const created = await store.createCredential(request(change));
  assert.ok(created.ok);
  return created;
}

test('a new credential has a random password that is stored nowhere', async () => {
  const expiresAt = new Date('2027-01-01T00:00:00Z');
  const created = await create({ organisation: '  Quay & Søn ', permissions: ['a:b', 'c,d:"e"'], expiresAt });
  assert.match(created.username, /^cred_[0-9a-f]{32}$/);
  assert.match(created.organisationId, /^org_[0-9a-f]{32}$/);
  assert.equal(Buffer.from(created.password, 'base64url').length, 32);
  assert.equal(created.organisation, 'Quay & Søn');
  assert.notEqual((await create()).password, created.password);

  const found = await store.findCredential(created.username);
  assert.ok(found.record !== undefined);
  assert.deepEqual(found.record.permissions, ['a:b', 'c,d:"e"']);
  assert.equal(found.record.expiresAtMs, expiresAt.getTime());
  assert.ok(
    store.secrets.isEqual(store.secrets.hash(created.username, created.password), found.record.secretHash),
  );
  // The same password has another hash under another user name, so a copied hash is useless.
  assert.ok(!store.secrets.isEqual(store.secrets.hash('other', created.password), found.record.secretHash));

  const database = openDatabase(postgres.connection, () => {});
  const { rows } = await sql<{ all: string }>`select row_to_json(c)::text as all from credentials c`.execute(
    database,
  );
  await database.destroy();
  const secret = Buffer.from(created.password).toString('hex');
  for (const row of rows) assert.ok(!row.all.includes(created.password) && !row.all.includes(secret));
  const listed = await store.listCredentials();
  assert.ok(listed.credentials.some(({ username }) => username === created.username));
  assert.ok(!/hash|password|secret/i.test(JSON.stringify(listed)));
});

test('concurrent first credentials of a new organisation make one organisation', async () => {
  const created = await Promise.all(
    Array.from({ length: 20 }, () => create({ organisation: 'Twenty at once' })),
  );
  assert.equal(new Set(created.map(({ organisationId }) => organisationId)).size, 1);
  assert.equal(new Set(created.map(({ username }) => username)).size, 20);
});

test('unusable organisation names and expiries are refused with a reason', async () => {
  for (const organisation of ['', ' \t', 'a\nb', 'a\0b', 'x'.repeat(201), 'line\u2028break', '\ud800']) {
    const refused = await store.createCredential(request({ organisation }));
    assert.ok(!refused.ok && refused.reason === 'ORGANISATION_INVALID', JSON.stringify(organisation));
  }
  assert.equal((await create({ organisation: '🚢'.repeat(200) })).ok, true);
  for (const expiresAt of [NOW, new Date(0), new Date(Number.NaN)]) {
    const refused = await store.createCredential(request({ expiresAt }));
    assert.ok(!refused.ok && refused.reason === 'EXPIRY_INVALID');
  }
});

test('rotation keeps the last secret for the overlap, and no earlier secret', async () => {
  const { username, password } = await create();
  const rotated = await store.rotateCredential(username, 3_600);
  assert.ok(rotated.ok);
  assert.equal(rotated.previousValidUntil.getTime(), NOW.getTime() + 3_600_000);
  const read = async () => {
    const found = await store.findCredential(username);
    assert.ok(found.record !== undefined);
    return found.record;
  };
  const { hash, isEqual } = store.secrets;
  const once = await read();
  assert.ok(isEqual(hash(username, rotated.password), once.secretHash));
  assert.ok(isEqual(hash(username, password), once.previousSecretHash));
  assert.equal(once.previousValidUntilMs, NOW.getTime() + 3_600_000);
  assert.ok((await store.rotateCredential(username, 60)).ok);
  assert.ok(isEqual(hash(username, rotated.password), (await read()).previousSecretHash));
  for (const overlap of [-1, 0.5, Number.NaN, 30 * 86_400 + 1]) {
    assert.deepEqual(await store.rotateCredential(username, overlap), {
      ok: false,
      reason: 'OVERLAP_INVALID',
    });
  }
});

test('a revoked credential stays revoked, and an unknown credential has another refusal', async () => {
  const { username } = await create();
  assert.deepEqual(await store.revokeCredential(username), { ok: true, revokedAt: NOW });
  assert.deepEqual(await store.revokeCredential(username), { ok: true, revokedAt: NOW });
  assert.deepEqual(await store.rotateCredential(username, 0), { ok: false, reason: 'CREDENTIAL_REVOKED' });
  assert.deepEqual(await store.rotateCredential('cred_none', 0), { ok: false, reason: 'CREDENTIAL_UNKNOWN' });
  assert.deepEqual(await store.revokeCredential('cred_none'), { ok: false, reason: 'CREDENTIAL_UNKNOWN' });
  assert.deepEqual(await store.findCredential('cred_none'), { record: undefined });
});

test('each change is told in its transaction, once, without any part of a secret', async () => {
  const told: string[] = [];
  const publishedEventsOfCredential: PublishedEventsOfCredential = (type, credential) => {
    told.push(`${type} ${JSON.stringify(credential)}`);
    return [
      { type, subject: { type: 'credential', id: credential.username }, data: { data: { object: {} } } },
    ];
  };
  const opened = await openApplication({
    connection: postgres.connection,
    now: () => NOW,
    publishedEventsOfCredential,
  });
  const { createCredential, rotateCredential, revokeCredential, events, close } = opened;
  const made = await createCredential(request({ organisation: 'Told Ltd', permissions: ['a:b'] }));
  assert.ok(made.ok);
  const { username, password, organisationId } = made;
  const rotated = await rotateCredential(username, 60);
  assert.ok(rotated.ok);
  assert.ok((await revokeCredential(username)).ok && (await revokeCredential(username)).ok);
  const gone = [await rotateCredential(username, 60), await revokeCredential('cred_none')];
  assert.ok(gone.every(({ ok }) => !ok));
  assert.equal((await rotateCredential(username, -1)).ok, false);
  await events.publish('sandbox');
  const listed = await events.list({ organisationId, environment: 'sandbox' }, { limit: 9 });
  await close();
  assert.ok(listed.ok);
  assert.deepEqual(
    listed.events.map(({ type, sequence, subject }) => [type, sequence, subject.id]),
    ['created', 'rotated', 'revoked'].map((what, index) => [`credential.${what}`, index + 1, username]),
  );
  assert.match(told[1] ?? '', /"previousValidUntil":"2026-03-01T12:01:00.000Z"/);
  assert.match(told[2] ?? '', /"revokedAt":"2026-03-01T12:00:00.000Z"/);
  for (const secret of [password, rotated.password, 'hash', 'Told Ltd', 'org_'])
    assert.equal(told.join().includes(secret), false, secret);
});

test('a change whose event cannot be written is not made', async () => {
  const publishedEventsOfCredential: PublishedEventsOfCredential = () => [
    { type: 'credential.created', subject: { type: 'credential', id: 'cred_x' }, data: { text: '\u0000' } },
  ];
  const { username } = await create();
  const opened = await openApplication({
    connection: postgres.connection,
    now: () => NOW,
    publishedEventsOfCredential,
  });
  const { createCredential, rotateCredential, revokeCredential, close } = opened;
  const before = await store.findCredential(username);
  const count = await store.listCredentials();
  await assert.rejects(createCredential(request()));
  await assert.rejects(rotateCredential(username, 0));
  await assert.rejects(revokeCredential(username));
  await close();
  assert.deepEqual(await store.findCredential(username), before);
  assert.deepEqual(await store.listCredentials(), count);
});

test('once an environment is served, a credential of another one is refused when it is made', async () => {
  await create({ environment: 'production' });
  await store.serveEnvironment('sandbox');
  await store.serveEnvironment('sandbox');
  const refused = await store.createCredential(request({ environment: 'production' }));
  assert.deepEqual(refused, {
    ok: false,
    reason: 'ENVIRONMENT_NOT_SERVED',
    detail: 'a credential of production would be refused: this database is served as sandbox',
  });
  await create({ environment: 'sandbox' });
  await store.serveEnvironment('production');
  await create({ environment: 'production' });
});
