// One process of several has a wrong clock. It ends nobody's plan, blames no caller, and says what is wrong with it.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startTestDatabase } from '@fairway/testing';
import type { Health, PaymentPlan } from '@fairway/wire';
import { Client } from 'pg';
import { SANDBOX_SEALING_KEY } from '../../src/platform/config/sealingKeys.ts';
import { basic, startTestService, type TestService } from '../harness.ts';
import { urlOf } from '../paymentCalls.ts';
import {
  assertProblem,
  freshAddress,
  type PaymentsClient,
  paymentsClient,
  requestOf,
} from '../paymentsHarness.ts';
import { endEverything } from '../processHarness.ts';
import { startSecondProcess } from '../secondInstance.ts';

const HOUR_MS = 3_600_000;

let database: Awaited<ReturnType<typeof startTestDatabase>>;
let service: TestService;
let client: PaymentsClient;
/** A process whose clock is two hours ahead, and one whose clock is an hour behind. */
let ahead: PaymentsClient;
let behind: PaymentsClient;

before(async () => {
  database = await startTestDatabase();
  const databaseUrl = urlOf(database.connection);
  service = await startTestService([], { database: { kind: 'SERVER', url: databaseUrl } });
  client = paymentsClient(service.url, service.authorization);
  [ahead, behind] = (await Promise.all(
    [2 * HOUR_MS, -HOUR_MS].map((aheadMs) => startShifted(aheadMs, databaseUrl)),
  )) as [PaymentsClient, PaymentsClient];
});
after(async () => {
  await endEverything();
  await service?.close();
  await database?.close();
});

async function startShifted(aheadMs: number, databaseUrl: string): Promise<PaymentsClient> {
  const { url, demo } = service.running;
  assert.ok(demo);
  const { ready } = await startSecondProcess({
    first: { ...demo, url },
    login: demo,
    databaseUrl,
    nodeArgs: ['--import', './apps/service/test/shiftedClock.ts'],
    env: { FC_CLOCK_AHEAD_MS: String(aheadMs), FAIRWAY_SEALING_KEYS: sealingKey() },
  });
  return paymentsClient(ready.url, basic(demo.username, demo.password));
}

/** What a process says of itself once it has read its market. */
async function healthOf({ ask }: PaymentsClient): Promise<Health> {
  for (;;) {
    const health = (await ask('/health')).json as Health;
    if (health.chains[0]?.status !== 'SYNCING') return health;
    await sleep(20);
  }
}

/** The sandbox's published key, so that all processes open the same details. */
function sealingKey(): string {
  assert.ok(SANDBOX_SEALING_KEY.kind === 'BYTES');
  return `${SANDBOX_SEALING_KEY.id}:${SANDBOX_SEALING_KEY.key.toString('hex')}`;
}

/** A plan that has one hour to live by the database's clock. */
async function shortLived(): Promise<PaymentPlan> {
  const plan = await client.plan({ options: { mode: 'STANDARD', depositAddress: freshAddress() } });
  const sql = new Client(database.connection);
  await sql.connect();
  await sql.query(`update plans set expires_at = now() + interval '1 hour' where plan_id = $1`, [
    plan.planId,
  ]);
  await sql.end();
  return plan;
}

for (const [name, clientOf, detail] of [
  ['two hours ahead', () => ahead, /7200 s ahead of the database's/],
  ['an hour behind', () => behind, /3600 s behind the database's/],
] as const)
  test(`a process whose clock is ${name} says so, is not ready and quotes nothing`, async () => {
    const { status, chains } = await healthOf(clientOf());
    assert.deepEqual([status, chains[0]?.status], ['DEGRADED', 'CLOCK_DIFFERS']);
    assert.match(chains[0]?.detail ?? '', detail);
    assert.equal((await clientOf().ask('/readyz')).status, 503);
    assertProblem(await clientOf().ask('/v1/payments', requestOf()), 503, 'market-stale', detail);
  });

test('a process whose clock is two hours ahead expires nobody', async () => {
  const plan = await shortLived();
  assert.equal((await ahead.get(plan.planId)).next?.why, 'DEPOSIT_MISSING');
  // The process also has time to do jobs and to watch the chain.
  await sleep(2_000);
  assert.equal((await client.get(plan.planId)).next?.why, 'DEPOSIT_MISSING');
});

test('a process whose clock is an hour behind takes a report of what just happened', async () => {
  const plan = await client.plan();
  const occurredAt = new Date().toISOString();
  const { status, text, body } = await behind.report(plan, 'AWAIT_DEPOSIT', { outcome: 'DONE', occurredAt });
  assert.equal(status, 200, text);
  // The time of the change is the database's, as that of every change.
  assert.ok(Math.abs(Date.parse(body.updatedAt) - Date.now()) < 60_000, body.updatedAt);
});
