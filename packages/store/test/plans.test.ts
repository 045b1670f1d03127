import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { amountOf, fundsOf, type Plan, type PlanCommand, planOf, workOf } from '@fairway/plan';
import { sql } from 'kysely';
import {
  codeHashOf,
  link,
  linkMade,
  MASKED_DESTINATION,
  newLink,
  planToCollect,
  submission,
  submitted,
  tokenHashOf,
} from './collecting.ts';
import {
  deposit,
  deposited,
  depositGone,
  evidence,
  hashOf,
  instructions,
  MADE_AT_MS,
  newPlan,
  RECIPIENT,
  REQUEST,
  stepId,
  swap,
  transfer,
} from './plans.ts';
import { jobKeys, openTestStore, type TestStore } from './storeOfTest.ts';
import { DatabaseUnavailableError } from '@fairway/postgres';

const bench = await openTestStore();
after(() => bench.close());

const HOLD = { reason: 'OTHER', needs: ['an invoice', 'ä'], untilMs: MADE_AT_MS + 1 } as const;
const BY = { actor: 'cred_test', atMs: MADE_AT_MS + 5 };

async function historyOf(plan: Plan) {
  const read = await bench.store.payments.history(bench.scope, plan.planId, { limit: 1_000 });
  assert.ok(read.found !== undefined);
  assert.equal(read.found.next, undefined);
  return read.found.events;
}

/** Lets events happen one after the other, and compares the stored plan with the one in memory after each. */
async function live(first: Plan, events: readonly ((plan: Plan) => PlanCommand)[]): Promise<Plan> {
  let plan = await bench.create(first);
  assert.deepEqual(await bench.stored(plan), plan);
  let atMs = MADE_AT_MS;
  for (const event of events) {
    plan = await bench.change(plan, event(plan), (atMs += 1_001));
    assert.deepEqual(await bench.stored(plan), plan);
    const hasJob = (await jobKeys(bench.database)).includes(`plan:${plan.planId}`);
    assert.equal(hasJob, workOf(plan) !== undefined);
  }
  assert.deepEqual(planOf(await historyOf(plan)), plan);
  return plan;
}

test('a plan is loaded as it was written, through its whole life', async () => {
  const payout = (plan: Plan) => stepId(plan, 'CUSTODIAN_PAYOUT');
  const failure = { code: 'ACCOUNT_CLOSED', detail: 'The bank said so.' };
  const occurredAtMs = MADE_AT_MS - 5_001;
  const plan = await live(
    newPlan({ options: { slippageBps: 50, collectLifeMs: 1, depositAddress: `0x${'ab'.repeat(20)}` } }),
    [
      (plan) => ({ ...deposit(plan, hashOf('w1')), readNumber: 0 }) as PlanCommand,
      (plan) => deposit(plan, hashOf('w1')),
      (plan) => ({
        type: 'INSTRUCTED',
        askedBy: 'INTEGRATOR',
        stepId: stepId(plan, 'EXECUTE_SWAP'),
        withheld: { reason: 'PRICE_BELOW_FLOOR', detail: 'Below.' },
      }),
      (plan) => instructions(plan),
      (plan) => ({
        type: 'SWAP_FAILED',
        stepId: stepId(plan, 'EXECUTE_SWAP'),
        failure: { code: 'REVERTED' },
        verification: 'VERIFIED',
        txHash: hashOf('w0'),
      }),
      (plan) => ({ type: 'STEP_RETRIED', stepId: stepId(plan, 'EXECUTE_SWAP') }),
      (plan) => instructions(plan),
      (plan) => swap(plan, evidence(hashOf('w2'), 10n ** 77n + 7n, 'CONFIRMING')),
      (plan) => ({
        type: 'EVIDENCE_LOST',
        stepId: stepId(plan, 'EXECUTE_SWAP'),
        txHash: hashOf('w2'),
        cause: 'REORGANISED',
      }),
      (plan) => swap(plan, evidence(hashOf('w2'), 10n ** 77n + 7n, 'FINAL', 201)),
      (plan) => ({ type: 'PAYOUT_FAILED', stepId: payout(plan), failure, providerReference: 'P1' }),
      (plan) => ({ type: 'STEP_RETRIED', stepId: payout(plan) }),
      (plan) => ({ type: 'PAYOUT_HELD', stepId: payout(plan), hold: HOLD, providerReference: 'P2' }),
      (plan) => ({
        type: 'PAYOUT_DONE',
        stepId: payout(plan),
        verification: 'REPORTED',
        providerReference: 'P2',
        amount: amountOf(5n),
        occurredAtMs,
      }),
      (plan) => ({
        type: 'EVIDENCE_LOST',
        stepId: stepId(plan, 'EXECUTE_SWAP'),
        txHash: hashOf('w2'),
        cause: 'REORGANISED',
      }),
      (plan) => ({
        type: 'PAYOUT_RETURNED',
        stepId: payout(plan),
        providerReference: 'R1',
        amount: amountOf(5n),
        occurredAtMs,
        failure,
      }),
      (plan) => ({ type: 'PAYOUT_RETURNED', stepId: payout(plan), providerReference: 'R2' }),
    ],
  );
  assert.equal(plan.returns.length, 2);
  assert.equal(plan.revision, 18);
});

