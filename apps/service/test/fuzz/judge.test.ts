// The judge of the fuzzer notices every fault that it is there for.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openApiDocument } from '@fairway/wire';
import { type Answer, readAnswer } from './connection.ts';
import { type Document, readDescription } from './described.ts';
import { heapGrowth } from './heap.ts';
import { type Bench, judge } from './judge.ts';
import type { Ask } from './requests.ts';

const description = readDescription(openApiDocument('https://fairway.test') as unknown as Document);
const bench: Bench = { description, markers: ['zqalder', 'zqbirch'] };
const HEADERS = {
  'x-request-id': 'r-1',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
};

function askFor(target: string, more: Partial<Ask> = {}, method = 'GET'): Ask {
  return { request: { method, target, headers: [] }, marker: 'zqalder', ...more };
}

function answerOf(status: number, body: object | string, headers: object = {}): Answer {
  const type = status < 400 ? 'application/json; charset=utf-8' : 'application/problem+json';
  const all = { ...HEADERS, 'content-type': type, ...headers };
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { status, headers: new Map(Object.entries(all)), body: Buffer.from(text), tookMs: 1 };
}

function problemOf(code: string, status: number, more: object = {}): object {
  const type = `https://fairway.test/problems/${code}`;
  return { type, title: code, status, detail: 'Something is wrong.', code, requestId: 'r-1', ...more };
}

const CHAINS = '/v1/markets/chains';
const CHAIN = { chainId: 1, name: 'One', nativeSymbol: 'ETH', environment: 'sandbox' };
const verdict = (ask: Ask, answer: Answer) =>
  judge(bench, [ask], { answers: [answer], end: 'ANSWERED' }).join('\n');
const fieldsOf = (...pointers: string[]) => ({
  errors: pointers.map((pointer) => ({ pointer, detail: 'Wrong.' })),
});

test('good answers have no faults', () => {
  assert.equal(verdict(askFor('/livez'), answerOf(200, { status: 'OK' })), '');
  assert.equal(verdict(askFor('/v1/payments/x'), answerOf(404, problemOf('not-found', 404))), '');
  const refused = answerOf(400, problemOf('validation-failed', 400, fieldsOf('/query/limit')));
  assert.equal(verdict(askFor('/v1/payments?limit=x'), refused), '');
  const busy = answerOf(503, problemOf('market-stale', 503), { 'retry-after': '2' });
  assert.equal(verdict(askFor('/v1/quote'), busy), '');
});

const FAULTS: readonly (readonly [string, Ask, Answer, RegExp])[] = [
  ['a 500', askFor(CHAINS), answerOf(500, problemOf('internal', 500)), /The status is 500/],
  ['a redirect', askFor(CHAINS), answerOf(302, {}), /The status is 302/],
  [
    'a 503 without Retry-After',
    askFor('/v1/quote'),
    answerOf(503, problemOf('market-stale', 503)),
    /no Retry-After/,
  ],
  ['a refusal that is no Problem', askFor(CHAINS), answerOf(400, { error: 'x' }), /is no Problem/],
  [
    'a refusal in HTML',
    askFor(CHAINS),
    answerOf(404, '<p>', { 'content-type': 'text/html' }),
    /content type/,
  ],
  [
    'a code with another status',
    askFor('/v1/payments/x'),
    answerOf(400, problemOf('not-found', 400)),
    /answered with 400/,
  ],
  [
    'a code that is not described',
    askFor('/livez'),
    answerOf(400, problemOf('no-route', 400)),
    /does not list/,
  ],
  [
    'a wrong field without its name',
    askFor('/v1/quote'),
    answerOf(400, problemOf('validation-failed', 400)),
    /names no field/,
  ],
  [
    'a pointer to nowhere',
    askFor('/v1/payments'),
    answerOf(400, problemOf('validation-failed', 400, fieldsOf('/query/limit'))),
    /no place of the request/,
  ],
  ['an answer beside its schema', askFor('/livez'), answerOf(200, { state: 'ok' }), /does not fit/],
  ['an answer that is no JSON', askFor('/livez'), answerOf(200, '{'), /no JSON/],
  ['an answer of a path that is not described', askFor('/v1/secret'), answerOf(200, {}), /not described/],
  [
    'an answer without a credential',
    askFor(CHAINS, { marker: undefined }),
    answerOf(200, [CHAIN]),
    /without a credential/,
  ],
  [
    'a wrong request that was served',
    askFor('/livez', { isRefused: true }),
    answerOf(200, { status: 'OK' }),
    /wrong request/,
  ],
  [
    'a text of another organisation',
    askFor('/v1/payments/x'),
    answerOf(404, problemOf('not-found', 404, { detail: 'The plan of ZQBirch.' })),
    /of another organisation/,
  ],
  [
    'a header that is not declared',
    askFor('/livez'),
    answerOf(200, { status: 'OK' }, { etag: '"1"' }),
    /200 with etag, which is not declared/,
  ],
  [
    'a missing request id',
    askFor('/livez'),
    answerOf(200, { status: 'OK' }, { 'x-request-id': '' }),
    /no X-Request-Id/,
  ],
];

for (const [fault, ask, answer, sentence] of FAULTS) {
  test(`the judge notices ${fault}`, () => assert.match(verdict(ask, answer), sentence));
}

test('the judge notices a hang, a lost answer and an answer too many', () => {
  const ask = askFor('/livez');
  const good = answerOf(200, { status: 'OK' });
  assert.match(judge(bench, [ask], { answers: [], end: 'LATE' }).join(), /LATE/);
  assert.match(judge(bench, [ask, ask], { answers: [good], end: 'CLOSED' }).join(), /After 1 of 2 answers/);
  assert.match(
    judge(bench, [ask], { answers: [good, good], end: 'ANSWERED' }).join(),
    /more answers than requests/,
  );
  const closing = answerOf(200, { status: 'OK' }, { connection: 'close' });
  assert.deepEqual(judge(bench, [ask, ask], { answers: [closing], end: 'CLOSED' }), []);
});

test('an answer is read from its bytes only when it is whole', () => {
  const bytes = Buffer.from(
    'HTTP/1.1 200 OK\r\nA: b\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\nHTTP/1.1',
  );
  const read = readAnswer(bytes, 'GET');
  assert.ok(typeof read !== 'string');
  assert.deepEqual(
    [read.status, read.headers.get('a'), String(read.body), String(read.rest)],
    [200, 'b', 'hi', 'HTTP/1.1'],
  );
  for (let length = 0; length < bytes.length - 'HTTP/1.1'.length; length += 1)
    assert.equal(readAnswer(bytes.subarray(0, length), 'GET'), 'MORE', `${length} bytes`);
  assert.equal(readAnswer(Buffer.from('HTTP/1.1 200 OK\r\nA\r\n\r\n'), 'GET'), 'MALFORMED');
});

test('a heap that grows is noticed after the warm-up, and one that comes and goes is not', () => {
  const samples = (bytesAt: (minute: number) => number) =>
    Array.from({ length: 40 }, (_, minute) => ({ atMs: minute * 60_000, bytes: bytesAt(minute) }));
  assert.equal(heapGrowth(samples(() => 100).slice(0, 10)), undefined);
  assert.ok((heapGrowth(samples((minute) => 100 + minute)) ?? 0) > 0.05);
  assert.ok((heapGrowth(samples((minute) => 100 + (minute % 3))) ?? 1) < 0.05);
  assert.ok((heapGrowth(samples((minute) => (minute < 8 ? 10 : 100))) ?? 1) < 0.05);
});
