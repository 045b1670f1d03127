import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { OPERATION_IDS, operation, PERMISSIONS } from '@fairway/wire';
import { basic, quoteUrl, type Reply, startHarness, swapBody } from '../httpHarness.ts';
import { readBasic } from '@fairway/api';

const harness = await startHarness();
after(() => harness.close());

const apart = ({ json }: Reply) => ({ ...json, requestId: undefined });
const raw = (authorization: string) =>
  harness.call({ url: quoteUrl(), login: null, headers: { authorization } });

test('missing, malformed, unknown and wrong credentials get the same 401 answer', async () => {
  const encoded = Buffer.from('full:secret').toString('base64');
  const replies = [
    await harness.call({ url: quoteUrl(), login: null }),
    await raw(''),
    await raw('Basic'),
    await raw('Basic '),
    await raw(`Basic ${encoded}====`),
    await raw(`Basic !!${encoded}`),
    await raw(`Basic ${encoded.slice(0, 4)} ${encoded.slice(4)}`),
    await raw(`Basic ${encoded}, Basic ${encoded}`),
    await raw(`Basic ${encoded.replace(/.$/, '')}`),
    await raw(`Basic ${Buffer.from('full:secret').toString('base64url')}\u00a0`),
    await raw(`Basic ${Buffer.from('fullsecret').toString('base64')}`),
    await raw(`Basic ${Buffer.from([0xff, 0x3a, 0x61]).toString('base64')}`),
    await raw(basic('full:wrong')),
    await raw(basic('nobody:secret')),
    await raw(basic(':')),
    await raw(basic('full:secret\0')),
  ];
  for (const reply of replies) {
    assert.equal(reply.status, 401);
    assert.equal(reply.headers['www-authenticate'], 'Basic realm="fairway", charset="UTF-8"');
    assert.deepEqual(apart(reply), apart(replies[0] ?? assert.fail()));
  }
});

test('a Bearer token is refused with the scheme that is taken', async () => {
  for (const header of ['Bearer abc', 'bearer', `Bearer ${Buffer.from('full:secret').toString('base64')}`]) {
    const reply = await raw(header);
    assert.equal(reply.status, 401);
    assert.equal(reply.headers['www-authenticate'], 'Basic realm="fairway", charset="UTF-8"');
    assert.match(String(reply.json['detail']), /HTTP Basic authentication, not as a Bearer token/);
  }
});

test('the scheme name may be in any letter case, and passwords may contain colons and any script', () => {
  const encoded = Buffer.from('id:pä:ss').toString('base64');
  for (const scheme of ['Basic', 'basic', 'BASIC']) {
    assert.deepEqual(readBasic(`${scheme} ${encoded}`), { username: 'id', password: 'pä:ss' });
  }
});

test('every operation that is not open answers 401 without a credential', async () => {
  for (const id of OPERATION_IDS) {
    const { method, path, access } = operation(id);
    const reply = await harness.call({
      url: path,
      method,
      login: null,
      ...(method === 'GET' ? {} : { body: '{' }),
    });
    assert.equal(reply.status === 401, access.kind !== 'OPEN', `${id} answered ${reply.status}`);
  }
});

test('other spellings of a path do not avoid the credential check', async () => {
  for (const url of [
    '/%76%31/quote',
    '/v1/%71uote',
    '/v1//quote',
    '/v1/quote/',
    '/v1;x/quote',
    '/v1/../v1/quote',
    '//v1/quote',
  ]) {
    const { status } = await harness.call({ url, login: null });
    assert.ok(status === 401 || status === 404, `${url} answered ${status}`);
  }
  assert.equal((await harness.call({ url: '/%76%31/nothing', login: null })).status, 401);
});

test('below /v1 a path that does not exist is 401 without a credential and 404 with one', async () => {
  for (const url of ['/v1', '/v1/', '/v1/nothing', '/v2/quote', '/v1/payment?x=%zz']) {
    assert.equal((await harness.call({ url, login: null })).status, 401, url);
    assert.equal((await harness.call({ url })).status, 404, url);
  }
  const longId = `/v1/payments/${'x'.repeat(5000)}`;
  assert.equal((await harness.call({ url: longId, login: null })).status, 401);
  assert.equal((await harness.call({ url: longId })).status, 404);
  assert.equal((await harness.call({ url: '/nothing', login: null })).status, 404);
});

test('a credential without the permission gets 403 with the name of the permission', async () => {
  const reply = await harness.call({ url: quoteUrl({ amount: 'x' }), login: 'markets:secret' });
  assert.equal(reply.status, 403);
  assert.match(String(reply.json['detail']), /quotes:read/);
  const swap = await harness.call({ url: '/v1/swap', method: 'POST', login: 'markets:secret', body: '{' });
  assert.equal(swap.status, 403);
  for (const url of ['/v1/markets/chains', '/v1/markets/tokens', '/v1/markets/corridors']) {
    assert.equal((await harness.call({ url, login: 'markets:secret' })).status, 200);
    assert.equal((await harness.call({ url, login: 'none:secret' })).status, 403);
  }
  assert.equal((await harness.call({ url: '/health', login: 'none:secret' })).status, 200);
});