test('a DIGITAL_COLLECT plan is loaded as it was written, through failed and returned deliveries', async () => {
  const collect = (plan: Plan) => stepId(plan, 'SEND_DIGITAL_COLLECT');
  const delivery = (told: object) => (plan: Plan) =>
    ({
      ...{ type: 'DELIVERY_REPORTED', stepId: collect(plan), verification: 'REPORTED' },
      ...told,
    }) as PlanCommand;
  const failure = { code: 'ACCOUNT_CLOSED', detail: 'The bank said so.' };
  const told = { amount: amountOf(10n ** 77n), occurredAtMs: MADE_AT_MS - 5_001, providerReference: 'D2' };
  const recipient = { type: 'email', email: 'y***@example.com', fingerprint: 'f9' } as const;
  const paid = evidence(hashOf('c3'), 10n ** 77n, 'CONFIRMING', 210);
  const plan = await live(newPlan({ mode: 'DIGITAL_COLLECT' }), [
    (plan) => deposit(plan, hashOf('c1')),
    (plan) => instructions(plan),
    (plan) => swap(plan, evidence(hashOf('c2'), 10n ** 77n)),
    (plan) => ({ ...linkMade(plan), recipient }),
    (plan) => ({ type: 'LINK_MAILED', stepId: collect(plan), version: 1, outcome: 'ACCEPTED' }),
    (plan) => ({ type: 'LINK_OPENED', stepId: collect(plan), version: 1 }),
    submitted,
    delivery({ status: 'SENT', providerReference: 'D1' }),
    (plan) => ({ type: 'PAYOUT_HELD', stepId: collect(plan), hold: { ...HOLD, needs: [] } }),
    delivery({ status: 'FAILED', failure, providerReference: 'D1' }),
    (plan) => linkMade(plan, 'REOPENED'),
    (plan) =>
      ({ ...submitted(plan), destination: { ...MASKED_DESTINATION, fingerprint: 'f4' } }) as PlanCommand,
    delivery({ status: 'DELIVERED', verification: 'VERIFIED', evidence: paid }),
    (plan) => ({ type: 'EVIDENCE_LOST', stepId: collect(plan), txHash: hashOf('c3'), cause: 'REORGANISED' }),
    delivery({ status: 'DELIVERED', verification: 'VERIFIED', evidence: { ...paid, status: 'FINAL' } }),
    delivery({ status: 'RETURNED', ...told }),
  ]);
  assert.equal(plan.returns.length, 1);
  const last = plan.steps.at(-1);
  assert.ok(last?.type === 'SEND_DIGITAL_COLLECT' && last.rounds.length === 1);
  const ended = await live(newPlan(), [() => ({ type: 'PLAN_ENDED', force: false })]);
  assert.equal(ended.ended?.reason, 'CANCELLED');
});

