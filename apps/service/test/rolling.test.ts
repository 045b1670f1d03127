// A rolling update: a service of the last release goes on while the database is migrated under it and a new service works
// beside it. Then the old one is killed, and every plan has its whole ledger, its claims and its status.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, test } from 'node:test';
import { openStore, type PlanScope, type Store } from '@fairway/store';
import { startTestDatabase } from '@fairway/testing';
import type { PaymentPlan, PaymentStep, SimulatedEvent } from '@fairway/wire';
import { Client } from 'pg';
import { type Caller, callerOf, fairway, payment, type RECIPIENT_KINDS, urlOf } from './paymentCalls.ts';
import { endEverything, runToEnd, startProcess } from './processHarness.ts';
import { hasCommit, isShallow, lastRelease, unpack } from './releasedVersion.ts';
import { startSecondInstance } from './secondInstance.ts';

const closings: (() => Promise<unknown>)[] = [];
after(async () => {
  await endEverything();
  for (const close of closings.reverse()) await close();
});

const { version, commit } = lastRelease();
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
    `select plan_id, role, tx_hash, log_index from settlements where to_jsonb(settlements) ->> 'lost_at' is null
     order by 1, 2, 3, 4`,
  );
  return rows;
}

/**
 * Waits until no ledger is behind. One sweep of the new service may leave `fresh`, `partial` and `late` behind, mostly the last
 * two: every 30 s, and with each block, the old service looks at every plan whose deposit it waits for. It writes nothing then,
 * but it locks each plan for some milliseconds, and a sweep passes over plans that are locked. They are brought up to date by
 * the next sweep, 30 s later, or by the one after it where both fall together again.
 */
