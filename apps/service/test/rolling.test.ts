// A rolling restart: a second service works beside the first one, while a made-up second version migrates the database under
// both. Then the first one is killed, and every plan has its whole ledger, its claims and its status.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, test } from 'node:test';
import { lockTables, type Migrations, migrateDatabase } from '@fairway/postgres';
import { openStore, type PlanScope, type Store } from '@fairway/store';
import { startTestDatabase } from '@fairway/testing';
import type { PaymentPlan, PaymentStep, SimulatedEvent } from '@fairway/wire';
import { Client } from 'pg';
import { type Caller, callerOf, fairway, payment, type RECIPIENT_KINDS, urlOf } from './paymentCalls.ts';
import { endEverything, runToEnd, startProcess } from './processHarness.ts';
import { startSecondProcess } from './secondInstance.ts';

const closings: (() => Promise<unknown>)[] = [];
after(async () => {
  await endEverything();
  for (const close of closings.reverse()) await close();
});

const key = Buffer.alloc(32, 7);
const env = { FAIRWAY_SEALING_KEYS: `k1:${key.toString('hex')}` };

async function asked(ask: Caller, path: string, body?: unknown): Promise<PaymentPlan> {
  const reply = await ask(path, body);
  assert.equal(reply.status, 200, `${path} ${reply.text}`);
  return reply.body;
}

function stepOf(plan: PaymentPlan, type: PaymentStep['type']): string {
  return plan.steps.find((step) => step.type === type)?.stepId ?? assert.fail(type);
}

const TYPES = {
  deposit: 'AWAIT_DEPOSIT',
  swap: 'EXECUTE_SWAP',
  payout: 'CUSTODIAN_PAYOUT',
} as const;

function play(ask: Caller, plan: PaymentPlan, event: SimulatedEvent): Promise<PaymentPlan> {
  const type = TYPES[event.split('.')[0] as keyof typeof TYPES];
  const path = `/v1/sandbox/payments/${plan.planId}/steps/${stepOf(plan, type)}/simulate`;
  return asked(ask, path, { event });
}

function report(ask: Caller, plan: PaymentPlan, body: object): Promise<PaymentPlan> {
  const stepId = stepOf(plan, 'CUSTODIAN_PAYOUT');
  return asked(ask, `/v1/payments/${plan.planId}/steps/${stepId}/reports`, body);
}

let made = 0;
/** A new plan of a kind, in which these things have happened. */
async function planned(
  ask: Caller,
  kind: (typeof RECIPIENT_KINDS)[number],
  ...events: readonly SimulatedEvent[]
): Promise<PaymentPlan> {
  made += 1;
  const depositAddress = `0x${randomBytes(20).toString('hex')}`;
  const options = kind === 'email' ? { mode: 'DIGITAL_COLLECT' } : { mode: 'STANDARD', depositAddress };
  let plan = await asked(ask, '/v1/payments', payment(kind, `ROLLING-${made}`, { options }));
  for (const event of events) plan = await play(ask, plan, event);
  return plan;
}

/** Plans at every stage of their lives. */
async function plansOfAllKinds(ask: Caller) {
  return {
    fresh: await planned(ask, 'bank'),
    partial: await planned(ask, 'iban', 'deposit.partial'),
    deposited: await planned(ask, 'bank', 'deposit.exact'),
    due: await planned(ask, 'bank', 'deposit.exact', 'swap.done'),
    paid: await planned(ask, 'emoney', 'deposit.exact', 'swap.done', 'payout.done'),
    paidWallet: await planned(ask, 'wallet', 'deposit.over', 'swap.done', 'payout.done'),
    returned: await planned(ask, 'bank', 'deposit.exact', 'swap.done', 'payout.done', 'payout.returned'),
    late: await planned(ask, 'bank', 'deposit.late'),
    collect: await planned(ask, 'email', 'deposit.exact', 'swap.done'),
  };
}

type Claim = {
  readonly plan_id: string;
  readonly role: string;
  readonly tx_hash: string;
  readonly log_index: number;
};

async function claimsIn(client: Client): Promise<readonly Claim[]> {
  const { rows } = await client.query<Claim>(
    `select plan_id, role, tx_hash, log_index from settlements where lost_at is null
     order by 1, 2, 3, 4`,
  );
  return rows;
}

/** One service acts on a collect plan, and the other one lists the result. */
async function assertRounds(first: Caller, second: Caller, { planId }: PaymentPlan): Promise<void> {
  const list = async (query: string) => {
    const { status, text } = await second(`/v1/collect_requests?${query}`);
    assert.equal(status, 200, text);
    return (JSON.parse(text) as { data: { planId: string; status: string }[] }).data;
  };
  const [found] = await list('email=orla.finch@example.com');
  assert.equal(found?.planId, planId);
  const path = `/v1/payments/${planId}`;
  const { revision } = await asked(first, path);
  const seen = { 'if-match': `"${revision}"` };
  const ended = await first(`${path}/end`, { reason: 'ABANDONED' }, undefined, seen);
  assert.equal(ended.status, 200, ended.text);
  const [cancelled] = await list(`planId=${planId}`);
  assert.equal(cancelled?.status, 'CANCELLED');
}

/** A service on a database of its own, with plans of all kinds. */
async function startFirst() {
  const database = await startTestDatabase();
  closings.push(() => database.close());
  const client = new Client(database.connection);
  await client.connect();
  closings.push(() => client.end());
  const place = { ...env, DATABASE_URL: urlOf(database.connection) };
  const service = await startProcess(['--port', '0'], place);
  const ask = callerOf(service.ready.url, service.ready);
  return { database, client, place, service, ask, plans: await plansOfAllKinds(ask) };
}

