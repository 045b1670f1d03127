// The connection to the database is lost at the moment of a commit. The answer says what became of the request: it was
// carried out, it was not, or nobody knows.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type CutMoment, type DatabaseProxy, startDatabaseProxy, startTestDatabase } from '@fairway/testing';
import type { PaymentPlan } from '@fairway/wire';
import { pino } from 'pino';
import { startTestService, type TestService } from '../harness.ts';
import {
  assertProblem,
  AUSTRALIAN,
  freshAddress,
  type PaymentsClient,
  paymentsClient,
  type PlanAnswer,
  requestOf,
  stepOf,
} from '../paymentsHarness.ts';

let database: Awaited<ReturnType<typeof startTestDatabase>>;
let proxy: DatabaseProxy;
let service: TestService;
let client: PaymentsClient;

before(async () => {
  database = await startTestDatabase();
  proxy = await startDatabaseProxy(database.connection);
  const place = { database: { kind: 'SERVER', url: proxy.url } } as const;
  service = await startTestService([], place, pino({ level: 'silent' }));
  client = paymentsClient(service.url, service.authorization);
});
after(async () => {
  await service?.close();
  await proxy?.close();
  await database?.close();
});

const watched = () => ({ options: { mode: 'STANDARD', depositAddress: freshAddress() } });

const reportDeposit = (plan: PaymentPlan) => client.report(plan, 'AWAIT_DEPOSIT', { outcome: 'DONE' });

async function swapDue(fields: object = {}): Promise<PaymentPlan> {
  const { status, text, body } = await reportDeposit(await client.plan(fields));
  assert.equal(status, 200, text);
  return body;
}

/** A plan whose link was cancelled, long enough ago for another one. */
async function linkCancelled(): Promise<PaymentPlan> {
  const recipient = { type: 'email', email: `${freshAddress()}@example.com`, name: 'Jo Citizen' };
  const due = await swapDue({
    corridorId: 'usdc-eur-collect',
    recipient,
    options: { mode: 'DIGITAL_COLLECT' },
  });
  const answers = [
    await client.simulate(due, 'EXECUTE_SWAP', 'swap.done'),
    await client.ask(`/v1/payments/${due.planId}/collect/cancel`, {}),
    await client.ask('/v1/sandbox/clock', { advance: 'PT61S' }),
  ];
  for (const { status, text } of answers) assert.equal(status, 200, text);
  return due;
}

/** A plan whose payout failed, as the account is closed. */
async function payoutFailed(): Promise<PaymentPlan> {
  const told = { outcome: 'FAILED', failure: { code: 'ACCOUNT_CLOSED' } };
  const { status, text, body } = await client.report(await payoutDue(), 'CUSTODIAN_PAYOUT', told);
  assert.equal(status, 200, text);
  return body;
}

/** A plan whose swap failed, so that it is tried again. */
async function swapFailed(): Promise<PaymentPlan> {
  const due = await swapDue();
  const told = { outcome: 'FAILED', failure: { code: 'OTHER' } };
  const { status, text, body } = await client.report(due, 'EXECUTE_SWAP', told);
  assert.equal(status, 200, text);
  return body;
}

async function payoutDue(): Promise<PaymentPlan> {
  const { status, text, body } = await client.simulate(await swapDue(), 'EXECUTE_SWAP', 'swap.done');
  assert.equal(status, 200, text);
  return body;
}

/** All of a plan's deposit. */
function depositOf(plan: PaymentPlan): { readonly amount: string; readonly asset: object } {
  const { asset, received } = plan.funds[0] ?? assert.fail('a plan has funds');
  return { amount: received, asset };
}

type Change = {
  readonly what: string;
  readonly prepare: () => Promise<PaymentPlan>;
  readonly ask: (plan: PaymentPlan) => Promise<PlanAnswer>;
};

