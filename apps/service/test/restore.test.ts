// A database is put back from a backup, and swaps were executed since: nobody is asked to pay a second time.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Event, EventList, PaymentPlan, Report } from '@fairway/wire';
import { followEvents } from '../src/cli/listen/followEvents.ts';
import { basic } from './harness.ts';
import type { Call, KeyWallet } from './keyWallet.ts';
import { type Login, makeLogin } from './paymentCalls.ts';
import {
  assertProblem,
  type PaymentsClient,
  type PaymentsTest,
  startPaymentsTest,
  stepOf,
} from './paymentsHarness.ts';
import { endEverything, freshFolder } from './processHarness.ts';
import {
  type Backup,
  backUpFiles,
  backUpTables,
  type CopiedDatabase,
  endDatabases,
  startOn,
} from './restoreHarness.ts';
import { commandOn, serveOn, stopService } from './restoredService.ts';
import { runFairway, type StartedService } from './commandHarness.ts';

const AMOUNT_IN = 60_000_000n;

/** The sandbox, whose chain goes on while the database of another service is put back. */
let sandbox: PaymentsTest;
let login: Login;
/** A plan whose last instructions the backups do not have, and one whose deposit came after them. */
let [refreshed, unpaid]: PaymentPlan[] = [];
/** Plans that the backups do not have at all: one whose deposit waits for its swap, and one that was swapped. */
let [lost, lostAndSwapped]: LostPlan[] = [];
let backedUpAt: string;
/** What a listener knew before the database was put back: its place, and the newest sequence of each subject. */
let listened: { readonly after: string; readonly sequences: ReadonlyMap<string, number> };
let backups: Readonly<Record<'files' | 'tables', Backup>>;

before(async () => {
  sandbox = await startPaymentsTest();
  const database = await startOn();
  login = await makeLogin({ databaseUrl: database.url }, 'Acme');
  const live = await serveOn(sandbox, database, login);
  const payer = await sandbox.freshWallet();
  const ready = await planOf(live.client, payer);
  await sandbox.give(payer.address, 'USDC', AMOUNT_IN);
  const due = await live.client.until(ready, 'the swap is due', isDue);
  const late = await sandbox.freshWallet();
  const waiting = await planOf(live.client, late);
  backedUpAt = new Date().toISOString();
  await isComplete(live.client, await orderReport(live.service.ready.url));
  backups = { files: await backUpFiles(database), tables: await backUpTables(database) };
  const { body: fresh } = await live.client.again(due, { slippageBps: 70 });
  refreshed = await swapped(live.client, fresh, payer);
  await sandbox.give(late.address, 'USDC', AMOUNT_IN);
  unpaid = await swapped(live.client, await live.client.until(waiting, 'the swap is due', isDue), late);
  lost = await depositedPlan(live.client);
  lostAndSwapped = await depositedPlan(live.client);
  await swapped(live.client, lostAndSwapped.plan, lostAndSwapped.wallet);
  // The address has the same amount of other money, so that its balance does not show that the deposit is gone.
  await sandbox.give(lostAndSwapped.wallet.address, 'USDC', AMOUNT_IN);
  listened = await listenerOf(live.client);
  await stopService(live.service);
});
after(async () => {
  await endEverything();
  await endDatabases();
  await sandbox?.close();
});

/** Orders a report, which the backup has, and which has changed since its time. Returns its id. */
async function orderReport(url: string): Promise<string> {
  const headers = {
    authorization: basic(login.username, login.password),
    'content-type': 'application/json',
  };
  const [from, to] = [0, 3_600_000].map((ms) => new Date(Date.now() - 86_400_000 + ms).toISOString());
  const body = JSON.stringify({ type: 'movements', format: 'csv', from, to });
  const ordered = await fetch(`${url}/v1/reports`, { method: 'POST', headers, body });
  assert.equal(ordered.status, 202);
  return ((await ordered.json()) as Report).reportId;
}

const isDue = (plan: PaymentPlan) => plan.steps[1]?.status === 'READY';
const isSwapped = (plan: PaymentPlan) => plan.steps[1]?.status === 'DONE';
const swapOf = (plan: PaymentPlan) => stepOf(plan, 'EXECUTE_SWAP');