test('a transfer pays only one recipient, but may also be the deposit of another plan', async () => {
  const [one, other] = [await bench.create(), await planToCollect(bench)];
  const paid = evidence(hashOf('delivered'), 10n ** 77n);
  const hash = tokenHashOf('delivers');
  await link(bench, other, 'delivers');
  const { collect } = bench.store;
  assert.ok((await collect.keepSubmission('sandbox', hash, submission('1'))).ok);
  assert.ok((await collect.confirmSubmission('sandbox', hash, codeHashOf('1'), submitted, BY)).ok);
  const delivered: PlanCommand = {
    ...{ type: 'DELIVERY_REPORTED', stepId: stepId(other, 'SEND_DIGITAL_COLLECT'), status: 'DELIVERED' },
    ...{ verification: 'VERIFIED', evidence: paid },
  };
  // A plan that watches a recipient's wallet sees a payout to it as a deposit, which takes nothing from the payout.
  const transfers = paid.transfers.map((each) => ({ ...each, amount: one.amountIn }));
  const watched = deposited(one, transfers);
  assert.equal((await bench.change(one, watched)).steps[0]?.status, 'DONE');
  await bench.change(other, delivered);

  const third = await bench.create();
  for (const event of [
    deposit(third, hashOf('own deposit')),
    instructions(third),
    swap(third, evidence(hashOf('own swap'), 2_000n)),
  ])
    await bench.change(third, event);
  const payout = (name: string): PlanCommand => ({
    ...{ type: 'PAYOUT_DONE', stepId: stepId(third, 'CUSTODIAN_PAYOUT'), verification: 'VERIFIED' },
    evidence: evidence(hashOf(name), 10n ** 77n),
  });
  const claim = await bench.store.payments.changePlan(bench.scope, third.planId, payout('delivered'), BY);
  assert.ok(!claim.ok && claim.reason === 'TRANSFER_CLAIMED');
  assert.equal((await bench.change(third, payout('paid apart'))).steps[2]?.status, 'DONE');
});

test('fifty parallel requests with one reference make one plan, and all are answered with it', async () => {
  const plans = Array.from({ length: 50 }, () => newPlan({ clientReference: 'TWINS' }));
  const made = await Promise.all(
    plans.map((plan) =>
      bench.store.payments.createPlan(bench.scope, {
        plan,
        actor: 'a',
        bodyFingerprint: REQUEST,
        recipient: RECIPIENT,
      }),
    ),
  );
  const outcomes = made.map((one) => (one.ok ? one.outcome : one.reason)).toSorted();
  assert.deepEqual(outcomes, ['CREATED', ...Array.from({ length: 49 }, () => 'EXISTS')]);
  assert.equal(new Set(made.map((one) => one.ok && one.plan.planId)).size, 1);
  const kept = made.find((one) => one.ok && one.outcome === 'EXISTS');
  assert.ok(kept?.ok && kept.outcome === 'EXISTS' && kept.bodyFingerprint?.equals(REQUEST));
  const { rows } = await sql`select from plans where client_reference = 'TWINS'`.execute(bench.database);
  assert.equal(rows.length, 1);
  const mine = new Set(plans.map(({ planId }) => `plan:${planId}`));
  assert.equal((await jobKeys(bench.database)).filter((key) => mine.has(key)).length, 1);
});

test('parallel requests with one reference and one deposit address do not refuse each other', async () => {
  const options = { slippageBps: 1, collectLifeMs: 1, depositAddress: `0x${'cd'.repeat(20)}` } as const;
  const made = await Promise.all(
    Array.from({ length: 20 }, () =>
      bench.store.payments.createPlan(bench.scope, {
        plan: newPlan({ clientReference: 'ADDRESS TWINS', options }),
        actor: 'a',
        bodyFingerprint: REQUEST,
        recipient: RECIPIENT,
      }),
    ),
  );
  assert.equal(made.filter((one) => one.ok && one.outcome === 'CREATED').length, 1);
  assert.ok(made.every((one) => one.ok));
});

