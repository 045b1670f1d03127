import { readDuration } from '@fairway/values';
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { FieldError, Mailbox, Sandbox } from '@fairway/wire';
import { ACCOUNT, NATIVE, pointersOf, START_MS, startHarness, TOKENS } from '../../../test/httpHarness.ts';

const harness = await startHarness();
after(() => harness.close());
const advance = (duration: unknown) =>
  harness.call({ url: '/v1/sandbox/clock', method: 'POST', body: { advance: duration } });
const assetOf = (address: string) => ({ chainId: 31337, address });
const faucet = (body: object) => harness.call({ url: '/v1/sandbox/faucet', method: 'POST', body });

test('the sandbox shows its chain, accounts, routers and tokens to every credential', async () => {
  const reply = await harness.call({ url: '/v1/sandbox', login: 'none:secret' });
  const sandbox = reply.json as unknown as Sandbox;
  assert.equal(sandbox.accounts[0]?.address, ACCOUNT);
  assert.equal(sandbox.rpcUrl, 'http://127.0.0.1:8545');
  assert.deepEqual(Object.keys(sandbox.routers), ['swapRouter02']);
  assert.equal(sandbox.tokens[0]?.symbol, 'USDC');
});

test('the sandbox answers only under its own names, not under one that a web page pointed to it', async () => {
  const status = async (host: string, of = harness) =>
    (await of.call({ url: '/', headers: { host } })).status;
  for (const host of ['127.0.0.1:8080', 'localhost', 'LOCALHOST:1', '[::1]:8080', 'fairway.test'])
    assert.equal(await status(host), 200, host);
  for (const host of [
    'evil.example',
    'evil.example:8080',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    'a b',
    'evil@127.0.0.1',
    '127.0.0.1?.evil.example',
    '127.0.0.1#.evil.example',
    '127.0.0.1/.evil.example',
    '127.0.0.1\\.evil.example',
  ]) {
    const reply = await harness.call({ url: '/sandbox/mailbox', headers: { host } });
    assert.equal(reply.status, 400, host);
    assert.equal(reply.json['code'], 'malformed-request', host);
  }
  // A service behind a proxy may have any name.
  const without = await startHarness({}, 'NO_SANDBOX');
  assert.equal(await status('pay.example', without), 200);
  await without.close();
});

test('a deployment without a sandbox does not have the sandbox paths', async () => {
  const without = await startHarness({}, 'NO_SANDBOX');
  for (const [method, url] of [
    ['GET', '/v1/sandbox'],
    ['POST', '/v1/sandbox/clock'],
    ['POST', '/v1/sandbox/faucet'],
  ] as const) {
    assert.equal((await without.call({ url, method, body: {} })).status, 404);
  }
  await without.close();
});

test('the clock is moved forward by a duration and the new time is answered', async () => {
  const reply = await advance('PT20M');
  assert.equal(reply.json['now'], new Date(START_MS + 1_200_000).toISOString());
});

const SECONDS: readonly (readonly [string, number])[] = [
  ['PT1S', 1],
  ['P1D', 86_400],
  ['P1W', 604_800],
  ['P1M', 31 * 86_400],
  ['P1Y', 365 * 86_400],
  ['P10Y', 3653 * 86_400],
  ['P1DT2H3M4S', 93_784],
  ['PT0.5M', 30],
];

for (const [text, seconds] of SECONDS) {
  test(`the duration ${text} is ${seconds} seconds from the sandbox's present time`, () => {
    assert.deepEqual(readDuration(text, START_MS, 1), { ok: true, seconds });
  });
}

const NO_DURATIONS = [
  '',
  'P',
  'PT',
  '20',
  '20m',
  'PT-1S',
  '-PT1S',
  'PT0S',
  'PT0.5S',
  'P10YT1S',
  'P99999999Y',
  `PT${'9'.repeat(60)}S`,
  ' PT1S',
  'PT1S\n',
  7,
  null,
  true,
  {},
];

for (const given of NO_DURATIONS) {
  test(`the clock refuses ${JSON.stringify(given)}`, async () => {
    const reply = await advance(given);
    assert.equal(reply.status, 400);
    assert.deepEqual(pointersOf(reply), ['/advance']);
  });
}