async function untilCaughtUp(client: Client): Promise<void> {
  for (let tries = 0; tries < 900; tries += 1) {
    const behind = 'select from plans where ledger_revision is distinct from revision';
    if ((await client.query(behind)).rowCount === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const { rows } = await client.query('select plan_id, revision, ledger_revision, status from plans');
  assert.fail(`The ledgers did not catch up: ${JSON.stringify(rows)}`);
}

/** The recipient of the old service's collect plan is found by the address, and the old service's changes are listed by the new one. */
async function assertRounds(old: Caller, young: Caller, { planId }: PaymentPlan): Promise<void> {
  const list = async (query: string) => {
    const { status, text } = await young(`/v1/collect_requests?${query}`);
    assert.equal(status, 200, text);
    return (JSON.parse(text) as { data: { planId: string; status: string }[] }).data;
  };
  const noted = () => list('email=orla.finch@example.com');
  for (let tries = 0; tries < 900 && (await noted()).length === 0; tries += 1)
    await new Promise((resolve) => setTimeout(resolve, 100));
  assert.deepEqual(
    (await noted()).map((each) => each.planId),
    [planId],
  );
  await asked(old, `/v1/payments/${planId}/collect/cancel`, {});
  assert.deepEqual(
    (await list(`planId=${planId}&status=CANCELLED`)).map((each) => each.status),
    ['CANCELLED'],
  );
}

/** Only a shallow clone may lack the last release: in any other one the name of its commit is wrong. */
const skip =
  isShallow() && !hasCommit(commit)
    ? `NOT TESTED: this clone lacks ${commit} of ${version}; git fetch --unshallow brings it`
    : false;

/** The last release on a database of its own, with plans of all kinds. */
async function startOld() {
  const database = await startTestDatabase();
  closings.push(() => database.close());
  const client = new Client(database.connection);
  await client.connect();
  closings.push(() => client.end());
  const place = { ...env, DATABASE_URL: urlOf(database.connection) };
  const service = await startProcess(['--port', '0'], [process.execPath, unpack(commit), 'start'], place);
  const ask = callerOf(service.ready.url, service.ready);
  return { database, client, place, service, ask, plans: await plansOfAllKinds(ask) };
}

type Old = Awaited<ReturnType<typeof startOld>>;

/** Migrates the database while the old service works on it. Answers two plans that it made meanwhile and after. */
async function migrateUnder({ ask, place, plans }: Old) {
  const migrating = runToEnd([...fairway, 'migrate'], place);
  const during = await planned(ask, 'bank', 'deposit.exact', 'swap.done');
  const migrated = await migrating;
  assert.equal(migrated.code, 0, migrated.output);
  assert.match(migrated.output, /0011-ledger/);
  await play(ask, plans.deposited, 'swap.done');
  return { during, after: await planned(ask, 'bank', 'deposit.exact', 'swap.done') };
}

/** A new service beside the old one, acting for the same organisation. */
async function startNew({ service, place }: Old): Promise<Caller> {
  const { ready: first } = service;
  const ground = { first, login: first, databaseUrl: place.DATABASE_URL, env };
  return callerOf((await startSecondInstance(ground)).ready.url, first);
}

/** Both services change plans that the other one has changed. */
async function takeTurns({ ask: old, plans: { due, fresh } }: Old, young: Caller, plan: PaymentPlan) {
  const paid = await report(young, due, { outcome: 'DONE', providerReference: 'NEW-1' });
  assert.equal(paid.status, 'COMPLETED');
  assert.equal((await asked(old, `/v1/payments/${due.planId}`)).status, 'COMPLETED');
  await play(old, due, 'payout.returned');
  const { funds } = await asked(young, `/v1/payments/${due.planId}`);
  assert.equal(funds.at(-1)?.returned, funds.at(-1)?.paidOut, 'a return that the old one recorded');
  await play(old, fresh, 'deposit.exact');
  await asked(young, `/v1/payments/${fresh.planId}/steps/${stepOf(fresh, 'EXECUTE_SWAP')}/refresh`, {});
  await report(young, plan, { outcome: 'FAILED', failure: { code: 'OTHER' } });
  await asked(old, `/v1/payments/${plan.planId}/steps/${stepOf(plan, 'CUSTODIAN_PAYOUT')}/retry`, {});
  await report(young, plan, { outcome: 'DONE', providerReference: 'NEW-2' });
}

function statusesOf(ask: Caller, plans: readonly PaymentPlan[]): Promise<readonly string[]> {
  const statusOf = async ({ planId }: PaymentPlan) => {
    const { status, steps } = await asked(ask, `/v1/payments/${planId}`);
    return [status, ...steps.map((step) => step.status)].join(' ');
  };
  return Promise.all(plans.map(statusOf));
}

/** The movements that reports have of before a time, once it is sealed. */
async function reportedBefore(
  { reports }: Store,
  scope: PlanScope,
  toMs: number,
): Promise<readonly string[]> {
  for (;;) {
    const booked = await reports.bookMovements(scope, toMs, 100);
    assert.ok(booked.ok);
    if (booked.isSealed) break;
  }
  const read = await reports.reportedMovements(scope, { fromMs: 0, toMs, filter: {}, limit: 1_000 });
  assert.ok(read.ok && read.next === undefined);
  return read.movements.map(({ movement }) => movement.movementId);
}

async function scopeIn(client: Client): Promise<PlanScope> {
  const { rows } = await client.query<{ id: string }>('select distinct organisation_id as id from plans');
  assert.equal(rows.length, 1);
  return { organisationId: rows[0]?.id ?? '', environment: 'sandbox' };
}

test('a service of the last release goes on while a new one takes over', {
  skip,
  timeout: 300_000,
}, async () => {
  const old = await startOld();
  const { client, database } = old;
  const claims = await claimsIn(client);
  const more = await migrateUnder(old);
  const young = await startNew(old);
  await untilCaughtUp(client);
  const opened = await openStore({ connection: database.connection, sealingKeys: [{ id: 'k1', key }] });
  assert.ok(opened.ok);
  closings.push(() => opened.store.close());
  const scope = await scopeIn(client);
  const sealedMs = Date.now();
  const sealed = await reportedBefore(opened.store, scope, sealedMs);
  await takeTurns(old, young, more.after);
  await assertRounds(old.ask, young, old.plans.collect);
  const plans = [...Object.values(old.plans), ...Object.values(more)];
  const told = await statusesOf(old.ask, plans);
  assert.deepEqual(await statusesOf(young, plans), told);
  old.service.child.kill('SIGKILL');
  await old.service.ended;
  assert.deepEqual(await statusesOf(young, plans), told);

  const audited = await opened.store.ledger.audit(0, () => {});
  assert.ok(audited.ok);
  const { left: _, ...found } = audited.findings;
  assert.deepEqual(found, { plans: plans.length, faults: [] });
  const kept = new Set((await claimsIn(client)).map((claim) => JSON.stringify(claim)));
  for (const claim of claims) assert.ok(kept.has(JSON.stringify(claim)), `${JSON.stringify(claim)} was lost`);
  assert.ok(sealed.length > 10);
  assert.deepEqual(await reportedBefore(opened.store, scope, sealedMs), sealed, 'what was reported stays');
  const all = await reportedBefore(opened.store, scope, Date.now() + 60_000);
  const { rows: moved } = await client.query<{ count: string }>('select count(*) from movements');
  assert.equal(new Set(all).size, Number(moved[0]?.count), 'and what came since is in the next report');
  assert.deepEqual(all.slice(0, sealed.length), sealed);
});