function planOf(client: PaymentsClient, { address }: KeyWallet): Promise<PaymentPlan> {
  const options = { mode: 'STANDARD', depositAddress: address };
  return client.plan({ amountIn: String(AMOUNT_IN), options });
}

/** The plan once its wallet has executed its instructions. */
async function swapped(client: PaymentsClient, plan: PaymentPlan, wallet: KeyWallet): Promise<PaymentPlan> {
  const call: Call | undefined = swapOf(plan).instructions?.at(-1);
  assert.ok(call);
  await wallet.approve(sandbox.token('USDC'), call.to, AMOUNT_IN);
  await wallet.execute([call]);
  return client.until(plan, 'the swap is found', isSwapped);
}

type LostPlan = { readonly plan: PaymentPlan; readonly wallet: KeyWallet; readonly txHash: string };

async function depositedPlan(client: PaymentsClient): Promise<LostPlan> {
  const wallet = await sandbox.freshWallet();
  const made = await planOf(client, wallet);
  await sandbox.give(wallet.address, 'USDC', AMOUNT_IN);
  const plan = await client.until(made, 'the swap is due', isDue);
  const [transfer] = stepOf(plan, 'AWAIT_DEPOSIT').deposit?.transfers ?? [];
  assert.ok(transfer);
  return { plan, wallet, txHash: transfer.txHash };
}

type Marked = { epoch: number; isNew: boolean; chains: readonly unknown[]; republishedReports: number };

/** Marks the restore as an operator does, twice: the second time begins no other epoch. */
async function markRestore(database: CopiedDatabase): Promise<void> {
  const file = join(freshFolder(), 'audit.log');
  const marked = [];
  for (const isNew of [true, false]) {
    const printed = await commandOn(
      database,
      ...['recover', '--since', backedUpAt, '--audit-log', file, '--json'],
    );
    const told = JSON.parse(printed) as Marked;
    assert.deepEqual([told.isNew, told.chains.length, told.republishedReports], [isNew, 1, 1]);
    marked.push(told.epoch);
  }
  assert.equal(marked[0], marked[1]);
  assert.equal(readFileSync(file, 'utf8').match(/"RESTORE_MARKED"/g)?.length, 2);
}

for (const from of ['tables', 'files'] as const)
  test(`restored from ${from}, plans that were swapped since are not swapped again`, async () => {
    const database = await backups[from].restore();
    if (from === 'tables') await markRestore(database);
    const { service, client } = await serveOn(sandbox, database, login);
    if (from === 'tables') await listenerEndsRight(service, client);
    for (const real of [refreshed, unpaid]) {
      assert.ok(real);
      const before = await client.get(real.planId);
      const found = await client.until(before, 'the swap is found again', isSwapped);
      const [was, is] = [swapOf(real), swapOf(found)];
      assert.equal(is.evidence?.txHash, was.evidence?.txHash);
      assert.deepEqual(
        is.attempts?.map(({ attemptId, outcome, minAmountOut }) => [attemptId, outcome, minAmountOut]),
        was.attempts?.map(({ attemptId, outcome, minAmountOut }) => [attemptId, outcome, minAmountOut]),
      );
      assert.deepEqual([was.instructions, is.instructions], [[], []], 'nothing is to be executed again');
      const derived = (await client.events(found)).filter(({ type }) => type === 'INSTRUCTED');
      assert.ok(derived.length <= 1, 'nothing is derived after the restore');
      const { status, problem } = await client.again(found);
      assert.deepEqual([status, problem.code], [409, 'step-not-ready']);
    }
    await madeAgain(client, from === 'tables');
    await stopService(service);
    const audit = await runFairway(['audit', 'ledger', '--json'], { DATABASE_URL: database.url });
    assert.equal(audit.code, 0, audit.output);
    const { stray } = JSON.parse(audit.printed) as { stray: readonly { kind: string; to: string }[] };
    assert.deepEqual(
      stray.map(({ kind }) => kind),
      ['SWAP'],
      'the swap of the lost plan alone is the swap of no plan',
    );
    await database.postgres.close();
  });

