// A database is put back from a backup, and payments were tried again since: they ask for no second payment under another id.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PaymentPlan } from '@fairway/wire';
import { simpleParser } from 'mailparser';
import { codeIn, DESTINATIONS, freshEmail, postForm, tokenIn } from './collectCalls.ts';
import type { KeyWallet } from './keyWallet.ts';
import { type Login, makeLogin } from './paymentCalls.ts';
import {
  AUSTRALIAN,
  freshReference,
  type PaymentsTest,
  type PlanAnswer,
  startPaymentsTest,
  stepOf,
} from './paymentsHarness.ts';
import { endEverything } from './processHarness.ts';
import { type Backup, backUpTables, type CopiedDatabase, endDatabases, startOn } from './restoreHarness.ts';
import { commandOn, type Served, serveOn, stopService } from './restoredService.ts';
import { startSmtpServer } from './smtpHarness.ts';

const AMOUNT_IN = 60_000_000n;
const OTHER = { ...AUSTRALIAN, account: { bsb: '062-000', accountNumber: '87654321' } };

/** The plans of the backup, by what becomes of them in the time that is lost. */
type Plans = Readonly<
  Record<'returned' | 'replaced' | 'parted' | 'collected' | 'invited' | 'back', PaymentPlan>
>;

let sandbox: PaymentsTest;
let smtp: Awaited<ReturnType<typeof startSmtpServer>>;
let login: Login;
let plans: Plans;
let backup: Backup;
let backedUpAt: string;
/** The ids that the custodian was given in the time that is lost. */
let given: Readonly<Record<string, readonly string[]>>;
/** Payments that the backup does not have at all: one whose deposit is there, one that was swapped, one that waits. */
let lost: { readonly deposited: Lost; readonly swapped: Lost; readonly waiting: Lost };

type Lost = { readonly request: object; readonly wallet: KeyWallet; readonly plan: PaymentPlan };

before(async () => {
  sandbox = await startPaymentsTest();
  smtp = await startSmtpServer();
  const database = await startOn();
  login = await makeLogin({ databaseUrl: database.url }, 'Acme');
  const live = await serveOn(sandbox, database, login, smtp.url);
  plans = await plansOf(live);
  backedUpAt = new Date().toISOString();
  backup = await backUpTables(database);
  given = await lostTime(live, plans);
  const [deposited, swapped, waiting] = [await madeLost(live), await madeLost(live), await madeLost(live)];
  for (const { wallet } of [deposited, swapped]) await sandbox.give(wallet.address, 'USDC', AMOUNT_IN);
  await swappedBy(live, swapped.plan, swapped.wallet);
  lost = { deposited, swapped, waiting };
  await stopService(live.service);
});
after(async () => {
  await endEverything();
  await endDatabases();
  await smtp?.close();
  await sandbox?.close();
});

/** A plan whose deposit its wallet has, once the wallet has executed its swap. */
async function swappedBy({ client }: Served, plan: PaymentPlan, wallet: KeyWallet): Promise<PaymentPlan> {
  const due = await client.until(plan, 'the swap is due', ({ steps }) => steps[1]?.status === 'READY');
  const call = stepOf(due, 'EXECUTE_SWAP').instructions?.at(-1) ?? assert.fail();
  await wallet.approve(sandbox.token('USDC'), call.to, AMOUNT_IN);
  await wallet.execute([call]);
  return client.until(due, 'the swap is final', ({ steps }) => steps[1]?.evidence?.status === 'FINAL');
}

async function paidIn(served: Served, fields: { readonly options?: object } = {}): Promise<PaymentPlan> {
  const wallet = await sandbox.freshWallet();
  const options = { mode: 'STANDARD', ...fields.options, depositAddress: wallet.address };
  const plan = await served.client.plan({ amountIn: String(AMOUNT_IN), ...fields, options });
  await sandbox.give(wallet.address, 'USDC', AMOUNT_IN);
  return swappedBy(served, plan, wallet);
}

async function invitedIn(served: Served): Promise<PaymentPlan> {
  const email = freshEmail();
  const recipient = { type: 'email', email, name: 'Jo Citizen' };
  const fields = { corridorId: 'usdc-eur-collect', recipient, options: { mode: 'DIGITAL_COLLECT' } };
  const plan = await paidIn(served, fields);
  emails.set(plan.planId, email);
  return plan;
}