type First = Awaited<ReturnType<typeof startFirst>>;

/** A second service beside the first one, acting for the same organisation. */
async function startSecond({ service, place }: First): Promise<Caller> {
  const { ready: first } = service;
  const ground = { first, login: first, databaseUrl: place.DATABASE_URL, env };
  return callerOf((await startSecondProcess(ground)).ready.url, first);
}

const SECOND_VERSION: Migrations = {
  '0001-initial': { up: () => assert.fail('It was applied before.') },
  '0002-made-up': {
    up: async (database) => {
      await lockTables(['plans', 'events'], 'access exclusive').execute(database);
      for (const table of ['plans', 'events'])
        await database.schema.alterTable(table).addColumn('made_up', 'text').execute();
    },
  },
};

/** Migrates the database while the services work on it. Answers two plans that were made meanwhile and after. */
async function migrateUnder({ ask, database, place, plans }: First) {
  const migrating = migrateDatabase(database.connection, SECOND_VERSION, () => {});
  const during = await planned(ask, 'bank', 'deposit.exact', 'swap.done');
  assert.deepEqual(await migrating, { ok: true, applied: ['0002-made-up'] });
  const refused = await runToEnd([...fairway, 'migrate'], place);
  assert.equal(refused.code, 1, refused.output);
  assert.match(refused.output, /migrations that this version does not know: 0002-made-up/);
  await play(ask, plans.deposited, 'swap.done');
  return { during, after: await planned(ask, 'bank', 'deposit.exact', 'swap.done') };
}

/** Both services change plans that the other one has changed. */
async function takeTurns({ ask: first, plans: { due, fresh } }: First, second: Caller, plan: PaymentPlan) {
  const paid = await report(second, due, { outcome: 'DONE', providerReference: 'SECOND-1' });
  assert.equal(paid.status, 'COMPLETED');
  assert.equal((await asked(first, `/v1/payments/${due.planId}`)).status, 'COMPLETED');
  await play(first, due, 'payout.returned');
  const { funds = [] } = await asked(second, `/v1/payments/${due.planId}`);
  assert.equal(funds.at(-1)?.returned, funds.at(-1)?.paidOut, 'a return that the first one recorded');
  await play(first, fresh, 'deposit.exact');
  await asked(second, `/v1/payments/${fresh.planId}/again`, {});
  await report(second, plan, { outcome: 'FAILED', failure: { code: 'OTHER' } });
  await asked(first, `/v1/payments/${plan.planId}/again`, {});
  await report(second, plan, { outcome: 'DONE', providerReference: 'SECOND-2' });
}

function statusesOf(ask: Caller, plans: readonly PaymentPlan[]): Promise<readonly string[]> {
  const statusOf = async ({ planId }: PaymentPlan) => {
    const { status, steps } = await asked(ask, `/v1/payments/${planId}`);
    return [status, ...steps.map((step) => step.status)].join(' ');
  };
  return Promise.all(plans.map(statusOf));
}

/** The movements that reports have of before a time, once it is sealed. */
async function movementsBefore(
  { reports }: Store,
  scope: PlanScope,
  toMs: number,
): Promise<readonly string[]> {
  for (;;) {
    const booked = await reports.bookMovements(scope, toMs, 100);
    if (booked.isSealed) break;
  }
  const read = await reports.movementsOfPeriod(scope, { fromMs: 0, toMs, filter: {}, limit: 1_000 });
  assert.ok(read.next === undefined);
  return read.movements.map(({ movement }) => movement.movementId);
}

async function scopeIn(client: Client): Promise<PlanScope> {
  const { rows } = await client.query<{ id: string }>('select distinct organisation_id as id from plans');
  assert.equal(rows.length, 1);
  return { organisationId: rows[0]?.id ?? '', environment: 'sandbox' };
}

test('a second service takes over while a later version migrates the database', {
  timeout: 300_000,
}, async () => {
  const first = await startFirst();
  const { client, database } = first;
  const claims = await claimsIn(client);
  const opened = await openStore({ connection: database.connection, sealingKeys: [{ id: 'k1', key }] });
  assert.ok(opened.ok);
  closings.push(() => opened.store.close());
  const second = await startSecond(first);
  const more = await migrateUnder(first);
  const scope = await scopeIn(client);
  const sealedMs = Date.now();
  const sealed = await movementsBefore(opened.store, scope, sealedMs);
  await takeTurns(first, second, more.after);
  await assertRounds(first.ask, second, first.plans.collect);
  const plans = [...Object.values(first.plans), ...Object.values(more)];
  const told = await statusesOf(first.ask, plans);
  assert.deepEqual(await statusesOf(second, plans), told);
  first.service.child.kill('SIGKILL');
  await first.service.ended;
  assert.deepEqual(await statusesOf(second, plans), told);

  const audited = await opened.store.ledger.audit(0, () => {});
  assert.equal(audited.findings.plans, plans.length);
  assert.deepEqual(audited.findings.faults, []);
  const kept = new Set((await claimsIn(client)).map((claim) => JSON.stringify(claim)));
  for (const claim of claims) assert.ok(kept.has(JSON.stringify(claim)), `${JSON.stringify(claim)} was lost`);
  assert.ok(sealed.length > 10);
  assert.deepEqual(await movementsBefore(opened.store, scope, sealedMs), sealed, 'what was reported stays');
  const all = await movementsBefore(opened.store, scope, Date.now() + 60_000);
  const { rows: moved } = await client.query<{ count: string }>('select count(*) from movements');
  assert.equal(new Set(all).size, Number(moved[0]?.count), 'and what came since is in the next report');
  assert.deepEqual(all.slice(0, sealed.length), sealed);
});