test('a reference that another transaction is using is answered as in progress after a while', async () => {
  const plan = newPlan({ clientReference: 'SLOW' });
  await bench.create(newPlan({ clientReference: 'SHARED' }));
  const outcome = await bench.database.transaction().execute(async (transaction) => {
    await sql`
      insert into plans select (jsonb_populate_record(p, jsonb_build_object('client_reference', 'SLOW', 'plan_id', 'plan_slow',
        'end_to_end_id', 'slow', 'deposit_address', null))).* from plans p where p.client_reference = 'SHARED'
        and p.organisation_id = ${bench.scope.organisationId}`.execute(transaction);
    const creation = { plan, actor: 'a', bodyFingerprint: REQUEST, recipient: RECIPIENT };
    return bench.store.payments.createPlan(bench.scope, creation);
  });
  assert.deepEqual(outcome, { ok: false, reason: 'REQUEST_IN_PROGRESS' });
  // The other transaction's plan has no history, so it is removed before other tests.
  await sql`delete from plans where plan_id = 'plan_slow'`.execute(bench.database);
});

test('another organisation or environment sees nothing of a plan, whatever it calls', async () => {
  const plan = await bench.create(newPlan({ clientReference: 'MINE' }));
  const { payments, jobs } = bench.store;
  const before = await bench.contents();
  for (const scope of [bench.otherScope, { ...bench.scope, environment: 'production' as const }]) {
    assert.deepEqual(await payments.loadPlan(scope, plan.planId), { plan: undefined });
    assert.deepEqual(await payments.findByReference(scope, 'MINE'), { found: undefined });
    assert.deepEqual(await payments.history(scope, plan.planId, { limit: 5 }), {
      found: undefined,
    });
    assert.deepEqual(await payments.listPlans(scope, { clientReference: 'MINE' }, { limit: 5 }), {
      plans: [],
      next: undefined,
    });
    const unknown = { ok: false, reason: 'PLAN_UNKNOWN' };
    assert.deepEqual(
      await payments.changePlan(scope, plan.planId, { type: 'PLAN_ENDED', force: false }, BY),
      unknown,
    );
    assert.deepEqual(await payments.revealRecipient(scope, plan.planId, BY), unknown);
    assert.deepEqual(await payments.readRecipient(scope, plan.planId), { ok: true, recipient: undefined });
    await jobs.schedule(scope, plan.planId, 0);
  }
  assert.deepEqual(await bench.contents(), before);
});

test('a transfer settles one step of one plan for ever', async () => {
  const options = { slippageBps: 50, collectLifeMs: 1, depositAddress: `0x${'a7'.repeat(20)}` } as const;
  const one = await bench.create(newPlan({ options }));
  const other = await bench.create(newPlan(), bench.otherScope);
  const seen = deposit(one, hashOf('claimed'));
  await bench.change(one, seen);
  const claim = await bench.store.payments.changePlan(
    bench.otherScope,
    other.planId,
    deposit(other, hashOf('claimed')),
    BY,
  );
  assert.deepEqual(claim, {
    ok: false,
    reason: 'TRANSFER_CLAIMED',
    transfers: [{ txHash: hashOf('claimed'), logIndex: 0 }],
  });

  // Taken back by a reorganisation and mined again, the transfer still belongs to the deposit of the first plan.
  await bench.change(one, depositGone(await bench.stored(one), hashOf('claimed')));
  const again = await bench.store.payments.changePlan(
    bench.otherScope,
    other.planId,
    deposit(other, hashOf('claimed')),
    BY,
  );
  assert.ok(!again.ok && again.reason === 'TRANSFER_CLAIMED');
  await bench.change(one, seen);
  await bench.change(one, instructions(one));
  const shown = { ...evidence(hashOf('claimed'), 2_000n), transfers: [transfer(hashOf('claimed'), 2_000n)] };
  const swapped = await bench.store.payments.changePlan(bench.scope, one.planId, swap(one, shown), BY);
  assert.ok(!swapped.ok && swapped.reason === 'TRANSFER_CLAIMED');
  assert.equal((await bench.stored(one)).steps[1]?.status, 'READY');
});

