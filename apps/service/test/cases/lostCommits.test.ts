// The connection to the database is lost at the moment of a commit. The answer says what became of the request: it was
// carried out, it was not, or nobody knows.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type CutMoment, type DatabaseProxy, startDatabaseProxy, startTestDatabase } from '@fairway/testing';
import type { PaymentPlan } from '@fairway/wire';
import { pino } from 'pino';
import { startTestService, type TestService } from '../harness.ts';
import { callerChanges, watched } from '../callerChanges.ts';
import {
  assertProblem,
  type PaymentsClient,
  paymentsClient,
  type PlanAnswer,
  requestOf,
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

const CHANGES = callerChanges(() => client);

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
async function eventCountOf(plan: PaymentPlan): Promise<number> {
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
    const before = await eventCountOf(plan);
    const answer = await whileCut('AFTER_COMMIT', () => ask(plan));
    assert.equal(answer.status, 200, answer.text);
    assert.equal(await eventCountOf(plan), before + 1);
  });

  test(`${what}: a connection lost before the commit is a refusal without the change`, async () => {
    const plan = await prepare();
    const before = await eventCountOf(plan);
    const answer = await whileCut('BEFORE_COMMIT', () => ask(plan));
    assertProblem(answer, 503, 'upstream-unavailable', /was not carried out/);
    assert.equal(await eventCountOf(plan), before);
    assert.equal((await ask(plan)).status, 200);
  });
}

for (const { what, prepare, ask } of CHANGES)
  test(`${what}: a database that is gone after the commit is an unknown outcome`, async () => {
    const plan = await prepare();
    const before = await eventCountOf(plan);
    const answer = await whileCut('AFTER_COMMIT', () => ask(plan), true);
    assertProblem(answer, 503, 'outcome-unknown', /not known whether/);
    assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
    assert.equal(await eventCountOf(plan), before + 1);
  });

for (const moment of ['BEFORE_COMMIT', 'AFTER_COMMIT'] as const)
  test(`a payment whose connection is lost (${moment}) is made once and answered`, async () => {
    const request = requestOf(watched());
    const answer = await whileCut(moment, () => client.ask('/v1/payments', request));
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.headers.get('idempotent-replayed'), null);
    const again = await client.ask('/v1/payments', request);
    assert.equal(again.body.planId, answer.body.planId);
    assert.equal(await eventCountOf(answer.body), 1);
  });

test('a payment whose database is gone after the commit is answered when it is sent again', async () => {
  const request = requestOf(watched());
  const answer = await whileCut('AFTER_COMMIT', () => client.ask('/v1/payments', request), true);
  assertProblem(answer, 503, 'outcome-unknown', /same clientReference/);
  let again = await client.ask('/v1/payments', request);
  while (again.status === 503) again = await client.ask('/v1/payments', request);
  assert.equal(again.headers.get('idempotent-replayed'), 'true');
});