async function madeLost({ client }: Served): Promise<Lost> {
  const wallet = await sandbox.freshWallet();
  const request = {
    clientReference: freshReference(),
    amountIn: String(AMOUNT_IN),
    options: { mode: 'STANDARD', depositAddress: wallet.address },
  };
  return { request, wallet, plan: await client.plan(request) };
}

async function plansOf(served: Served): Promise<Plans> {
  const returned = await done(served, await paidIn(served));
  const back = await reported(served, await done(served, await paidIn(served)), {
    outcome: 'RETURNED',
    providerReference: randomUUID(),
  });
  const replaced = await paidIn(served);
  const parted = await paidIn(served);
  const [collected, invited] = [await invitedIn(served), await invitedIn(served)];
  await chosen(served, collected);
  return {
    returned,
    replaced,
    parted,
    collected: await delivered(served, collected, 'DONE'),
    invited,
    back,
  };
}

/**
 * What an integrator and a recipient do in the time that is lost, and do once more after the restore. Answers the ids that
 * the custodian is given. `isAgain`: failures that ended nothing are not reported once more.
 */
async function lostTime(served: Served, before: Plans, isAgain = false): Promise<typeof given> {
  const { client } = served;
  const back = { outcome: 'RETURNED', providerReference: randomUUID() };
  const returned = await reported(served, before.returned, back);
  const paidAgain = ok(await client.again(returned));
  const backAgain = await reported(served, await done(served, paidAgain), {
    ...back,
    providerReference: randomUUID(),
  });
  const another = await replace(served, backAgain);
  const failure = { outcome: 'FAILED', failure: { code: 'ACCOUNT_CLOSED' } };
  let failing = before.replaced;
  if (!isAgain) {
    const unavailable = { ...failure, failure: { code: 'RAIL_UNAVAILABLE' } };
    failing = ok(await client.again(await reported(served, failing, unavailable)));
    assert.equal(idOf(failing), idOf(before.replaced), 'the same account keeps the id');
  }
  const replaced = await replace(served, await reported(served, failing, failure));
  const part = { outcome: 'DONE', providerReference: randomUUID(), amount: '1000000' };
  const parted = await reported(served, before.parted, part);
  const ended = await delivered(served, before.collected, 'RETURNED');
  ok(await client.again(ended));
  const collected = await chosen(served, ended);
  const failed = await delivered(served, collected, 'FAILED');
  const collectedAgain = await chosen(served, failed, DESTINATIONS.otherIban);
  const again = await chosen(served, before.invited, DESTINATIONS.iban, isAgain);
  return {
    returned: [paidAgain, another].map(idOf),
    replaced: [idOf(replaced)],
    parted: [idOf(parted)],
    collected: [collected, collectedAgain].map(idOf),
    invited: [idOf(again)],
    back: [idOf(ok(await client.again(before.back)))],
  };
}

const idOf = ({ steps }: PaymentPlan) => steps.at(-1)?.custodianAction?.endToEndId ?? assert.fail();

function ok({ status, body, text }: PlanAnswer): PaymentPlan {
  assert.equal(status, 200, text);
  return body;
}

async function reported({ client }: Served, plan: PaymentPlan, report: object): Promise<PaymentPlan> {
  const type = plan.steps.at(-1)?.type ?? 'CUSTODIAN_PAYOUT';
  return ok(await client.report(plan, type, { ...report }));
}

const done = (served: Served, plan: PaymentPlan) =>
  reported(served, plan, { outcome: 'DONE', providerReference: randomUUID() });

async function replace({ client }: Served, { planId }: PaymentPlan): Promise<PaymentPlan> {
  return ok(await client.ask(`/v1/payments/${planId}/again`, { recipient: OTHER }));
}

async function delivered(served: Served, plan: PaymentPlan, outcome: string): Promise<PaymentPlan> {
  const failure = outcome === 'FAILED' ? { failure: { code: 'ACCOUNT_CLOSED' } } : {};
  return reported(served, plan, { outcome, providerReference: randomUUID(), ...failure });
}

/** The address of each recipient, and the token of the newest link that it has used, by plan. */
const emails = new Map<string, string>();
const tokens = new Map<string, string>();

