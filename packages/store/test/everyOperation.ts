import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PlanCommand } from '@fairway/plan';
import { sql } from 'kysely';
import type { Collect, PlanFilter, Store } from '../src/index.ts';
import {
  codeHashOf,
  contextAt,
  link,
  linkMade,
  newLink,
  planToCollect,
  submission,
  submitted,
  tokenHashOf,
} from './collecting.ts';
import {
  deposit,
  evidence,
  hashOf,
  instructions,
  MADE_AT_MS,
  newPlan,
  payout,
  RECIPIENT,
  REQUEST,
  stepId,
  swap,
} from './plans.ts';
import { useStatements } from './everyStatementOperation.ts';
import { useReports } from './everyReportOperation.ts';
import { useRecipients } from './everyRecipientOperation.ts';
import type { TestStore } from './storeOfTest.ts';
import { endpointCreation, newEndpoint, RECEIVER_URL } from './endpoints.ts';

const BY = contextAt(MADE_AT_MS);
const ADDRESS = `0x${'0a'.repeat(20)}` as const;
const NOTICES = { reminderBeforeMs: 86_400_000, confirmation: true, delivery: true };

/** Calls every operation of the store, and all that an operation can come to. Answers the names of what was called. */
export async function useEveryOperation(bench: TestStore): Promise<Set<string>> {
  const called = new Set<string>();
  const {
    payments,
    collect,
    jobs,
    record,
    ledger,
    operator,
    events,
    recipients,
    webhooks,
    reports,
    statements,
    ...rest
  } = bench.store;
  const store = {
    ...recording(rest, called),
    payments: recording(payments, called),
    collect: recording(collect, called),
    jobs: recording(jobs, called),
    record: recording(record, called),
    ledger: recording(ledger, called),
    operator: recording(operator, called),
    events: recording(events, called),
    recipients: recording(recipients, called),
    webhooks: recording(webhooks, called),
    reports: recording(reports, called),
    statements: recording(statements, called),
  };
  await useCredentials(store);
  await usePayments({ ...bench, store });
  await useLinks({ ...bench, store });
  await useJobs({ ...bench, store });
  await useRecord({ ...bench, store });
  await useLedger({ ...bench, store });
  await useOperator({ ...bench, store });
  await useEvents({ ...bench, store });
  await useRecipients({ ...bench, store });
  await useWebhooks({ ...bench, store });
  await useReports({ ...bench, store });
  await useStatements({ ...bench, store });
  return called;
}

async function useEvents({ store, scope, create }: TestStore): Promise<void> {
  const { events, operator } = store;
  const { planId } = await create();
  await operator.recover(Date.UTC(2026, 0, 3));
  await operator.republish({ sinceMs: MADE_AT_MS, limit: 2 });
  const published = await events.publish('sandbox');
  assert.ok(published.published > 0);
  const listed = await events.list(scope, {
    limit: 2,
    types: ['payment_plan.created', 'collect_request.'],
    subjectId: planId,
  });
  assert.ok(listed.ok && listed.events.length === 1);
  const heard = await events.heard('sandbox', { position: 0n, resend: 0n });
  assert.ok(heard.organisationIds?.length === 1);
  const eventId = listed.events[0]?.eventId ?? '';
  assert.ok((await events.list(scope, { limit: 2, after: { eventId } })).ok);
  assert.ok((await events.list(scope, { limit: 2, after: { position: 0n, epoch: 0n } })).ok);
  const pruned = await events.prune('sandbox', new Date(MADE_AT_MS + 1));
  assert.ok(pruned.pruned > 0);
}

