import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { seed } from '@fairway/testing/properties';
import fc from 'fast-check';
import { type Call, NATIVE, quoteUrl, startHarness, swapBody, TOKENS } from '../../test/httpHarness.ts';

const harness = await startHarness();
after(() => harness.close());

/** Sends a request whose answer must not be a 5xx. The harness also checks each answer against the API contract. */
async function assertServed(call: Call): Promise<void> {
  const reply = await harness.call(call);
  assert.ok(reply.status < 500, `${JSON.stringify(call)} answered ${reply.status} ${reply.text}`);
}

/** An arbitrary character of a text. */
const charactersOf = (text: string) => fc.constantFrom(...text.split(''));

const strange = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    ...Object.values(TOKENS),
    NATIVE,
    'EXACT_IN',
    'EXACT_OUT',
    '31337',
    '1e3',
    '-0',
    '__proto__',
    '%00',
  ),
  fc.bigInt({ min: -1n, max: 2n ** 257n }).map(String),
  fc.nat(20_000).map(String),
);
const name = fc.oneof(
  fc.constantFrom(
    'chainId',
    'tokenIn',
    'tokenOut',
    'tradeType',
    'amount',
    'slippageBps',
    'maxHops',
    'maxSplits',
    'excludeSources',
    'excludeTokens',
    'excludePools',
    'deadline',
    'recipient',
    'sender',
    '__proto__',
    'constructor',
  ),
  fc.string({ unit: 'binary', maxLength: 12 }),
);

test('no query parameters of a quote cause a 5xx answer', async () => {
  await fc.assert(
    fc.asyncProperty(fc.dictionary(name, strange, { maxKeys: 4 }), (changes) =>
      assertServed({
        url: quoteUrl(
          Object.fromEntries(Object.entries(changes).map(([key, value]) => [key, value.toWellFormed()])),
        ),
      }),
    ),
    { seed, numRuns: 400 },
  );
});

test('no raw query string causes a 5xx answer', async () => {
  const raw = fc.string({ unit: charactersOf('abc=&%+;?/#[]2F0chainIdamount'), maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(raw, (query) => assertServed({ url: `/v1/quote?${query}` })),
    { seed, numRuns: 400 },
  );
});

test('no members of a swap request cause a 5xx answer', async () => {
  const value = fc.oneof(strange, fc.jsonValue({ maxDepth: 3 }));
  await fc.assert(
    fc.asyncProperty(fc.dictionary(name, value, { maxKeys: 4 }), (changes) =>
      assertServed({ url: '/v1/swap', method: 'POST', body: JSON.stringify(swapBody(changes)) }),
    ),
    { seed, numRuns: 400 },
  );
});

test('no body and no content type cause a 5xx answer on any path', async () => {
  const body = fc.oneof(
    fc.string({ unit: charactersOf('{}[]",:\\u0061eE+-.123 \n\t/*true'), maxLength: 80 }),
    fc.json({ maxDepth: 5 }),
    fc.nat(2000).map((depth) => '['.repeat(depth)),
  );
  const url = fc.constantFrom('/v1/swap', '/v1/sandbox/clock', '/v1/sandbox/faucet', '/v1/quote', '/nothing');
  const type = fc.constantFrom(
    'application/json',
    'application/json; charset=utf-8',
    'text/plain',
    'x',
    ';',
    'a/b;c',
  );
  await fc.assert(
    fc.asyncProperty(url, type, body, (address, contentType, text) =>
      assertServed({ url: address, method: 'POST', body: text, headers: { 'content-type': contentType } }),
    ),
    { seed, numRuns: 400 },
  );
});

test('no path, header or credential causes a 5xx answer', async () => {
  const printable = fc.string({ unit: charactersOf('abcXYZ019:=+/ ,;"\'()%-_~'), maxLength: 60 });
  const path = fc.string({ unit: charactersOf('/v1quoteswap%25.;~-:'), maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(path, printable, printable, (tail, login, id) =>
      assertServed({
        url: `/${tail}`,
        login: null,
        headers: { authorization: `Basic ${login}`, 'x-request-id': id, 'if-none-match': login, host: id },
      }),
    ),
    { seed, numRuns: 400 },
  );
});
