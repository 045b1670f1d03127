// A hostile caller of payments, on a whole service. Every request is served, or refused with a Problem that points at
// the fault in the request. No answer is a 5xx, and none repeats a recipient's details.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { defined } from '@fairway/plan';
import { runs, seed } from '@fairway/testing/properties';
import { isProblemCode, PROBLEMS, type PaymentPlan, type Problem } from '@fairway/wire';
import fc from 'fast-check';
import { postOf, startTestService, type TestService } from './harness.ts';
import { damaged, damages, hostileText, hostileValue, type Json, MARK } from './hostileValues.ts';
import { isPlace } from './requestPlaces.ts';

const options = (usual: number) => ({ seed, numRuns: runs(usual) });

let service: TestService;
let plan: PaymentPlan;
let mailed: PaymentPlan;
let sent = 0;

before(async () => {
  service = await startTestService();
  plan = await service.ask<PaymentPlan>('/v1/payments', wallet());
  mailed = await service.ask<PaymentPlan>('/v1/payments', collect());
  assert.ok(plan.planId && mailed.planId, JSON.stringify([plan, mailed]));
});
after(() => service?.close());

const reference = () => `FUZZ-${(sent += 1)}`;
/** Values of recipients that no answer may repeat. */
const SECRETS = ['Quillfeather', '918273645', 'zebedee.q'];

const bank = () => ({
  clientReference: reference(),
  corridorId: 'usdc-aud-bank',
  amountIn: '100000000',
  recipient: {
    type: 'bank',
    name: 'Quillfeather Zebedee',
    country: 'AU',
    account: { bsb: '062-000', accountNumber: '918273645' },
  },
  options: { mode: 'STANDARD', slippageBps: 50, minAmountOut: '1' },
  metadata: { order: '7', shop: 'a' },
});
const wallet = () => ({
  clientReference: reference(),
  corridorId: 'usdc-wallet',
  amountIn: '1000000',
  recipient: { type: 'wallet', chainId: 31_337, address: `0x${'ab'.repeat(20)}`, name: 'Quillfeather' },
  options: { mode: 'STANDARD', sender: `0x${'cd'.repeat(20)}` },
  metadata: {},
});
const collect = () => ({
  clientReference: reference(),
  corridorId: 'usdc-eur-collect',
  amountIn: '5000000',
  recipient: { type: 'email', email: 'zebedee.q@example.com', name: 'Zebedee Quillfeather', locale: 'de' },
  options: {
    mode: 'DIGITAL_COLLECT',
    collect: { expiresIn: 'P30D', locale: 'de', message: 'Hello', allowedDestinations: ['wallet', 'bank'] },
  },
});
const delivery = () => ({ status: 'FAILED', ...failed() });
const readdress = () => ({ email: 'zebedee.q@example.com', name: 'Zebedee Quillfeather', locale: 'de' });
const report = () => ({ outcome: 'FAILED', ...failed() });
const failed = () => ({
  txHash: `0x${'ab'.repeat(32)}`,
  providerReference: 'P-1',
  amount: '5',
  occurredAt: '2026-01-01T00:00:00Z',
  failure: { code: 'OTHER', detail: 'x' },
});

/**
 * Sends a request. Asserts that the answer is a 200, or a Problem that agrees with its status and points into the
 * request.
 */
async function served(path: string, init: RequestInit = {}): Promise<unknown> {
  const shown = `${init.method ?? 'GET'} ${path} ${JSON.stringify(init.body)?.slice(0, 3000)}`;
  const { status, headers, body } = await service.request(path, init);
  const answer = `${status} ${JSON.stringify(body)} to ${shown}`;
  assert.ok(status < 500, answer);
  if (status === 200) return body;
  assert.equal(headers.get('content-type'), 'application/problem+json', answer);
  const problem = body as Problem;
  assert.ok(isProblemCode(problem.code ?? ''), answer);
  assert.equal(PROBLEMS[problem.code as keyof typeof PROBLEMS].status, status, answer);
  for (const { pointer, detail } of problem.errors ?? []) {
    assert.ok(detail.trim() !== '', answer);
    assert.ok(isPlace(pointer, path, parsedBody(init.body)), `${pointer} in ${answer}`);
  }
  return undefined;
}

function parsedBody(body: unknown): unknown {
  return typeof body === 'string' && body !== '' ? JSON.parse(body) : {};
}

function assertSecret(answer: unknown, hidden: readonly string[]): void {
  const text = JSON.stringify(answer) ?? '';
  for (const secret of hidden) assert.ok(!text.includes(secret), `${secret} is repeated in ${text}`);
}