async function useWebhooks(bench: TestStore): Promise<void> {
  const { store, scope, clock } = bench;
  const { webhooks, events } = store;
  const { nowMs } = clock;
  while (answer(await events.publish('sandbox')).published > 0);
  const endpoint = await newEndpoint(bench, { clientReference: 'used' });
  const { endpointId } = endpoint;
  const found = await webhooks.createEndpoint(
    scope,
    { ...endpointCreation(), clientReference: 'used' },
    nowMs,
  );
  assert.ok(found.ok && found.outcome === 'EXISTS');
  await webhooks.loadEndpoint(scope, endpointId);
  await webhooks.listEndpoints(scope);
  const edit = { type: 'EDITED', types: ['payment_plan.*'], headers: { a: 'b' } } as const;
  const rotated = { type: 'ROTATED', secret: 'whsec_other', untilMs: nowMs + 1 } as const;
  for (const change of [edit, rotated, { type: 'ENABLED' } as const])
    assert.ok((await webhooks.changeEndpoint(scope, endpointId, change, nowMs)).ok);
  const tested = answer(await webhooks.testEndpoint(scope, endpointId, nowMs));
  await bench.create();
  await events.publish('sandbox');
  const { due } = answer(await webhooks.dueEndpoints('sandbox', nowMs));
  assert.deepEqual(due, [{ scope, endpointId, isFailing: false }]);
  const { deliveries } = answer(
    await webhooks.claimDeliveries(scope, endpointId, { limit: 9, nowMs, holdMs: 30_000 }),
  );
  assert.deepEqual(
    deliveries.map(({ event }) => event.type),
    ['webhook_endpoint.test', 'payment_plan.created'],
  );
  const [held, other] = deliveries.map(({ event: { eventId }, claim }) => ({
    scope,
    endpointId,
    eventId,
    claim,
  }));
  assert.ok(held && other && held.eventId === tested.eventId);
  const failed = {
    outcome: 'FAILED',
    atMs: nowMs,
    error: 'TIMEOUT',
    durationMs: 1,
    dueMs: nowMs + 5,
  } as const;
  const made = { ...failed, url: RECEIVER_URL };
  answer(await webhooks.concludeAttempt(other, { ...made, url: 'https://former.example/' }, nowMs));
  answer(await webhooks.concludeAttempt(held, made, nowMs));
  answer(await webhooks.releaseDelivery(other));
  answer(await webhooks.publishFailing('sandbox', nowMs + 3_600_000));
  answer(await webhooks.concludeAttempt(held, { ...made, outcome: 'DELIVERED', status: 200 }, nowMs));
  const ask = { limit: 1, status: 'DELIVERED', before: 10n ** 9n } as const;
  assert.equal(answer(await webhooks.listDeliveries(scope, endpointId, ask)).deliveries.length, 1);
  const span = { sinceMs: 0, untilMs: nowMs + 9, types: ['payment_plan.*'], only: 'UNDELIVERED' } as const;
  answer(await webhooks.recoverDeliveries(scope, endpointId, span, nowMs));
  const { eventId } = held;
  answer(await webhooks.resendEvent(scope, eventId, { nowMs }));
  answer(await webhooks.resendEvent(scope, eventId, { endpointId, isDelivery: true, nowMs }));
  const resent = answer(await events.resends(scope, { after: 0n, limit: 1, types: ['webhook_endpoint.'] }));
  assert.equal(resent.events.length, 1);
  answer(await webhooks.concludeAttempt(held, { ...made, outcome: 'GONE', status: 410 }, nowMs));
  answer(await webhooks.changeEndpoint(scope, endpointId, { type: 'DELETED' }, nowMs));
}

async function useOperator({ store, scope, create }: TestStore): Promise<void> {
  const { operator, record } = store;
  const plan = await create();
  const { planId } = plan;
  for (const onlyStuck of [true, false]) await operator.openPlans({ limit: 2, onlyStuck });
  await operator.duePlans({ limit: 2, after: 'plan_' });
  const found = await operator.findPlan(planId);
  assert.ok(found.found?.plan.planId === planId);
  const pending = await operator.pendingWork(scope, planId);
  assert.ok(pending.pending.jobs.length === 1);
  const byChain = await operator.openPlansByChain('sandbox');
  assert.ok((byChain.counts.get(31337) ?? 0) > 0);
  const withoutKey = await operator.recordsWithoutKey([]);
  assert.ok(withoutKey.counts.size > 0);
  await operator.recover(Date.UTC(2026, 0, 2));
  await record.lookBack(scope, plan);
  await record.isAddressShared(scope, plan);
  await record.untracedExecution(scope, plan);
  const counted = await operator.figures('sandbox');
  assert.ok((counted.figures.openPlans['ACTION_REQUIRED'] ?? 0) > 0);
}

function recording<Operations extends object>(operations: Operations, called: Set<string>): Operations {
  return new Proxy(operations, {
    get: (target, name) => {
      called.add(String(name));
      return Reflect.get(target, name) as unknown;
    },
  });
}

async function useCredentials(store: Store): Promise<void> {
  const asked = { organisation: 'Third Ltd', environment: 'sandbox', permissions: [] } as const;
  const made = await store.createCredential(asked);
  assert.ok(made.ok);
  await store.createCredential(asked);
  await store.findCredential(made.username);
  await store.rotateCredential(made.username, 60);
  await store.rotateCredential('cred_none', 60);
  await store.revokeCredential(made.username);
  await store.organisationName(made.organisationId);
  await store.listCredentials();
}