test('a late transfer is of the plan that ended, and counts when the plan is opened again', async () => {
  const change = (plan: Plan, event: PlanCommand) =>
    bench.store.payments.changePlan(bench.scope, plan.planId, event, BY);
  const [ended, heir, other] = [await bench.create(), await bench.create(), await bench.create()];
  const { expiresAtMs } = ended;
  for (const plan of [ended, other]) await bench.change(plan, { type: 'TIME_PASSED' }, expiresAtMs);
  const late = await bench.change(ended, deposit(ended, hashOf('late')));
  assert.equal(late.ended?.reason, 'EXPIRED');
  assert.deepEqual(
    fundsOf(late).flatMap(({ unallocated }) => unallocated.map(({ reason }) => reason)),
    ['AFTER_END'],
  );
  const claimed = {
    ok: false,
    reason: 'TRANSFER_CLAIMED',
    transfers: [{ txHash: hashOf('late'), logIndex: 0 }],
  };
  for (const plan of [heir, other])
    assert.deepEqual(await change(plan, deposit(plan, hashOf('late'))), claimed);
  const revive: PlanCommand = { type: 'STEP_RETRIED', stepId: stepId(ended, 'AWAIT_DEPOSIT') };
  assert.equal((await bench.change(ended, revive)).steps[0]?.status, 'DONE');
});

test('only one of several parallel claims to a transfer succeeds', async () => {
  const plans = await Promise.all(Array.from({ length: 12 }, () => bench.create()));
  const claims = await Promise.all(
    plans.map((plan) =>
      bench.store.payments.changePlan(bench.scope, plan.planId, deposit(plan, hashOf('race')), BY),
    ),
  );
  const outcomes = claims.map((claim) => (claim.ok ? claim.outcome : claim.reason));
  assert.equal(outcomes.filter((outcome) => outcome === 'CHANGED').length, 1);
  assert.equal(outcomes.filter((outcome) => outcome === 'TRANSFER_CLAIMED').length, 11);
});

test('a deposit address serves one open plan at a time, over all organisations', async () => {
  const depositAddress = `0x${'Ef'.repeat(20)}` as const;
  const options = { slippageBps: 1, collectLifeMs: 1, depositAddress };
  const first = await bench.create(newPlan({ options }));
  const lower = { ...options, depositAddress: depositAddress.toLowerCase() as `0x${string}` };
  const creation = { actor: 'a', bodyFingerprint: REQUEST, recipient: RECIPIENT };
  const plan = newPlan({ options: lower });
  const refused = await bench.store.payments.createPlan(bench.otherScope, { ...creation, plan });
  assert.deepEqual(refused, { ok: false, reason: 'DEPOSIT_ADDRESS_IN_USE' });

  const ended = await bench.change(first, { type: 'TIME_PASSED' }, first.expiresAtMs);
  assert.equal(ended.ended?.reason, 'EXPIRED');
  await bench.create(plan, bench.otherScope);
  const retried = await bench.store.payments.changePlan(
    bench.scope,
    first.planId,
    { type: 'STEP_RETRIED', stepId: stepId(first, 'AWAIT_DEPOSIT') },
    BY,
  );
  assert.deepEqual(retried, { ok: false, reason: 'DEPOSIT_ADDRESS_IN_USE' });
  assert.deepEqual(await bench.stored(first), ended);
});

test('an event that is refused or known already writes nothing', async () => {
  const plan = await bench.create();
  const seen = await bench.change(plan, deposit(plan, hashOf('known')));
  const before = await bench.contents();
  const again = await bench.store.payments.changePlan(
    bench.scope,
    plan.planId,
    deposit(plan, hashOf('known')),
    BY,
  );
  assert.deepEqual(again, { ok: true, outcome: 'UNCHANGED', plan: seen });
  const refused = await bench.store.payments.changePlan(
    bench.scope,
    plan.planId,
    { type: 'PLAN_ENDED', force: false },
    BY,
  );
  assert.ok(!refused.ok && refused.reason === 'REFUSED' && refused.refusal.reason === 'REASON_MISSING');
  assert.deepEqual(refused.plan, seen);
  assert.deepEqual(await bench.contents(), before);
});