test('no payment request causes a 5xx, and an accepted one is kept as it was sent', async () => {
  const metadataByPlan = new Map<string, Json>();
  const request = fc.tuple(fc.constantFrom(bank, wallet, collect), damages);
  await fc.assert(
    fc.asyncProperty(request, async ([make, list]) => {
      const body = damaged(make(), list) as { clientReference?: Json; metadata?: Json };
      const made = (await served('/v1/payments', postOf(body))) as PaymentPlan | undefined;
      if (made === undefined) return;
      assert.equal(made.clientReference, body.clientReference);
      // A reference of an earlier request gives the plan of that request.
      const metadata = metadataByPlan.get(made.planId) ?? body.metadata ?? {};
      metadataByPlan.set(made.planId, metadata);
      assert.deepEqual(made.metadata, metadata);
      assertSecret(made, SECRETS);
      const later = (await served(`/v1/payments/${made.planId}`)) as PaymentPlan;
      assert.deepEqual(later.metadata, made.metadata);
      assert.equal(later.clientReference, made.clientReference);
      const again = (await served('/v1/payments', postOf(body))) as PaymentPlan;
      assert.equal(again?.planId, made.planId, 'the same body gives the same plan');
    }),
    options(500),
  );
});

test('no refusal repeats details of a recipient', async () => {
  const request = fc.tuple(fc.constantFrom(bank, wallet, collect), damages);
  await fc.assert(
    fc.asyncProperty(request, async ([make, list]) => {
      const whole = make();
      const body = { ...whole, recipient: damaged(whole.recipient, list) };
      const { status, body: answer } = await service.request('/v1/payments', postOf(body));
      assert.ok(status < 500, JSON.stringify([answer, body]));
      assertSecret(answer, [...SECRETS, MARK]);
    }),
    options(300),
  );
});

test('a duplicate name anywhere in a body is refused, and the Problem points at it', async () => {
  const whole = JSON.stringify(bank());
  const names = [...whole.matchAll(/"(\w+)":/g)].map(({ index, 1: name }) => ({ index, name }));
  for (const { index, name } of names) {
    const text = `${whole.slice(0, index)}"${name}":0,${whole.slice(index)}`;
    const { status, body } = await service.request('/v1/payments', { ...postOf({}), body: text });
    assert.deepEqual([status, (body as Problem).code], [400, 'malformed-json']);
    const [first] = (body as Problem).errors ?? [];
    assert.ok(
      first?.pointer.endsWith(`/${name}`) && isPlace(first.pointer, '/v1/payments', parsedBody(text)),
    );
  }
});

const steps = () => plan.steps.map(({ stepId }) => stepId);
const oddId = () =>
  fc.oneof(
    hostileText.map((text) => encodeURIComponent(text.toWellFormed())),
    fc.constantFrom(
      'plan_',
      'step_',
      '%00',
      '%zz',
      '%2F',
      '%ff',
      '.',
      '..%2f',
      ':planId',
      '*',
      '0',
      'a'.repeat(9_000),
    ),
    fc.constantFrom(
      ...[`plan_${'0'.repeat(32)}`, `${plan.planId}0`, plan.planId.toUpperCase(), `${plan.planId}%00`],
    ),
    fc.constantFrom(plan.planId, ...steps()),
  );

test('no report and no simulation causes a 5xx', async () => {
  const request = fc.tuple(
    fc.constantFrom(...steps()),
    fc.constantFrom('/v1/payments PLAN/steps/STEP/reports', '/v1/sandbox/payments PLAN/steps/STEP/simulate'),
    damages,
  );
  await fc.assert(
    fc.asyncProperty(request, async ([stepId, route, list]) => {
      const path = route.replace(' PLAN', `/${plan.planId}`).replace('STEP', stepId);
      const body = route.endsWith('simulate') ? { event: 'payout.returned' } : report();
      await served(path, postOf(damaged(body, list)));
    }),
    options(300),
  );
});

test('no report of a delivery and no new address causes a 5xx', async () => {
  const request = fc.tuple(fc.constantFrom(delivery, readdress), fc.boolean(), damages);
  await fc.assert(
    fc.asyncProperty(request, async ([make, isMailed, list]) => {
      const deed = make === delivery ? 'deliveries' : 'readdress';
      const { planId } = isMailed ? mailed : plan;
      const path = `/v1/payments/${planId}/collect/${deed}`;
      assertSecret(await served(path, postOf(damaged(make(), list))), SECRETS);
    }),
    options(300),
  );
});