async function usePayments(bench: TestStore): Promise<void> {
  const { scope, clock } = bench;
  const { payments } = bench.store;
  const options = { slippageBps: 50, collectLifeMs: 86_400_000, depositAddress: ADDRESS } as const;
  const plan = await bench.create(newPlan({ options }));
  const again = { plan, actor: 'cred_test', bodyFingerprint: REQUEST, recipient: RECIPIENT };
  const created = await payments.createPlan(scope, again);
  assert.ok(created.ok && created.outcome === 'EXISTS');
  const held = await payments.addressHolder(scope, plan.corridor.source.chainId, ADDRESS);
  assert.deepEqual(held, { holder: { planId: plan.planId, isProven: false } });
  assert.deepEqual(await payments.countWaiting(scope, 1), { count: 1 });
  await payments.isProvenElsewhere(scope, plan.corridor.source.chainId, ADDRESS);
  const proven = { chainId: plan.corridor.source.chainId, account: ADDRESS, atMs: 0, fromBlock: 0 };
  const known = await payments.createPlan(scope, { ...again, proven });
  assert.ok(known.ok && known.outcome === 'EXISTS');
  await payments.findByReference(scope, plan.clientReference);
  await payments.loadPlan(scope, plan.planId);
  await bench.change(plan, deposit(plan, hashOf('in')));
  const told = await bench.change(plan, instructions(plan));
  await bench.change(told, swap(told, evidence(hashOf('out'), 10n ** 77n, 'CONFIRMING')));
  await usePayouts(bench);
  await payments.history(scope, plan.planId, { limit: 5 });
  await payments.movements(scope, plan.planId, { limit: 5 });
  await payments.revealRecipient(scope, plan.planId, BY);
  await payments.readRecipient(scope, plan.planId);
  const at = new Date(clock.nowMs);
  const filter: PlanFilter = {
    ...{ status: 'ACTION_REQUIRED', mode: 'STANDARD', corridorId: 'c', clientReference: 'r' },
    ...{ createdFrom: at, createdTo: at },
  };
  await payments.listPlans(scope, filter, { limit: 5, after: plan.planId });
  const { clientReference: _, ...others } = filter;
  await payments.listPlans(scope, others, { limit: 5, after: plan.planId });
  const late = await bench.create();
  await bench.change(late, { type: 'TIME_PASSED' }, late.expiresAtMs);
  await bench.change(late, deposit(late, hashOf('late')));
  await payments.changePlan(scope, late.planId, deposit(late, hashOf('late')), BY);
  const watched = { ...options, depositAddress: `0x${'0b'.repeat(20)}` } as const;
  const rested = await bench.create(newPlan({ options: watched }));
  await bench.change(rested, { type: 'TIME_PASSED' }, rested.expiresAtMs);
  await bench.change(rested, { type: 'STEP_RETRIED', stepId: stepId(rested, 'AWAIT_DEPOSIT') });
  await payments.findByReference(scope, plan.clientReference);
  await payments.reseal(() => {});
}

async function usePayouts({ store: { payments }, scope, create, change }: TestStore): Promise<void> {
  const plan = await create();
  await change(plan, deposit(plan, hashOf('in of the paid')));
  const due = await change(plan, swap(plan, evidence(hashOf('out of the paid'), 10n ** 77n)));
  await payments.isPaidByOthers(scope, plan.planId, 31337, ADDRESS);
  await payments.settledByOthers(scope, plan.planId, {
    chainId: 31337,
    txHash: hashOf('paid'),
    logIndexes: [0],
  });
  await change(due, payout(due, evidence(hashOf('paid'), 10n ** 77n)));
  const other = await create();
  await change(other, deposit(other, hashOf('in of the other')));
  const failing = await change(other, swap(other, evidence(hashOf('out of the other'), 10n ** 77n)));
  const id = stepId(failing, 'CUSTODIAN_PAYOUT');
  const failed = await change(failing, {
    type: 'PAYOUT_FAILED',
    stepId: id,
    failure: { code: 'ACCOUNT_CLOSED' },
  });
  const recipient = { ...failed.recipient, fingerprint: 'B'.repeat(43) };
  const told = { type: 'RECIPIENT_REPLACED', stepId: id, recipient, endToEndId: 'FW-2' } as const;
  const replaced = await payments.replaceRecipient(scope, other.planId, told, RECIPIENT, BY);
  assert.ok(replaced.ok && replaced.outcome === 'CHANGED');
  const loaded = await payments.loadPlan(scope, other.planId);
  assert.deepEqual(loaded.plan, replaced.plan, 'the ids and accounts of the attempts are kept');
}