/** Changes that a caller can ask for: at least one of each way in which the store writes. */
const CHANGES: readonly Change[] = [
  { what: 'a report of a deposit', prepare: () => client.plan(), ask: reportDeposit },
  { what: 'a cancellation', prepare: () => client.plan(watched()), ask: (plan) => client.cancel(plan) },
  { what: 'new instructions', prepare: () => swapDue(), ask: (plan) => client.refresh(plan) },
  {
    what: 'a reveal of the recipient',
    prepare: () => client.plan(),
    ask: (plan) => client.ask(`/v1/payments/${plan.planId}/recipient/reveal`, {}),
  },
  {
    what: 'another link',
    prepare: linkCancelled,
    ask: (plan) => client.ask(`/v1/payments/${plan.planId}/collect/reissue`, {}),
  },
  {
    what: 'a submitted transaction',
    prepare: () => swapDue(),
    ask: (plan) => {
      const { attemptId } = stepOf(plan, 'EXECUTE_SWAP');
      const txHash = `0x${plan.planId.slice(-32).repeat(2)}`;
      return client.report(plan, 'EXECUTE_SWAP', { outcome: 'SUBMITTED', attemptId, txHash });
    },
  },
  {
    what: 'a refund',
    prepare: () => swapDue(),
    ask: (plan) => {
      const told = { ...depositOf(plan), providerReference: `RF ${plan.planId}` };
      return client.ask(`/v1/payments/${plan.planId}/refunds`, told);
    },
  },
  {
    what: 'a close',
    prepare: () => swapDue(),
    ask: (plan) => {
      const told = { reason: 'ABANDONED', acknowledge: [depositOf(plan)] };
      return client.ask(`/v1/payments/${plan.planId}/close`, told);
    },
  },
  {
    what: 'a report of a payout',
    prepare: payoutDue,
    ask: (plan) => {
      const told = { outcome: 'DONE', providerReference: `PO ${plan.planId}` };
      return client.report(plan, 'CUSTODIAN_PAYOUT', told);
    },
  },
  {
    what: 'a swap that is tried again',
    prepare: swapFailed,
    ask: (plan) => client.retry(plan, 'EXECUTE_SWAP'),
  },
  {
    what: 'another recipient',
    prepare: payoutFailed,
    ask: (plan) => {
      const recipient = { ...AUSTRALIAN, account: { bsb: '062-000', accountNumber: '87654321' } };
      return client.ask(`/v1/payments/${plan.planId}/recipient`, { recipient });
    },
  },
];

/** Cuts the connection that writes for the caller; what the service writes by itself is left alone. */
async function whileCut(
  moment: CutMoment,
  ask: () => Promise<PlanAnswer>,
  staysAway = false,
): Promise<PlanAnswer> {
  const actor = `"actor":"${service.running.demo?.username}"`;
  let isCut = false;
  const cut = proxy.cut({ moment, staysAway, isMeant: (sent) => sent.includes(actor) });
  void cut.then(() => {
    isCut = true;
  });
  const answer = await ask();
  proxy.mend();
  assert.ok(isCut, `Nothing was written for the caller: ${answer.text}`);
  return answer;
}

/** How many events of the caller's a plan has. */
async function deedsOf(plan: PaymentPlan): Promise<number> {
  for (;;) {
    const { status, json } = await client.ask(`/v1/payments/${plan.planId}/events?limit=100`);
    if (status !== 200) continue;
    const { data } = json as { data: { actor: string }[] };
    return data.filter(({ actor }) => actor === service.running.demo?.username).length;
  }
}

for (const { what, prepare, ask } of CHANGES) {
  test(`${what}: a connection lost after the commit is an answer with the change`, async () => {
    const plan = await prepare();
    const before = await deedsOf(plan);
    const answer = await whileCut('AFTER_COMMIT', () => ask(plan));
    assert.equal(answer.status, 200, answer.text);
    assert.equal(await deedsOf(plan), before + 1);
  });

  test(`${what}: a connection lost before the commit is a refusal without the change`, async () => {
    const plan = await prepare();
    const before = await deedsOf(plan);
    const answer = await whileCut('BEFORE_COMMIT', () => ask(plan));
    assertProblem(answer, 503, 'upstream-unavailable', /was not carried out/);
    assert.equal(await deedsOf(plan), before);
    assert.equal((await ask(plan)).status, 200);
  });
}

for (const { what, prepare, ask } of CHANGES)
  test(`${what}: a database that is gone after the commit is an unknown outcome`, async () => {
    const plan = await prepare();
    const before = await deedsOf(plan);
    const answer = await whileCut('AFTER_COMMIT', () => ask(plan), true);
    assertProblem(answer, 503, 'outcome-unknown', /not known whether/);
    assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
    assert.equal(await deedsOf(plan), before + 1);
  });

for (const moment of ['BEFORE_COMMIT', 'AFTER_COMMIT'] as const)
  test(`a payment whose connection is lost (${moment}) is made once and answered`, async () => {
    const request = requestOf(watched());
    const answer = await whileCut(moment, () => client.ask('/v1/payments', request));
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.headers.get('idempotent-replayed'), null);
    const again = await client.ask('/v1/payments', request);
    assert.equal(again.body.planId, answer.body.planId);
    assert.equal(await deedsOf(answer.body), 1);
  });

test('a payment whose database is gone after the commit is answered when it is sent again', async () => {
  const request = requestOf(watched());
  const answer = await whileCut('AFTER_COMMIT', () => client.ask('/v1/payments', request), true);
  assertProblem(answer, 503, 'outcome-unknown', /same clientReference/);
  let again = await client.ask('/v1/payments', request);
  while (again.status === 503) again = await client.ask('/v1/payments', request);
  assert.equal(again.headers.get('idempotent-replayed'), 'true');
});
