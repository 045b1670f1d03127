// What is sent again, how often, and when it ends: against a server that fails in named ways.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { MOST_BYTES } from '../src/connection/reading.ts';
import { createFairway, type FairwayError, isFairwayError } from '../src/index.ts';
import type { PaymentRequest } from '../src/resources/payments.ts';
import { DONE, type Fault, problem, startFailingServer } from './failingServer.ts';

const QUERY = { chainId: 1, tokenIn: '0x01', tokenOut: '0x02', tradeType: 'EXACT_IN', amount: '1' } as const;
const PAYMENT: PaymentRequest = {
  clientReference: 'INV-1',
  corridorId: 'usdc-aud-bank',
  amountIn: '1',
  recipient: { type: 'email', email: 'jo@example.com' },
  options: { mode: 'DIGITAL_COLLECT' },
};
const AT_ONCE = { 'retry-after': '0' };
const OVERLOADED = problem(503, 'overloaded', {}, AT_ONCE);
const LIMITED = problem(429, 'rate-limited', {}, AT_ONCE);

async function clientOf(context: TestContext, script: readonly Fault[], budgetMs = 5_000, attemptMs = 1_000) {
  const server = await startFailingServer(...script);
  context.after(() => server.close());
  const fairway = createFairway({ url: server.url, username: 'ü', password: 'p', budgetMs, attemptMs });
  return { fairway, server };
}

/** The error of a call that must fail. */
async function errorOf(call: Promise<unknown>): Promise<FairwayError> {
  const outcome = await call.then(
    (value) => assert.fail(`it succeeded: ${JSON.stringify(value)}`),
    (error: unknown) => error,
  );
  if (!isFairwayError(outcome)) throw outcome;
  return outcome;
}

type Calls = ReturnType<typeof createFairway>;
/** Every kind of call, and whether it is sent again after what may have been carried out. */
const CALLS: readonly (readonly [string, boolean, (fairway: Calls) => Promise<unknown>])[] = [
  ['GET', true, (fairway) => fairway.quotes.get(QUERY)],
  ['PUT', true, (fairway) => fairway.reconciliation.maps.keep('a', {} as never)],
  ['DELETE', true, (fairway) => fairway.webhookEndpoints.delete('whe_1')],
  ['POST with a key', true, (fairway) => fairway.payments.create(PAYMENT)],
  ['POST without a key', false, (fairway) => fairway.swaps.plan(QUERY)],
  ['POST of a report', false, (fairway) => fairway.payments.steps.report('p', 's', { outcome: 'DONE' })],
  ['PATCH', false, (fairway) => fairway.webhookEndpoints.update('whe_1', {})],
];
/** What may pass, and whether any call is sent again after it. */
const FAULTS: readonly (readonly [string, boolean, Fault])[] = [
  ['429', true, LIMITED],
  ['500', false, problem(500, 'internal')],
  ['503', false, OVERLOADED],
  ['502 of a proxy', false, { kind: 'TEXT', status: 502, text: '<h1>Bad Gateway</h1>' }],
  ['a cut connection', false, { kind: 'CUT' }],
  ['a connection that is cut in the body', false, { kind: 'CUT_IN_BODY' }],
];

for (const [call, isRepeatable, send] of CALLS)
  for (const [fault, isForAll, answer] of FAULTS) {
    const isRepeated = isRepeatable || isForAll;
    test(`${call} ${isRepeated ? 'is' : 'is not'} sent again after ${fault}`, async (context) => {
      const { fairway, server } = await clientOf(context, [answer, DONE]);
      if (isRepeated) assert.deepEqual(await send(fairway), { planId: 'plan_1' });
      else await errorOf(send(fairway));
      assert.equal(server.arrived.length, isRepeated ? 2 : 1);
      const [first, second = first] = server.arrived;
      assert.deepEqual([second?.body, second?.path], [first?.body, first?.path]);
    });
  }

test('what cannot pass is not sent again', async (context) => {
  for (const [status, code] of [
    [400, 'no-route'],
    [409, 'execution-in-flight'],
    [422, 'client-reference-reused'],
  ] as const) {
    const { fairway, server } = await clientOf(context, [problem(status, code, {}, AT_ONCE), DONE]);
    assert.equal((await errorOf(fairway.payments.create(PAYMENT))).code, code);
    assert.equal(server.arrived.length, 1);
  }
});

test('a keyed request waits for the one that is still under way', async (context) => {
  const { fairway, server } = await clientOf(context, [
    problem(409, 'request-in-progress', {}, AT_ONCE),
    DONE,
  ]);
  assert.equal((await fairway.payments.create(PAYMENT)).planId, 'plan_1');
  assert.equal(server.arrived.length, 2);
});