/** A payout with a reference, that is lost and found again. */
async function useLedger(bench: TestStore): Promise<void> {
  const { payments, ledger } = bench.store;
  const [one, two] = [await bench.create(), await bench.create()];
  for (const [index, plan] of [one, two].entries()) {
    await bench.change(plan, deposit(plan, hashOf(`in of the kept ${index}`)));
    await bench.change(plan, swap(plan, evidence(hashOf(`out of the kept ${index}`), 10n ** 77n)));
  }
  const txHash = hashOf('kept');
  const paid = { ...payout(one, evidence(txHash, 10n ** 77n)), providerReference: 'K1' } as PlanCommand;
  await bench.change(one, paid);
  const id = stepId(two, 'CUSTODIAN_PAYOUT');
  const told = {
    type: 'PAYOUT_DONE',
    stepId: id,
    verification: 'REPORTED',
    providerReference: 'K1',
  } as const;
  const refused = await payments.changePlan(bench.scope, two.planId, told, BY);
  assert.ok(!refused.ok && refused.reason === 'REFERENCE_USED');
  const lost = { stepId: stepId(one, 'CUSTODIAN_PAYOUT'), txHash, cause: 'REORGANISED' } as const;
  await bench.change(one, { type: 'EVIDENCE_LOST', ...lost });
  await bench.change(one, paid);
  await ledger.audit(1, () => {});
}

async function useLinks(bench: TestStore): Promise<void> {
  const { collect } = bench.store;
  const plan = await planToCollect(bench, NOTICES);
  const linked = await link(bench, plan, 'one');
  const hash = tokenHashOf('one');
  const masked = { type: 'email', email: 'z***@quill.example', fingerprint: 'f9' } as const;
  const event = { ...linkMade(linked, 'READDRESSED'), recipient: masked };
  const replacing = { ...newLink('two'), recipient: { type: 'email', email: 'z@quill.example' } as const };
  const made = await collect.makeLink(
    bench.scope,
    plan.planId,
    event,
    replacing,
    contextAt(MADE_AT_MS + 61_000),
  );
  assert.ok(made.ok && made.outcome === 'CHANGED', made.ok ? made.outcome : made.reason);
  await collect.findLink('sandbox', hash);
  const live = tokenHashOf('two');
  assert.ok((await collect.keepSubmission('sandbox', live, submission('1'))).ok);
  bench.clock.nowMs += 31_000;
  assert.ok((await collect.keepSubmission('sandbox', live, submission('2'))).ok);
  await collect.findSubmission('sandbox', live);
  await collect.confirmSubmission('sandbox', live, codeHashOf('1'), submitted, BY);
  await useMails(bench, collect);
  const confirmed = await collect.confirmSubmission('sandbox', live, codeHashOf('2'), submitted, BY);
  assert.ok(confirmed.ok);
  const at = new Date(MADE_AT_MS);
  const filter = {
    status: 'SUBMITTED',
    ...{ planId: plan.planId, recipientId: 'rcp_none', email: 'z@quill.example' },
    ...{ createdFrom: at, createdTo: at },
  } as const;
  await collect.listRounds(bench.scope, filter, { limit: 1, after: '1_1_plan_z' });
  const listed = await collect.listRounds(bench.scope, { planId: plan.planId }, { limit: 1 });
  assert.ok(listed.rounds.length === 1);
  await collect.findRound(bench.scope, plan.planId, 1);
}

async function useMails({ database, clock }: TestStore, collect: Collect): Promise<void> {
  const { rows } = await sql<{ mail_id: string }>`select mail_id from mails order by mail_id`.execute(
    database,
  );
  for (const { mail_id: mailId } of rows) await collect.readMail(mailId);
  await collect.markMail(rows[0]?.mail_id ?? '', { outcome: 'DEFERRED', error: 'ECONNECTION' }, BY);
  for (const { mail_id: mailId } of rows) await collect.markMail(mailId, { outcome: 'ACCEPTED' }, BY);
  clock.nowMs += 1;
}

