// A hostile caller of payments, on a whole service. Every request is served, or refused with a Problem that points at
// the fault in the request. No answer is a 5xx, and none repeats a recipient's details.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { runs, seed } from '@fairway/testing/properties';
import { isProblemCode, PROBLEMS, type PaymentPlan, type Problem } from '@fairway/wire';
import fc from 'fast-check';
import { postOf, startTestService, type TestService } from './harness.ts';
import { damaged, damages, type Json, MARK } from './hostileValues.ts';
import { isPlace } from './requestPlaces.ts';

const options = (usual: number) => ({ seed, numRuns: runs(usual) });

let service: TestService;
let plan: PaymentPlan;
let sent = 0;

before(async () => {
  service = await startTestService();
  plan = await service.ask<PaymentPlan>('/v1/payments', wallet());
  await service.ask<PaymentPlan>('/v1/payments', collect());
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