test('Retry-After is obeyed, as seconds and as a date', async (context) => {
  for (const inMs of [undefined, 2_000]) {
    const after = inMs === undefined ? '1' : new Date(Date.now() + inMs).toUTCString();
    const refusal = problem(429, 'rate-limited', {}, { 'retry-after': after });
    const { fairway, server } = await clientOf(context, [refusal, DONE], 10_000);
    const begunMs = performance.now();
    await fairway.quotes.get(QUERY);
    assert.equal(server.arrived.length, 2);
    const waitedMs = (server.arrived[1]?.atMs ?? 0) - begunMs;
    // A date has whole seconds, so that up to one of them is lost.
    assert.ok(waitedMs >= 950, `${waitedMs} ms after ${after}`);
  }
});

test('a wait that would outlast the budget is not begun, and the error says how long', async (context) => {
  const refusal = problem(429, 'rate-limited', {}, { 'retry-after': '3600' });
  const { fairway, server } = await clientOf(context, [refusal, DONE], 2_000);
  const error = await errorOf(fairway.quotes.get(QUERY));
  assert.ok(error.code === 'rate-limited');
  assert.equal(error.retryAfterSeconds, 3600);
  assert.equal(server.arrived.length, 1);
});

test('attempts end with the budget of the call', async (context) => {
  const { fairway, server } = await clientOf(context, [problem(503, 'overloaded')], 60_000);
  const error = await errorOf(fairway.quotes.get(QUERY, { budgetMs: 1_500 }));
  assert.equal(error.code, 'overloaded');
  const [first, last] = [server.arrived[0]?.atMs ?? 0, server.arrived.at(-1)?.atMs ?? 0];
  assert.ok(
    server.arrived.length > 1 && last - first < 1_500,
    `${server.arrived.length} in ${last - first} ms`,
  );
});

test('an answer that does not come ends its attempt, and the next one is sent', async (context) => {
  const { fairway, server } = await clientOf(context, [{ kind: 'SLOW', waitMs: 60_000 }, DONE], 5_000, 100);
  assert.deepEqual(await fairway.payments.get('plan_1'), { planId: 'plan_1' });
  assert.equal(server.arrived.length, 2);
});

test('answers that never come end with the budget, as timed-out', async (context) => {
  const { fairway, server } = await clientOf(context, [{ kind: 'SLOW', waitMs: 60_000 }], 700, 200);
  const error = await errorOf(fairway.quotes.get(QUERY));
  assert.equal(error.code, 'timed-out');
  assert.ok(server.arrived.length >= 2);
  const once = await errorOf(fairway.swaps.plan(QUERY));
  assert.equal(once.code, 'timed-out');
});

test('waits are jittered: two callers do not come back together', async (context) => {
  const waits: number[] = [];
  for (let round = 0; round < 4; round++) {
    const { fairway, server } = await clientOf(context, [problem(503, 'overloaded'), DONE]);
    await fairway.quotes.get(QUERY);
    waits.push((server.arrived[1]?.atMs ?? 0) - (server.arrived[0]?.atMs ?? 0));
  }
  assert.ok(new Set(waits.map((wait) => Math.round(wait / 2))).size > 1, String(waits));
});

test('an abort ends a call before it is sent, while it is answered, and while it waits', async (context) => {
  const reason = new Error('enough');
  const scripts: readonly (readonly [Fault, number])[] = [
    [DONE, 0],
    [{ kind: 'SLOW', waitMs: 60_000 }, 1],
    [problem(429, 'rate-limited', {}, { 'retry-after': '60' }), 1],
  ];
  for (const [fault, sent] of scripts) {
    const { fairway, server } = await clientOf(context, [fault], 600_000, 600_000);
    const stop = new AbortController();
    if (sent === 0) stop.abort(reason);
    const call = fairway.quotes.get(QUERY, { signal: stop.signal });
    while (server.arrived.length < sent) await new Promise((resolve) => setTimeout(resolve, 5));
    setTimeout(() => stop.abort(reason), 50);
    await assert.rejects(call, reason);
    assert.equal(server.arrived.length, sent);
  }
});

test('an answer that is not of the service says what it is', async (context) => {
  const { fairway } = await clientOf(context, [{ kind: 'TEXT', status: 200, text: '<html>Sign in</html>' }]);
  const error = await errorOf(fairway.swaps.plan(QUERY));
  assert.ok(error.code === 'answer-not-understood');
  assert.deepEqual([error.status, error.text], [200, '<html>Sign in</html>']);
});