async function useJobs(bench: TestStore): Promise<void> {
  const { jobs } = bench.store;
  const plan = await bench.create();
  await jobs.schedule(bench.scope, plan.planId, 60_000);
  await jobs.hasten();
  await jobs.awaitBlock(bench.scope, plan.planId, { chainId: 31337, dueBlock: 1 });
  const done = new Set<string>();
  const tasks = {
    plan: jobs.planTask(async () => {
      done.add('plan');
      return 'TRIED';
    }),
    chain: jobs.chainTask(async () => {
      done.add('chain');
      return 'WAITING';
    }),
    mail: jobs.mailTask(async () => void done.add('mail')),
    endpoint_mail: jobs.endpointMailTask(async () => void done.add('endpoint_mail')),
  };
  const worker = jobs.startWorker({ tasks, concurrency: 2, log: () => {} });
  while (done.size < 2) await sleep(20);
  await worker.close();
}

async function useRecord(bench: TestStore): Promise<void> {
  const { record } = bench.store;
  const chain = { environment: 'sandbox', chainId: 31337 } as const;
  const taken = await record.takeLease(chain, 'holder');
  assert.ok(taken.taken);
  const { lease } = taken.taken;
  await record.renewLease(lease);
  const { xmin } = answer(await record.watchedContracts(lease));
  const { watched } = answer(await record.watchedPage(lease, { limit: 1 }));
  assert.ok(watched[0]);
  answer(await record.watchedPage(lease, { limit: 1, after: [watched[0].address, '', '', ''] }));
  answer(await record.watchedSince(lease, xmin));
  const [tip, hash] = [{ number: 300, hash: hashOf('block 300'), timeMs: MADE_AT_MS }, hashOf('in')];
  const places = {
    blockHash: tip.hash,
    blockNumber: 300,
    blockTimeMs: MADE_AT_MS,
    logIndex: 0,
    txHash: hash,
  };
  const transfer = { ...places, token: ADDRESS, from: ADDRESS, to: ADDRESS, amount: 1n };
  const numbers = { ancestorNumber: -1, targetNumber: 300, toleratedBlocks: 8, verifiedNumber: 300 };
  const read = {
    believed: undefined,
    tip,
    ...numbers,
    watchedXmin: xmin,
    transfers: [transfer],
    blocks: [tip],
  };
  const advanced = answer(await record.advance(lease, read));
  assert.equal(advanced.outcome, 'RECORDED');
  const contracts = { settlementAddresses: [ADDRESS], tokens: [ADDRESS] };
  assert.deepEqual(answer(await record.unreadTransfers(chain, contracts, 5)).transfers, []);
  answer(await record.answerUnread(lease, { answered: [transfer], transfers: [] }));
  await useRequests(bench);
  answer(await record.position(chain));
  answer(await record.storedBlocks(chain, 1_000, 5));
  answer(await record.releaseLease(lease));
}

async function useRequests({ store, scope, create }: TestStore): Promise<void> {
  const { record } = store;
  const chain = { environment: 'sandbox', chainId: 31337 } as const;
  const plan = await create();
  const asked = {
    ...{ txHash: hashOf('asked'), blockHash: hashOf('block 299'), blockNumber: 299, logIndexes: [0, 1] },
  };
  answer(await record.request(scope, plan.planId, chain.chainId, asked));
  const { requests } = answer(await record.openRequests(chain, 300, 5));
  assert.deepEqual(requests, [asked]);
  answer(await record.endRequests(chain, requests));
  answer(await record.view(scope, plan, { tags: [`0x${'ab'.repeat(16)}`], payoutAddresses: [ADDRESS] }));
  await create(
    newPlan({ options: { slippageBps: 50, collectLifeMs: 1, depositAddress: `0x${'0e'.repeat(20)}` } }),
  );
  const over = await create();
  answer(
    await record.view(
      scope,
      { ...over, ended: { reason: 'CANCELLED', atMs: over.updatedAtMs } },
      { tags: [], payoutAddresses: [] },
    ),
  );
  const { chainId } = chain;
  const sent = { chainId, wallet: ADDRESS, token: ADDRESS, amount: plan.amountIn, blockNumber: 300 };
  answer(await store.payments.isMaybeOfOthers(scope, plan.planId, sent, 'ANY'));
  const told = { txHash: hashOf('told'), toldAtMs: BY.atMs };
  answer(await store.payments.isToldBefore(scope, plan.planId, sent, told));
}

/** What an operation answered, which must not be a refusal. */
function answer<Answer>(given: Answer): Exclude<Answer, { ok: false }> {
  assert.notEqual((given as { ok?: boolean } | undefined)?.ok, false);
  return given as Exclude<Answer, { ok: false }>;
}
