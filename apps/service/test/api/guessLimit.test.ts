// A flood of wrong passwords, from any address and for any name, delays nobody who signs in with the right one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { basic, quoteUrl, startHarness } from '../httpHarness.ts';

/** A server with the password `secret` for every user, and three wrong ones a minute. Slow checks wait for `goOn`. */
async function startGuarded() {
  const asked: string[] = [];
  const waiting: (() => void)[] = [];
  const state = { isSlow: false, secret: 'secret' };
  const harness = await startHarness({
    limits: { requestsPerSecond: 1e6, failedLoginsPerMinute: 3 },
    authenticate: async (username, password) => {
      asked.push(`${username}:${password}`);
      if (state.isSlow) await new Promise<void>((resolve) => waiting.push(resolve));
      if (password !== state.secret) return { outcome: 'REJECTED' };
      return {
        outcome: 'AUTHENTICATED',
        credentialId: username,
        organisationId: 'o',
        environment: 'sandbox',
        permissions: ['quotes:read'],
        stillHolds: () => false,
      };
    },
  });
  const login = async (text: string, remoteAddress = '192.0.2.1') => {
    const headers = { authorization: basic(text) };
    return (await harness.server.inject({ url: quoteUrl(), headers, remoteAddress })).statusCode;
  };
  const goOn = () => {
    state.isSlow = false;
    for (const resolve of waiting.splice(0)) resolve();
  };
  return { login, asked, state, goOn, close: harness.close };
}

/** Waits until no more checks begin. */
async function settled(asked: readonly string[]): Promise<void> {
  for (let before = -1; before < asked.length; await sleep(20)) before = asked.length;
}

test('wrong passwords of a caller who has signed in are limited like those of others', async () => {
  const { login, asked, state, goOn, close } = await startGuarded();
  assert.equal(await login('early:secret'), 200);
  for (let attempt = 0; attempt < 4; attempt += 1) await login('early:wrong');
  state.isSlow = true;
  asked.length = 0;
  const replies = Array.from({ length: 30 }, () => login('early:wrong'));
  await settled(asked);
  assert.equal(asked.length, 4);
  goOn();
  await Promise.all(replies);
  assert.equal(await login('early:secret'), 200);
  await close();
});

test('wrong passwords for a user name are limited, whatever addresses they come from', async () => {
  const { login, close } = await startGuarded();
  const statuses = [];
  for (let attempt = 0; attempt < 5; attempt += 1)
    statuses.push(await login('victim:wrong', `198.51.100.${attempt}`));
  assert.deepEqual(statuses, [401, 401, 401, 429, 429]);
  assert.equal(
    await login('other:wrong', '198.51.100.0'),
    401,
    'another name from an address with one wrong one',
  );
  await close();
});

test('the right password is accepted while others guess it, from a new address too', async () => {
  const { login, close } = await startGuarded();
  for (let attempt = 0; attempt < 20; attempt += 1) await login('victim:wrong', `198.51.100.${attempt}`);
  assert.equal(await login('victim:secret', '203.0.113.9'), 200);
  assert.equal(await login('victim:secret', '198.51.100.3'), 200);
  await close();
});

test('at most 16 new passwords are checked at once, and one that was right goes on beside them', async () => {
  const { login, asked, state, goOn, close } = await startGuarded();
  assert.equal(await login('known:secret'), 200);
  state.isSlow = true;
  asked.length = 0;
  const flood = Array.from({ length: 200 }, (_, index) => login(`name${index}:wrong`, `198.51.100.${index}`));
  await settled(asked);
  assert.equal(asked.length, 16);
  state.isSlow = false;
  assert.equal(await login('known:secret'), 200, 'from the address of before');
  assert.equal(await login('known:secret', '203.0.113.9'), 200, 'from another address');
  goOn();
  await Promise.all(flood);
  await close();
});

test('while some addresses send many passwords, one from another address is among the next', async () => {
  const { login, asked, state, goOn, close } = await startGuarded();
  state.isSlow = true;
  const flood = Array.from({ length: 400 }, (_, index) =>
    login(`name${index}:wrong`, `198.51.100.${index % 8}`),
  );
  await settled(asked);
  const fresh = login('fresh:secret', '203.0.113.9');
  await sleep(50);
  goOn();
  assert.equal(await fresh, 200);
  const place = asked.indexOf('fresh:secret');
  assert.ok(place >= 8 && place <= 16 + 8, `checked as number ${place}`);
  await Promise.all(flood);
  await close();
});

test('a password that was right and is wrong now is limited like any other wrong one', async () => {
  const { login, asked, state, goOn, close } = await startGuarded();
  assert.equal(await login('early:secret'), 200);
  state.secret = 'another';
  for (let attempt = 0; attempt < 4; attempt += 1) await login('early:secret');
  state.isSlow = true;
  asked.length = 0;
  const replies = Array.from({ length: 30 }, () => login('early:secret'));
  await settled(asked);
  assert.equal(asked.length, 4);
  goOn();
  await Promise.all(replies);
  await close();
});