/** The plan once its recipient has chosen an account. `isKnown`: with the link that was used before. */
async function chosen(
  { service, client }: Served,
  { planId }: PaymentPlan,
  destination: object = DESTINATIONS.iban,
  isKnown = false,
): Promise<PaymentPlan> {
  const email = emails.get(planId) ?? assert.fail();
  const token = isKnown ? tokens.get(planId) : tokenIn({ text: await newMail(email, /\/collect#/) });
  assert.ok(token);
  tokens.set(planId, token);
  const fields = { token, ...destination, confirmed: 'yes' };
  assert.equal((await postForm(service.ready.url, 'submit', fields)).status, 200);
  const code = codeIn({ text: await newMail(email, /^(?![^]*\/collect#)/) });
  const page = await postForm(service.ready.url, 'confirm', { ...fields, code });
  assert.equal(page.status, 200, page.html);
  return client.get(planId);
}

const readMails = new Set<Buffer>();

/** The text of the next e-mail to an address that has this in it. */
async function newMail(email: string, holds: RegExp): Promise<string> {
  for (let tries = 0; tries < 2_000; tries += 1) {
    for (const raw of smtp.mails) {
      if (readMails.has(raw)) continue;
      const { to, text = '' } = await simpleParser(raw);
      if (!JSON.stringify(to).includes(email) || !holds.test(text)) continue;
      readMails.add(raw);
      return text;
    }
    await sleep(25);
  }
  return assert.fail(`There is no new e-mail to ${email} with ${holds}`);
}

test('after a restore the same acts give the custodian the same end-to-end ids', async () => {
  const database = await backup.restore();
  await commandOn(database, 'recover', '--since', backedUpAt);
  const served = await serveOn(sandbox, database, login, smtp.url);
  assert.deepEqual(await lostTime(served, plans, true), given);
  for (const { request, plan } of Object.values(lost))
    assert.equal(idOf(await served.client.plan(request)), idOf(plan), 'a plan that is made again');
  await stopService(served.service);
  await database.postgres.close();
});

type Listed = { readonly planId: string; readonly isDue: boolean; readonly endToEndId: string };

async function listed(database: CopiedDatabase): Promise<ReadonlyMap<string, Listed>> {
  const printed = JSON.parse(await commandOn(database, 'plans', 'list', '--due', '--json'));
  const { payouts } = printed as { payouts: readonly Listed[] };
  return new Map(payouts.map((payout) => [payout.planId, payout]));
}

test('a marked restore lists whom the custodian may have paid since, under the ids of then', async () => {
  const database = await backup.restore();
  const { replaced, parted, invited, back, returned, collected } = plans;
  assert.deepEqual([...(await listed(database)).keys()], [replaced.planId, parted.planId].toSorted());
  await commandOn(database, 'recover', '--since', backedUpAt);
  const due = await listed(database);
  assert.deepEqual([...due.keys()], [back, replaced, parted, invited].map(({ planId }) => planId).toSorted());
  for (const { planId } of [returned, collected]) assert.ok(!due.has(planId), 'it was paid');
  const told = [back, invited].map(({ planId }) => due.get(planId));
  assert.deepEqual(
    told.map((each) => [each?.isDue, each?.endToEndId]),
    [
      [false, given['back']?.[0]],
      [false, given['invited']?.[0]],
    ],
  );
  const text = await commandOn(database, 'plans', 'list', '--due');
  assert.match(text, /^2 payouts are due, at 20/);
  assert.match(text, /may have been made since the backup that was put back/);
  assert.match(text, new RegExp(`${given['back']?.[0]}[^]*plan +${back.planId}\\s+MONEY_RETURNED`));
  await database.postgres.close();
});

test('a plan that is made again asks to compare, not to send, where its address had money', async () => {
  const database = await backup.restore();
  await commandOn(database, 'recover', '--since', backedUpAt);
  const { client, service } = await serveOn(sandbox, database, login, smtp.url);
  const said: Record<string, string | undefined> = {};
  for (const [name, { request }] of Object.entries(lost)) {
    const made = await client.until(
      await client.plan(request),
      'the chain is read',
      ({ next }) => next?.why !== 'CATCHING_UP',
    );
    said[name] = made.next?.why;
    if (name !== 'waiting') assert.match(made.next?.detail ?? '', /^A backup was put back.* Compare /);
    if (name === 'swapped') continue;
    // Where the money was not of this payment, the deposit is sent and counts.
    await sandbox.give(lost[name as 'waiting'].wallet.address, 'USDC', AMOUNT_IN);
    await client.until(made, 'the swap is due', ({ steps }) => steps[1]?.status === 'READY');
  }
  assert.deepEqual(said, {
    deposited: 'OLDER_MONEY',
    swapped: 'OLDER_MONEY',
    waiting: 'DEPOSIT_MISSING',
  });
  await stopService(service);
  await database.postgres.close();
});