test('a plan that cannot be written leaves no part of it behind, and no job', async () => {
  const taken = await bench.create();
  const before = await bench.contents();
  const plan = { ...newPlan(), endToEndId: 'F'.repeat(36) };
  const creation = { plan, actor: 'a', bodyFingerprint: REQUEST, recipient: RECIPIENT };
  await assert.rejects(bench.store.payments.createPlan(bench.scope, creation), /plans_end_to_end_id_check/);
  // The check on the column fails only after everything else of the change was written.
  await sql`alter table plan_events add constraint no_deposits check (command ->> 'type' <> 'RECORD_READ') not valid`.execute(
    bench.database,
  );
  await assert.rejects(
    bench.store.payments.changePlan(bench.scope, taken.planId, deposit(taken, hashOf('crash')), BY),
    /no_deposits/,
  );
  await sql`alter table plan_events drop constraint no_deposits`.execute(bench.database);
  assert.deepEqual(await bench.contents(), before);
});

test('parallel changes to one plan happen one after the other, and none is lost', async () => {
  const plan = await bench.create();
  await Promise.all(Array.from({ length: 20 }, () => bench.change(plan, { type: 'RECIPIENT_REVEALED' })));
  const now = await bench.stored(plan);
  assert.equal(now.revision, 21);
  assert.deepEqual(planOf(await historyOf(plan)), now);
});

test('a history is read in pages', async () => {
  const plan = await bench.create();
  for (let count = 0; count < 4; count += 1) await bench.change(plan, { type: 'RECIPIENT_REVEALED' });
  const page = async (limit: number, afterRevision: number) => {
    const read = await bench.store.payments.history(bench.scope, plan.planId, { limit, afterRevision });
    assert.ok(read.found !== undefined);
    return { revisions: read.found.events.map(({ revision }) => revision), next: read.found.next };
  };
  assert.deepEqual(await page(2, 0), { revisions: [1, 2], next: 2 });
  assert.deepEqual(await page(3, 2), { revisions: [3, 4, 5], next: undefined });
  assert.deepEqual(await page(3, 5), { revisions: [], next: undefined });
});

test('every call answers that the database is unavailable', async () => {
  const { payments, jobs, collect } = (await openTestStoreThatIsDown()).store;
  const plan = newPlan();
  const calls = [
    payments.createPlan(bench.scope, {
      plan,
      actor: 'a',
      bodyFingerprint: REQUEST,
      recipient: RECIPIENT,
    }),
    payments.loadPlan(bench.scope, plan.planId),
    payments.findByReference(bench.scope, 'x'),
    payments.listPlans(bench.scope, {}, { limit: 1 }),
    payments.history(bench.scope, plan.planId, { limit: 1 }),
    payments.changePlan(bench.scope, plan.planId, { type: 'PLAN_ENDED', force: false }, BY),
    payments.revealRecipient(bench.scope, plan.planId, BY),
    payments.readRecipient(bench.scope, plan.planId),
    payments.isMaybeOfOthers(
      bench.scope,
      plan.planId,
      {
        chainId: 1,
        wallet: '0x',
        token: plan.corridor.target.token,
        amount: plan.amountIn,
        blockNumber: 1,
      },
      'ANY',
    ),
    payments.reseal(() => {}),
    jobs.schedule(bench.scope, plan.planId, 1),
    jobs.awaitBlock(bench.scope, plan.planId, { chainId: 1, dueBlock: 1 }),
    jobs.hasten(),
    collect.makeLink(bench.scope, plan.planId, linkMade(plan), newLink('down'), BY),
    collect.findLink('sandbox', tokenHashOf('down')),
    collect.keepSubmission('sandbox', tokenHashOf('down'), submission('1')),
    collect.confirmSubmission('sandbox', tokenHashOf('down'), codeHashOf('1'), submitted, BY),
    collect.readMail('mail_1'),
    collect.markMail('mail_1', { outcome: 'ACCEPTED' }, BY),
  ];
  for (const outcome of await Promise.allSettled(calls))
    assert.ok(outcome.status === 'rejected' && outcome.reason instanceof DatabaseUnavailableError);
});

async function openTestStoreThatIsDown(): Promise<TestStore> {
  const down = await openTestStore();
  await down.postgres.close();
  after(() => down.close());
  return down;
}