test('no id, method, query or body of any path causes a 5xx', async () => {
  const route = fc.constantFrom(
    '',
    '/PLAN',
    '/PLAN/events',
    '/PLAN/cancel',
    '/PLAN/recipient/reveal',
    ...['resend', 'readdress', 'reissue', 'cancel', 'deliveries'].map((deed) => `/PLAN/collect/${deed}`),
    '/PLAN/steps/STEP/refresh',
    '/PLAN/steps/STEP/reports',
    '/PLAN/steps/STEP/retry',
  );
  const query = fc.oneof(
    fc.constant(''),
    fc
      .tuple(fc.constantFrom('limit', 'cursor', 'status', 'x'), hostileText)
      .map(([name, text]) => `?${name}=${encodeURIComponent(text.toWellFormed().slice(0, 500))}`),
  );
  const body = fc.oneof(fc.constantFrom(undefined, '', '{}', '[]', 'null', '{"a":1}', '{', '0'), fc.json());
  const method = fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS');
  const type = fc.constantFrom('application/json', 'text/plain', undefined);
  const request = fc.record({ route, planId: oddId(), stepId: oddId(), query, body, method, type });
  await fc.assert(
    fc.asyncProperty(request, async (given) => {
      const { planId, stepId, type: contentType, body: text } = given;
      const path = `/v1/payments${given.route.replace('PLAN', planId).replace('STEP', stepId)}${given.query}`;
      const response = await fetch(`${service.url}${path}`, {
        method: given.method,
        headers: defined({ authorization: service.authorization, 'content-type': contentType }),
        body: text === undefined || given.method === 'GET' || given.method === 'HEAD' ? null : text,
      });
      const answer = await response.text();
      assert.ok(response.status < 500, `${JSON.stringify(given)}: ${response.status} ${answer}`);
      if (response.status !== 200)
        assert.equal(response.headers.get('content-type'), 'application/problem+json', answer);
    }),
    options(500),
  );
});

test('no query for a list, a history or requirements causes a 5xx', async () => {
  const value = fc.oneof(
    fc.constantFrom('0', '1', '100', '101', 'abc', '-1', '1.0', '01', '9'.repeat(30), '', ' 1'),
    fc.constantFrom(
      '2026-01-01T00:00:00Z',
      '0000-01-01T00:00:00Z',
      '9999-12-31T23:59:59Z',
      '2026-02-30T00:00:00Z',
    ),
    fc.constantFrom('0000-01-01T00:00:00+23:59', 'PENDING', 'STANDARD', 'usdc-aud-bank', 'bank', 'all'),
    hostileText.map((text) => text.toWellFormed().slice(0, 300)),
    hostileValue.map((json) => JSON.stringify(damaged(json, [])).slice(0, 300)),
  );
  const name = fc.constantFrom(
    ...[
      'status',
      'mode',
      'corridorId',
      'clientReference',
      'createdFrom',
      'createdTo',
      'updatedSince',
      'limit',
      'cursor',
    ],
    ...['recipientType', '__proto__', 'x'],
  );
  const path = fc.constantFrom(
    '/v1/payments',
    `/v1/payments/${plan.planId}/events`,
    '/v1/markets/corridors',
    '/v1/markets/corridors/usdc-aud-bank/requirements',
    '/v1/markets/corridors/nowhere/requirements',
  );
  await fc.assert(
    fc.asyncProperty(path, fc.array(fc.tuple(name, value), { maxLength: 4 }), async (place, pairs) => {
      await served(`${place}?${new URLSearchParams(pairs)}`);
    }),
    options(500),
  );
});

test('a changed cursor, or a cursor of another list, is refused', async () => {
  const first = await service.ask<{ nextCursor?: string }>('/v1/payments?limit=1');
  const cursor = first.nextCursor ?? assert.fail('There are more plans than one');
  const decoded = Buffer.from(cursor, 'base64url').toString();
  assert.notEqual(await served(`/v1/payments?limit=1&cursor=${cursor}`), undefined);
  const forged = [
    '',
    '.',
    decoded.replace('.', ''),
    `x${decoded}`,
    decoded.replace(/\..*/, '.'),
    decoded.replace('plan', "pl'n"),
  ];
  for (const text of [
    ...forged.map((each) => Buffer.from(each).toString('base64url')),
    '*',
    `${cursor}=`,
    decoded,
  ]) {
    const { status } = await service.request(`/v1/payments?cursor=${encodeURIComponent(text)}`);
    assert.equal(status, 400, text);
  }
  for (const path of [
    `/v1/payments?mode=STANDARD&cursor=${cursor}`,
    `/v1/payments/${plan.planId}/events?cursor=${cursor}`,
  ])
    assert.equal((await service.request(path)).status, 400, path);
});