/** The permission of an operation, by its method and path: the first that fits. Without one, any credential will do. */
const NEEDED: readonly (readonly [RegExp, string])[] = [
  [/ \/v1\/(payments|recipients)\/.*\/reveal$/, 'recipients:reveal'],
  [/ \/v1\/payments\/.*\/approve$/, 'payments:approve'],
  [/ \/v1\/recipients\/.*\/(approve|reject)$/, 'recipients:approve'],
  [/ \/v1\/recipients\/validate$/, 'recipients:read'],
  [/ \/v1\/markets\//, 'markets:read'],
  [/ \/v1\/quote$/, 'quotes:read'],
  [/ \/v1\/swap$/, 'swaps:plan'],
  [/^GET \/v1\/events/, 'events:read'],
  [/^GET \/v1\/(payments|collect_requests)/, 'payments:read'],
  [/^POST \/v1\/payments$/, 'payments:write'],
  [/ \/v1\/(sandbox\/\w+|payments)/, 'payments:operate'],
  [/^GET \/v1\/recipients/, 'recipients:read'],
  [/ \/v1\/recipients/, 'recipients:write'],
  [/^GET \/v1\/webhook_endpoints/, 'webhooks:read'],
  [/ \/v1\/(webhook_endpoints|events)/, 'webhooks:write'],
  [/^GET \/v1\/(reports|reconciliation)/, 'reports:read'],
  [/ \/v1\/(reports|reconciliation)/, 'reports:write'],
];

test('each operation needs its permission and no other, whatever it is asked for', async () => {
  const guarded = await startHarness({
    authenticate: async (username, password) => ({
      ...{ outcome: 'AUTHENTICATED', credentialId: username, organisationId: 'acme', environment: 'sandbox' },
      permissions: PERMISSIONS.filter((each) => (each === password) === (username === 'alone')),
      stillHolds: () => true,
    }),
  });
  for (const id of OPERATION_IDS) {
    const { method, path } = operation(id);
    const needed = NEEDED.find(([shape]) => shape.test(`${method} ${path}`))?.[1];
    const asked = { url: path, method, ...(method === 'GET' ? {} : { body: '{' }) };
    const lacking = await guarded.call({ ...asked, login: `lacking:${needed}` });
    assert.equal(lacking.status === 403, needed !== undefined, `${id}: ${lacking.text}`);
    if (needed !== undefined) assert.match(String(lacking.json['detail']), new RegExp(`\\b${needed}\\b`));
    const alone = await guarded.call({ ...asked, login: `alone:${needed}` });
    assert.notEqual(alone.status, 403, `${id}: ${alone.text}`);
  }
  await guarded.close();
});

test('a credential of another environment gets 403 on every path', async () => {
  for (const url of ['/health', quoteUrl(), '/v1/nothing']) {
    const reply = await harness.call({ url, login: 'other:secret' });
    assert.equal(reply.status, 403);
    assert.match(String(reply.json['detail']), /production/);
  }
});

test('a credential that cannot be checked gets 503 with Retry-After', async () => {
  const reply = await harness.call({ url: quoteUrl(), login: 'gone:secret' });
  assert.equal(reply.status, 503);
  assert.equal(reply.json['code'], 'upstream-unavailable');
  assert.ok(Number(reply.headers['retry-after']) >= 1);
});

/** A server that knows every user, each with the password `secret`, and blocks an address after three wrong ones. */
async function startGuarded(check: () => Promise<void> = async () => undefined) {
  const asked: string[] = [];
  const guarded = await startHarness({
    limits: { requestsPerSecond: 1e6, failedLoginsPerMinute: 3 },
    authenticate: async (username, password) => {
      asked.push(username);
      await check();
      if (password !== 'secret') return { outcome: 'REJECTED' };
      const permissions = ['quotes:read'];
      const environment = 'sandbox';
      return {
        outcome: 'AUTHENTICATED',
        credentialId: username,
        organisationId: 'o',
        environment,
        permissions,
        stillHolds: () => false,
      };
    },
  });
  const login = (text: string) => guarded.call({ url: quoteUrl(), login: text });
  return { ...guarded, login, asked };
}

test('a right credential is checked once while it holds, and again as soon as it does not', async () => {
  const asked: string[] = [];
  const state = { holds: true, secret: 'secret' };
  const { call, close } = await startHarness({
    authenticate: async (username, password) => {
      asked.push(`${username}:${password}`);
      if (password !== state.secret) return { outcome: 'REJECTED' };
      return {
        ...{ outcome: 'AUTHENTICATED', credentialId: username, organisationId: 'o', environment: 'sandbox' },
        ...{ permissions: ['quotes:read'], stillHolds: () => state.holds },
      };
    },
  });
  const login = async (text: string) => (await call({ url: quoteUrl(), login: text })).status;
  for (let sent = 0; sent < 3; sent += 1) assert.equal(await login('known:secret'), 200);
  // The scheme may be spelt otherwise: it is the same login, and nobody fills the memory with spellings of one.
  const authorization = `bAsIc   ${Buffer.from('known:secret').toString('base64')}`;
  assert.equal((await call({ url: quoteUrl(), headers: { authorization } })).status, 200);
  assert.deepEqual(asked, ['known:secret']);
  assert.equal(await login('known:wrong'), 401);
  assert.equal(await login('other:secret'), 200);
  assert.deepEqual(asked, ['known:secret', 'known:wrong', 'other:secret']);
  state.holds = false;
  state.secret = 'rotated';
  assert.equal(await login('known:secret'), 401);
  assert.equal(await login('known:rotated'), 200);
  assert.equal(asked.length, 5);
  await close();
});

test('wrong passwords are limited by address, and a request without a credential is none', async () => {
  const { login, call, close } = await startGuarded();
  const statuses = [];
  for (let attempt = 0; attempt < 5; attempt += 1) statuses.push((await login('early:wrong')).status);
  assert.deepEqual(statuses, [401, 401, 401, 429, 429]);
  const guess = await login('other:wrong');
  assert.equal(guess.status, 429);
  assert.ok(Number(guess.headers['retry-after']) > 0);
  const malformed = await call({ url: quoteUrl(), login: null, headers: { authorization: 'Basic' } });
  assert.equal(malformed.status, 429);
  assert.equal((await call({ url: quoteUrl(), login: null })).status, 401);
  await close();
});

test('wrong passwords of one caller do not lock out others behind the same address', async () => {
  const { login, close } = await startGuarded();
  assert.equal((await login('early:secret')).status, 200);
  for (let attempt = 0; attempt < 10; attempt += 1) await login('guesser:wrong');
  assert.equal((await login('guesser:wrong')).status, 429);
  assert.equal((await login('early:secret')).status, 200);
  assert.equal((await login('late:secret')).status, 200, 'also a caller who was not seen before');
  await close();
});

test('at most four passwords from a blocked address are checked at the same time', async () => {
  const waiting: (() => void)[] = [];
  let isSlow = false;
  const guarded = await startGuarded(async () => {
    if (isSlow) await new Promise<void>((resolve) => waiting.push(resolve));
  });
  for (let attempt = 0; attempt < 4; attempt += 1) await guarded.login('guesser:wrong');
  isSlow = true;
  guarded.asked.length = 0;
  const replies = Array.from({ length: 12 }, (_, index) => guarded.login(`guesser${index}:wrong`));
  for (let turn = 0; turn < 1000 && waiting.length < 4; turn += 1) await sleep(1);
  const refused = await Promise.race(replies);
  assert.deepEqual([refused.status, refused.headers['retry-after']], [429, '1']);
  assert.equal(guarded.asked.length, 4);
  for (const resolve of waiting) resolve();
  await Promise.all(replies);
  isSlow = false;
  assert.equal((await guarded.login('late:secret')).status, 200, 'a place is free again');
  await guarded.close();
});

test('requests are limited by organisation, and answers tell how many requests are left', async () => {
  const limited = await startHarness({ limits: { requestsPerSecond: 3, failedLoginsPerMinute: 100 } });
  const replies = [];
  for (let sent = 0; sent < 5; sent += 1) replies.push(await limited.call({ url: '/health' }));
  assert.deepEqual(
    replies.map(({ status }) => status),
    [200, 200, 200, 429, 429],
  );
  assert.deepEqual(
    replies.map(({ headers }) => Number(headers['ratelimit-remaining'])),
    [2, 1, 0, 0, 0],
  );
  assert.equal(Number(replies[0]?.headers['ratelimit-limit']), 3);
  assert.equal(replies[3]?.headers['retry-after'], '1');
  const statusOf = async (login: string) => (await limited.call({ url: '/health', login })).status;
  assert.equal(await statusOf('second:secret'), 429, 'the credentials of an organisation share its limit');
  assert.equal(await statusOf('stranger:secret'), 200, 'each organisation has its own limit');
  const last = replies.at(-1);
  assert.equal(last?.headers['ratelimit-reset'], '1');
  await sleep(1000 * Number(last?.headers['ratelimit-reset']));
  const later = await limited.call({ url: '/health' });
  assert.deepEqual([later.status, later.headers['ratelimit-remaining']], [200, '2']);
  await limited.close();
});

test('a request is checked for its credential, then its permission, then its content', async () => {
  const url = '/v1/swap?x=1';
  const headers = { 'content-type': 'text/plain' };
  const send = (login: string | null) => harness.call({ url, method: 'POST', login, headers, body: 'x' });
  assert.equal((await send(null)).status, 401);
  assert.equal((await send('markets:secret')).status, 403);
  assert.equal((await send('full:secret')).status, 415);
  assert.equal((await harness.call({ url, method: 'POST', body: swapBody() })).status, 400);
});
