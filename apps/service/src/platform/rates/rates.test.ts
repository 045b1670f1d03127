// The rate of a corridor, read from a real HTTP server that is slow, wrong, too long, elsewhere or away.
import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { Corridor } from '@fairway/plan';
import { pino } from 'pino';
import { rateAt } from './rateAt.ts';
import { type RateReading, readRate } from './readRate.ts';
import { startRates } from './rates.ts';

type Asked = { readonly url: string | undefined; readonly authorization: string | undefined };

let listener: RequestListener;
let asked: Asked[] = [];
const server = createServer((request, response) => {
  asked.push({ url: request.url, authorization: request.headers.authorization });
  listener(request, response);
});
let origin: string;
before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => {
  asked = [];
});
after(() => {
  server.closeAllConnections();
  server.close();
});

const answers =
  (body: string | Buffer, status = 200, headers: Readonly<Record<string, string>> = {}): RequestListener =>
  (_request, response) => {
    response.writeHead(status, headers).end(body);
  };

function readOnce(
  given: RequestListener,
  url = `${origin}/latest`,
  pointer = '/rates/PHP',
): Promise<RateReading> {
  listener = given;
  return readRate({ url, pointer }, 300, new AbortController().signal);
}

const VALUES: [document: string, pointer: string, rate: string | undefined][] = [
  ['{"rates":{"PHP":56.5}}', '/rates/PHP', '56.5'],
  ['{"rates":{"PHP":"56.50"}}', '/rates/PHP', '56.50'],
  // A floating point number would be 56.50000000000001 and 0.1.
  ['[{"a/b":{"m~n":56.500000000000010001}}]', '/0/a~1b/m~0n', '56.500000000000010001'],
  ['0.100000000000000001', '', '0.100000000000000001'],
  ['{"":{"":3}}', '//', '3'],
  ['{"__proto__":{"a":2}}', '/__proto__/a', '2'],
  ['{"rates":{"PHP":5.65e1}}', '/rates/PHP', undefined],
  ['{"rates":{"PHP":-56.5}}', '/rates/PHP', undefined],
  ['{"rates":{"PHP":0}}', '/rates/PHP', undefined],
  ['{"rates":{"PHP":null}}', '/rates/PHP', undefined],
  ['{"rates":{"PHP":true}}', '/rates/PHP', undefined],
  ['{"rates":{"PHP":[56.5]}}', '/rates/PHP', undefined],
];
for (const [document, pointer, rate] of VALUES)
  test(`${document} at ${JSON.stringify(pointer)} tells ${rate ?? 'no rate'}`, () =>
    assert.deepEqual(
      rateAt(document, pointer),
      rate ? { ok: true, rate } : { ok: false, failure: 'NOT_A_RATE' },
    ));

for (const pointer of [
  '/rates/EUR',
  '/rates/toString',
  '/rates/constructor/name',
  '/list/length',
  '/list/00',
  '/x/y',
])
  test(`nothing is at ${pointer}`, () => {
    const found = rateAt('{"rates":{"PHP":56.5},"list":["1"],"x":"text"}', pointer);
    assert.deepEqual(found, { ok: false, failure: 'NO_VALUE' });
  });

test('a rate is read, as old as caches on the way say', async () => {
  const reading = await readOnce(answers('{"rates":{"PHP":56.5}}', 200, { age: '40' }));
  assert.deepEqual(reading, { ok: true, rate: '56.5', ageMs: 40_000 });
});

test('a credential in the URL is sent as one, and its URL without it', async () => {
  const url = `${origin.replace('//', '//us%40er:p%3Ass@')}/latest?key=1`;
  assert.ok((await readOnce(answers('{"rates":{"PHP":56.5}}'), url)).ok);
  const authorization = `Basic ${Buffer.from('us@er:p:ss').toString('base64')}`;
  assert.deepEqual(asked, [{ url: '/latest?key=1', authorization }]);
});

const LONG = `{"rates":{"PHP":56.5,"rest":"${'x'.repeat(70_000)}"}}`;
const FAILURES: [what: string, failure: string, given: RequestListener][] = [
  ['a status of 500', 'STATUS', answers('{"rates":{"PHP":56.5}}', 500)],
  ['a status of 404', 'STATUS', answers('{"rates":{"PHP":56.5}}', 404)],
  ['a page', 'NOT_JSON', answers('<html>')],
  ['nothing', 'NOT_JSON', answers('')],
  ['brackets in brackets', 'NOT_JSON', answers('['.repeat(60_000))],
  ['other members', 'NO_VALUE', answers('{"rates":{"EUR":0.92}}')],
  ['a word', 'NOT_A_RATE', answers('{"rates":{"PHP":"n/a"}}')],
  ['more than 64 KiB', 'TOO_LARGE', answers(LONG)],
  [
    'more than 64 KiB in few bytes',
    'TOO_LARGE',
    answers(gzipSync(LONG), 200, { 'content-encoding': 'gzip' }),
  ],
  ['no end', 'TOO_LARGE', (_request, response) => void sendForEver(response)],
  ['no answer', 'TIMEOUT', () => undefined],
  ['an answer without its end', 'TIMEOUT', (_request, response) => void response.writeHead(200).write('{')],
  ['an end in the middle', 'UNREACHABLE', (request) => void request.socket.destroy()],
];
for (const [what, failure, given] of FAILURES)
  test(`a source that gives ${what} has told no rate: ${failure}`, async () => {
    const reading = await readOnce(given);
    assert.ok(!reading.ok);
    assert.equal(reading.failure, failure);
    assert.doesNotMatch(reading.detail, /127\.0\.0\.1|latest|html|n\/a/);
  });