/** The state of a listener that has taken every event. */
async function listenerOf(client: PaymentsClient): Promise<typeof listened> {
  const sequences = new Map<string, number>();
  for (let after = ''; ; ) {
    const { json } = await client.ask(`/v1/events?limit=100${after}`);
    const { data, nextCursor } = json as EventList;
    if (data.length === 0) return { after: nextCursor, sequences };
    for (const { subject, sequence } of data) sequences.set(subject.id, sequence);
    after = `&after=${nextCursor}`;
  }
}

/** Waits until the report is told to be complete, and with it all earlier events. The backup then has no unpublished event. */
async function isComplete(client: PaymentsClient, reportId: string): Promise<void> {
  for (;;) {
    const { json } = await client.ask('/v1/events?type=report.completed');
    if ((json as EventList).data.some(({ subject }) => subject.id === reportId)) return;
    await sleep(50);
  }
}

/**
 * A listener from before the restore goes on with its place in the lost time. It drops what it has seen, and has the plans as they
 * are.
 */
async function listenerEndsRight({ ready }: StartedService, client: PaymentsClient): Promise<void> {
  const plans = [refreshed, unpaid].map((plan) => plan?.planId ?? assert.fail());
  const ending = new AbortController();
  const deadline = setTimeout(() => ending.abort(), 60_000);
  const sequences = new Map(listened.sequences);
  const newest = new Map<string, Event>();
  const types: string[] = [];
  const isRight = async (planId: string) => {
    const told = newest.get(planId)?.data.object as PaymentPlan | undefined;
    return told !== undefined && isSwapped(told) && told.revision === (await client.get(planId)).revision;
  };
  const access = { ...login, url: ready.url };
  const { after } = listened;
  for await (const { text } of followEvents({
    ...{ access, after, types: undefined, signal: ending.signal, onLost: assert.fail, onFound: assert.fail },
  })) {
    if (text === undefined) continue;
    const event = JSON.parse(text) as Event;
    types.push(event.type);
    if (event.sequence <= (sequences.get(event.subject.id) ?? 0)) continue;
    sequences.set(event.subject.id, event.sequence);
    newest.set(event.subject.id, event);
    if ((await Promise.all(plans.map(isRight))).every(Boolean)) ending.abort();
  }
  clearTimeout(deadline);
  assert.equal(types[0], 'service.recovered');
  for (const planId of plans) assert.ok(await isRight(planId), planId);
}

/**
 * Plans that the backup did not have are made again. An older deposit counts if a restore is marked and the money is still
 * there.
 */
async function madeAgain(client: PaymentsClient, isMarked: boolean): Promise<void> {
  for (const { wallet, txHash, plan: was } of [lost, lostAndSwapped].filter((one) => one !== undefined)) {
    const again = await planOf(client, wallet);
    assert.notEqual(again.planId, was.planId);
    const report = { outcome: 'DONE', txHash } as const;
    const unnamed = await client.report(again, 'AWAIT_DEPOSIT', { outcome: 'DONE' });
    assertProblem(unnamed, 409, 'evidence-mismatch', /has received 0 USDC .* of 60 USDC/);
    const says = /It holds 60 USDC .* A backup of 20.* was put back.*: report it with its txHash\./;
    assert.equal(says.test(unnamed.problem.detail), isMarked, unnamed.problem.detail);
    const told = await client.report(again, 'AWAIT_DEPOSIT', report);
    if (!isMarked || wallet === lostAndSwapped?.wallet) {
      const why = isMarked ? /swapped from the deposit address since then/ : /mined before the plan was made/;
      assertProblem(told, 409, 'evidence-mismatch', why);
      continue;
    }
    assert.equal(told.status, 200);
    const due = await client.until(told.body, 'the swap is due again', isDue);
    const { deposit, verification } = stepOf(due, 'AWAIT_DEPOSIT');
    assert.deepEqual([deposit?.received, verification], [String(AMOUNT_IN), 'VERIFIED']);
    const repeated = await client.report(due, 'AWAIT_DEPOSIT', report);
    assert.deepEqual([repeated.status, repeated.body.revision], [200, due.revision]);
  }
}