test('one request moves the clock by a year at most, and says so', async () => {
  assert.equal((await advance('P1Y')).status, 200);
  for (const given of ['P1YT1S', 'P2Y', 'P10Y', 'P11Y']) {
    const { status, json } = await advance(given);
    assert.equal(status, 400, given);
    const [error] = json['errors'] as { detail: string }[];
    assert.match(error?.detail ?? '', /^advance must be at most 1 year; given "P/);
  }
});

test('the faucet gives native currency and tokens', async () => {
  const native = await faucet({ address: ACCOUNT, native: true, amount: '5' });
  const ether = { chainId: 31337, address: NATIVE, symbol: 'ETH', decimals: 18 };
  assert.deepEqual(native.json, { address: ACCOUNT, asset: ether, amount: '5' });
  const token = await faucet({ address: ACCOUNT, asset: assetOf(TOKENS.usdc.toLowerCase()), amount: '5' });
  assert.deepEqual(token.json, {
    ...{ address: ACCOUNT, amount: '5' },
    asset: { ...assetOf(TOKENS.usdc), symbol: 'USDC', decimals: 6 },
  });
  const again = await faucet({ address: ACCOUNT, asset: token.json['asset'], amount: '5' });
  assert.deepEqual(again.json, token.json, 'the asset of an answer is an asset of a request');
  const placeholder = await faucet({ address: ACCOUNT, asset: assetOf(`0x${'0'.repeat(40)}`), amount: '5' });
  assert.deepEqual(placeholder.json, native.json);
});

test('the mailbox shows the e-mails of the organisation that asks, and its page all of them', async () => {
  const subjects = async (login: string) => {
    const { json } = await harness.call({ url: '/v1/sandbox/mailbox', login });
    return (json['data'] as Mailbox['data']).map(({ subject }) => subject);
  };
  assert.deepEqual(await subjects('full:secret'), ['Mail 0']);
  assert.deepEqual(await subjects('stranger:secret'), ['Mail 1']);
  const { text } = await harness.call({ url: '/sandbox/mailbox' });
  for (const subject of ['Mail 0', 'Mail 1', 'Mail 2']) assert.ok(text.includes(subject));
});

test('who only reads moves no clock, takes no funds and reads no codes', async () => {
  const asked = [
    { url: '/v1/sandbox/clock', method: 'POST' as const, body: { advance: 'PT1S' } },
    {
      url: '/v1/sandbox/faucet',
      method: 'POST' as const,
      body: { address: ACCOUNT, native: true, amount: '5' },
    },
    { url: '/v1/sandbox/mailbox' },
  ];
  for (const each of asked) {
    const { status, json } = await harness.call({ ...each, login: 'markets:secret' });
    assert.deepEqual([status, json['code']], [403, 'forbidden'], each.url);
  }
  assert.equal((await harness.call({ url: '/v1/sandbox', login: 'markets:secret' })).status, 200);
});

test('a symbol in place of the address is refused with the address', async () => {
  const { json } = await faucet({ address: ACCOUNT, asset: assetOf('USDC'), amount: '5' });
  const errors = json['errors'] as readonly FieldError[];
  assert.deepEqual(
    errors.map(({ pointer, suggestions }) => [pointer, suggestions]),
    [['/asset/address', [TOKENS.usdc]]],
  );
});

test('the faucet names only the body when that is no object', async () => {
  for (const body of ['null', '[]', '"x"', '7']) {
    const reply = await harness.call({ url: '/v1/sandbox/faucet', method: 'POST', body });
    assert.equal(reply.status, 400);
    assert.deepEqual(pointersOf(reply), ['']);
  }
});

test('the faucet answers 503 while the sandbox chain is away', async () => {
  const reply = await faucet({ address: ACCOUNT, native: true, amount: '14' });
  assert.equal(reply.status, 503);
  assert.equal(reply.json.code, 'upstream-unavailable');
});

test('the faucet refuses orders that it cannot carry out', async () => {
  const cases: readonly (readonly [object, string])[] = [
    [{ address: ACCOUNT, amount: '5' }, 'validation-failed'],
    [{ address: ACCOUNT, asset: assetOf(TOKENS.usdc), native: true, amount: '5' }, 'validation-failed'],
    [{ address: ACCOUNT, native: false, amount: '5' }, 'validation-failed'],
    [{ address: ACCOUNT, native: true, amount: 5 }, 'validation-failed'],
    [{ address: ACCOUNT, native: true, amount: '13' }, 'validation-failed'],
    [{ address: ACCOUNT, asset: assetOf(TOKENS.dai), amount: '5' }, 'unknown-token'],
    [{ address: ACCOUNT, asset: { chainId: 1, address: TOKENS.usdc }, amount: '5' }, 'unknown-token'],
    [{ address: ACCOUNT, native: true, amount: String(2n ** 255n) }, 'amount-out-of-range'],
  ];
  for (const [body, code] of cases) {
    const reply = await faucet(body);
    assert.equal(reply.status, 400);
    assert.equal(reply.json['code'], code, JSON.stringify(body));
  }
});