async function sendForEver(response: Parameters<RequestListener>[1]): Promise<void> {
  response.on('error', () => undefined).writeHead(200);
  while (!response.destroyed) {
    response.write('x'.repeat(16_384));
    await sleep(1);
  }
}

test('no redirect is followed, wherever it leads', async () => {
  for (const status of [301, 302, 307, 308]) {
    asked = [];
    const reading = await readOnce(answers('', status, { location: `${origin}/other` }));
    assert.ok(!reading.ok && reading.failure === 'REDIRECTED');
    assert.equal(asked.length, 1);
  }
});

test('a source that is away is unreachable, and its URL is in no detail', async () => {
  const reading = await readOnce(answers(''), 'http://user:secret@127.0.0.1:9/key');
  assert.deepEqual(reading, {
    ok: false,
    failure: 'UNREACHABLE',
    detail: reading.ok ? '' : reading.detail,
  });
  assert.doesNotMatch(JSON.stringify(reading), /secret|key|127\.0/);
});

const TARGET = { chainId: 1, token: `0x${'01'.repeat(20)}`, currency: 'PHP' } as const;
const CORRIDOR = { id: 'usdc-php', target: TARGET } as unknown as Corridor;

/** Starts to read the rate of the corridor; time stands still unless it is changed. */
function started(maxAgeMs = 900) {
  const clock = { nowMs: 1_000_000 };
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => lines.push(line) });
  const failures: string[] = [];
  const url = `${origin.replace('//', '//user:secret@')}/latest`;
  let ageMs: () => number | undefined = () => undefined;
  const source = { corridorId: 'usdc-php', ...TARGET, url, pointer: '/rates/PHP', maxAgeMs };
  const metrics = {
    onRateFailure: (corridor: string, failure: string) => failures.push(`${corridor} ${failure}`),
    observeRate: (_corridor: string, read: () => number | undefined) => {
      ageMs = read;
    },
  };
  const rates = startRates([source], { nowMs: () => clock.nowMs, log, metrics });
  return { rates, clock, lines, failures, ageMs: () => ageMs() };
}

async function until(what: string, holds: () => boolean): Promise<void> {
  for (let tries = 0; tries < 400; tries++) {
    if (holds()) return;
    await sleep(10);
  }
  assert.fail(`Not so after four seconds: ${what}`);
}

test('the rate that was read last counts, until it is too old', async () => {
  listener = answers('{"rates":{"PHP":56.5}}');
  const { rates, clock, ageMs } = started();
  assert.equal(rates.rateFor(CORRIDOR), undefined);
  await until('there is a rate', () => rates.rateFor(CORRIDOR) !== undefined);
  assert.deepEqual(rates.rateFor(CORRIDOR), { rate: '56.5', asOfMs: 1_000_000, source: origin });
  listener = answers('{"rates":{"PHP":57}}');
  await until('the next rate counts', () => rates.rateFor(CORRIDOR)?.rate === '57');
  listener = answers('', 503);
  await sleep(20);
  clock.nowMs += 900;
  assert.equal(rates.rateFor(CORRIDOR)?.rate, '57');
  assert.equal(ageMs(), 900);
  clock.nowMs += 1;
  assert.equal(rates.rateFor(CORRIDOR), undefined);
  await rates.close();
});

test('a plan whose corridor had another token or currency then has no rate', async () => {
  listener = answers('{"rates":{"PHP":56.5}}');
  const { rates } = started();
  await until('there is a rate', () => rates.rateFor(CORRIDOR) !== undefined);
  const others = [{ currency: 'EUR' }, { token: `0x${'02'.repeat(20)}` }, { chainId: 2 }];
  for (const other of others)
    assert.equal(rates.rateFor({ id: 'usdc-php', target: { ...TARGET, ...other } } as Corridor), undefined);
  assert.equal(rates.rateFor({ ...CORRIDOR, id: 'other' }), undefined);
  await rates.close();
});

test('a source that fails is logged once, counted each time, and used again by itself', async () => {
  listener = answers('', 500);
  const { rates, lines, failures } = started();
  await until('three readings failed', () => failures.length >= 3);
  assert.equal(lines.length, 1);
  assert.match(lines[0] ?? '', /"failure":"STATUS".*cannot be read: it answers with the status 500/);
  assert.deepEqual([...new Set(failures)], ['usdc-php STATUS']);
  listener = answers('{"rates":{"PHP":56.5}}');
  await until('there is a rate', () => rates.rateFor(CORRIDOR) !== undefined);
  await until('the recovery is logged', () => lines.length === 2);
  assert.doesNotMatch(lines.join(''), /secret|latest/);
  await rates.close();
});

test('the end of the service waits for no source that does not answer', async () => {
  listener = () => undefined;
  const { rates, lines } = started();
  await until('the source was asked', () => asked.length > 0);
  const startMs = performance.now();
  await rates.close();
  assert.ok(performance.now() - startMs < 1_000);
  assert.deepEqual(lines, []);
});