test('an answer without an end is not read to its end, whatever its status', async (context) => {
  for (const status of [200, 400]) {
    const { fairway, server } = await clientOf(context, [{ kind: 'ENDLESS', status }], 10_000, 10_000);
    const error = await errorOf(fairway.swaps.plan(QUERY));
    assert.ok(error.code === 'answer-not-understood', error.code);
    assert.equal(error.status, status);
    while (server.sentBytes() === undefined) await sleep(5);
    // What is in the buffers of both sides went out, too.
    assert.ok((server.sentBytes() ?? 0) < 2 * MOST_BYTES, `${server.sentBytes()} bytes`);
  }
});

test('a stream of which no message ends is given up', async (context) => {
  const { fairway, server } = await clientOf(context, [{ kind: 'ENDLESS', status: 200 }]);
  const error = await errorOf(fairway.events.stream({ after: '' }).next());
  assert.equal(error.code, 'answer-not-understood');
  assert.equal(server.arrived.length, 1);
});

test('an answer is read up to the most bytes, unpacked, and not to one byte more', async () => {
  for (const [bytes, isRead] of [
    [MOST_BYTES, true],
    [MOST_BYTES + 1, false],
  ] as const) {
    const body = gzipSync(`"${' '.repeat(bytes - 2)}"`);
    const server = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = server.address() as AddressInfo;
      const fairway = createFairway({ url: `http://127.0.0.1:${port}`, username: 'u', password: 'p' });
      const call: Promise<unknown> = fairway.swaps.plan(QUERY);
      if (isRead) assert.equal(String(await call).length, bytes - 2);
      else assert.equal((await errorOf(call)).code, 'answer-not-understood');
    } finally {
      server.closeAllConnections();
      server.close();
    }
  }
});

test('a redirect is not followed: the credential stays with the service', async (context) => {
  const other = await startFailingServer(DONE);
  context.after(() => other.close());
  const moved: Fault = { kind: 'ANSWER', status: 307, headers: { location: `${other.url}/v1/swap` } };
  const { fairway } = await clientOf(context, [moved]);
  assert.equal((await errorOf(fairway.swaps.plan(QUERY))).code, 'connection-failed');
  assert.equal(other.arrived.length, 0);
});

test('a service that is not there is connection-failed, with the reason', async () => {
  const server = await startFailingServer(DONE);
  await server.close();
  const fairway = createFairway({ url: server.url, username: 'u', password: 'p', budgetMs: 100 });
  const error = await errorOf(fairway.quotes.get(QUERY));
  assert.equal(error.code, 'connection-failed');
  assert.match(error.message, /^GET \/v1\/quote gave no answer: connect ECONNREFUSED/);
});

test('each refusal has the members of its code, and an unknown one its own code', async (context) => {
  const fields = [{ pointer: '/amount', detail: 'is no amount' }];
  const script = [
    problem(400, 'validation-failed', { errors: fields, requestId: 'req_1', detail: 'One field is wrong.' }),
    problem(412, 'revision-mismatch', { revision: 7 }),
    problem(418, 'tea-only', { detail: 'No coffee.' }),
  ];
  const { fairway } = await clientOf(context, script);
  const invalid = await errorOf(fairway.quotes.get(QUERY));
  assert.ok(invalid.code === 'validation-failed');
  assert.deepEqual([invalid.errors, invalid.requestId, invalid.status], [fields, 'req_1', 400]);
  assert.equal(invalid.message, 'It is validation-failed: One field is wrong.\n  /amount: is no amount');
  const stale = await errorOf(fairway.payments.end('plan_1', {}, { ifRevision: 3 }));
  assert.ok(stale.code === 'revision-mismatch');
  assert.equal(stale.revision satisfies number, 7);
  const unknown = await errorOf(fairway.quotes.get(QUERY));
  assert.ok(unknown.code === 'unknown-problem');
  assert.deepEqual([unknown.problem.code, unknown.status], ['tea-only', 418]);
});

test('credentials are Basic in UTF-8, revisions an If-Match, paths escaped', async (context) => {
  const { fairway, server } = await clientOf(context, [DONE]);
  await fairway.payments.end(
    '../plan?1',
    { reason: 'OTHER' },
    { ifRevision: 3, expand: ['executions', 'custody'] },
  );
  const [{ path, headers } = assert.fail('nothing came')] = server.arrived;
  assert.equal(path, '/v1/payments/..%2Fplan%3F1/end?expand=executions%2Ccustody');
  assert.equal(headers.authorization, `Basic ${Buffer.from('ü:p').toString('base64')}`);
  assert.equal(headers['if-match'], '"3"');
});
