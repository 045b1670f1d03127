// Lists of the rounds in which recipients are asked: what they find, who finds it, and how many rows they read.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { maskRecipient, type Plan, planIdAt, type Recipient } from '@fairway/plan';
import { type RawBuilder, sql } from 'kysely';
import { roundsOf } from '../src/collect/requests.ts';
import type { CollectFilter, KeptRound } from '../src/index.ts';
import { contextAt, linkMade, newLink, submitted } from './collecting.ts';
import { deposit, evidence, hashOf, MADE_AT_MS, newPlan, REQUEST, stepId, swap } from './plans.ts';
import { openTestStore } from './storeOfTest.ts';

const MINUTE_MS = 60_000;
const bench = await openTestStore();
after(() => bench.close());

/** A plan whose recipient at this address is owed a first link. */
async function owing(email: string): Promise<Plan> {
  const recipient: Recipient = { type: 'email', email, name: 'Jo Citizen', locale: 'de' };
  const plan = newPlan({ mode: 'DIGITAL_COLLECT', recipient: maskRecipient(recipient, 'f') });
  const creation = { plan, actor: 'cred_test', bodyFingerprint: REQUEST, recipient };
  assert.ok((await bench.store.payments.createPlan(bench.scope, creation)).ok);
  await bench.change(plan, deposit(plan, hashOf(`${plan.planId} in`)), MADE_AT_MS);
  return bench.change(plan, swap(plan, evidence(hashOf(`${plan.planId} out`), 10n ** 77n)), MADE_AT_MS);
}

/** Makes a link that goes to this address, which replaces the recipient unless it is the first. */
async function linked(
  plan: Plan,
  email: string,
  reason: 'FIRST' | 'READDRESSED',
  atMs: number,
): Promise<Plan> {
  const recipient: Recipient = { type: 'email', email };
  const isNew = reason === 'READDRESSED';
  const event = {
    ...linkMade(plan, reason, atMs),
    ...(isNew && { recipient: maskRecipient(recipient, 'g') }),
  };
  const token = newLink(`${plan.planId} ${event.version}`);
  const made = await bench.store.collect.makeLink(
    bench.scope,
    plan.planId,
    event,
    { ...token, mail: { ...token.mail, to: email }, ...(isNew && { recipient }) },
    contextAt(atMs),
  );
  assert.ok(made.ok, JSON.stringify(made));
  return made.plan;
}

async function listed(filter: CollectFilter, scope = bench.scope): Promise<readonly KeptRound[]> {
  const found: KeptRound[] = [];
  for (let after: string | undefined; ; ) {
    const page = await bench.store.collect.listRounds(scope, filter, { limit: 2, after });
    found.push(...page.rounds);
    if (page.next === undefined) return found;
    after = page.next;
  }
}

const named = (rounds: readonly KeptRound[]) => rounds.map(({ plan, round }) => [plan.planId, round]);

test('rounds are found by status, plan, registered recipient, address and time, newest first', async () => {
  const [one, two] = [await owing('jo@example.com'), await owing('al@example.com')];
  const first = await linked(one, 'jo@example.com', 'FIRST', MADE_AT_MS + MINUTE_MS);
  await linked(two, 'al@example.com', 'FIRST', MADE_AT_MS + 2 * MINUTE_MS);
  const chosen = await bench.change(first, submitted(first), MADE_AT_MS + 3 * MINUTE_MS);
  const failed = await bench.change(chosen, {
    type: 'DELIVERY_REPORTED',
    stepId: stepId(chosen, 'SEND_DIGITAL_COLLECT'),
    status: 'FAILED',
    verification: 'REPORTED',
    failure: { code: 'OTHER' },
  });
  // The next link is owed, and goes to another address.
  await linked(failed, 'new@example.com', 'READDRESSED', MADE_AT_MS + 4 * MINUTE_MS);
  const all = [
    [one.planId, 2],
    [two.planId, 1],
    [one.planId, 1],
  ];
  const find = async (filter: CollectFilter) => named(await listed(filter));
  assert.deepEqual(await find({}), all);
  assert.deepEqual(await find({ planId: one.planId }), [all[0], all[2]]);
  assert.deepEqual(await find({ status: 'WAITING' }), [all[0], all[1]]);
  assert.deepEqual(await find({ status: 'FAILED' }), [all[2]]);
  assert.deepEqual(await find({ email: 'new@EXAMPLE.com' }), [all[0]]);
  assert.deepEqual(await find({ email: 'jo@example.com' }), [all[2]], 'the address of that time');
  assert.deepEqual(await find({ email: 'no@example.com' }), []);
  const at = (minutes: number) => new Date(MADE_AT_MS + minutes * MINUTE_MS);
  assert.deepEqual(await find({ createdFrom: at(2), createdTo: at(4) }), [all[1]]);
  assert.deepEqual(named(await listed({}, bench.otherScope)), []);
  assert.deepEqual(named(await listed({ planId: one.planId }, bench.otherScope)), []);
  const foreign = await bench.store.collect.findRound(bench.otherScope, one.planId, 1);
  assert.ok(foreign.createdAtMs === undefined);
  const own = await bench.store.collect.findRound(bench.scope, one.planId, 1);
  assert.ok(own.createdAtMs === MADE_AT_MS + MINUTE_MS);
  const { planId } = await owing('saved@example.com');
  await sql`update plans set recipient = recipient || '{"registeredAs": {"recipientId": "rcp_1", "version": 1}}'
    where plan_id = ${planId}`.execute(bench.database);
  await linked(await bench.stored({ planId }), 'saved@example.com', 'FIRST', MADE_AT_MS);
  assert.deepEqual(await find({ recipientId: 'rcp_1' }), [[planId, 1]]);
});

/** How many rows of rounds a statement reads. */
async function readBy(page: RawBuilder<unknown>): Promise<{ rows: number; kinds: Set<string> }> {
  type Scan = {
    readonly 'Node Type': string;
    readonly 'Actual Rows': number;
    readonly 'Rows Removed by Filter'?: number;
    readonly Plans?: readonly Scan[];
  };
  const { rows } = await sql<{ 'QUERY PLAN': readonly { Plan: Scan }[] }>`
    explain (analyze, timing off, format json)
    select c.plan_id, c.round, c.created_at from collect_requests c where ${page}`.execute(bench.database);
  const found = { rows: 0, kinds: new Set<string>() };
  const walk = (node: Scan): void => {
    found.kinds.add(node['Node Type']);
    if (node.Plans === undefined) found.rows += node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0);
    for (const inner of node.Plans ?? []) walk(inner);
  };
  for (const { Plan: plan } of rows[0]?.['QUERY PLAN'] ?? []) walk(plan);
  return found;
}

test('no filter reads more rounds than its page needs, whatever there is', async () => {
  const rows = Array.from({ length: 6_000 }, (_, index) => ({
    organisation_id: bench.scope.organisationId,
    environment: bench.scope.environment,
    plan_id: planIdAt(MADE_AT_MS + index, `${'0'.repeat(12)}7${index.toString(16).padStart(19, '0')}`),
    round: 1,
    link_version: 1,
    status: index % 500 === 0 ? 'EXPIRED' : 'DELIVERED',
    recipient_id: index % 400 === 0 ? 'rcp_seldom' : index % 2 === 0 ? 'rcp_often' : null,
    email_fingerprint: `\\x${index % 300 === 0 ? '' : (index % 40).toString(16).padStart(66, '0')}`,
    created_at: new Date(MADE_AT_MS + index * MINUTE_MS).toISOString(),
  }));
  await sql`insert into collect_requests
    select * from jsonb_populate_recordset(null::collect_requests, ${JSON.stringify(rows)}::jsonb)`.execute(
    bench.database,
  );
  await sql`analyze collect_requests`.execute(bench.database);
  const at = (minutes: number) => new Date(MADE_AT_MS + minutes * MINUTE_MS);
  const planId = rows[77]?.plan_id;
  const filters: readonly CollectFilter[] = [
    {},
    ...(['EXPIRED', 'DELIVERED', 'RETURNED'] as const).map((status) => ({ status })),
    { recipientId: 'rcp_seldom' },
    { recipientId: 'rcp_often' },
    { email: 'nobody@example.com' },
    { planId, status: 'DELIVERED' },
    { status: 'EXPIRED', createdFrom: at(1_000), createdTo: at(4_000) },
    { createdFrom: at(1_000), createdTo: at(4_000) },
  ];
  for (const filter of filters)
    for (const after of [undefined, `${MADE_AT_MS + 3_000 * MINUTE_MS}_1_plan_`]) {
      const page = roundsOf(bench.store, bench.scope, filter, { limit: 21, after });
      const read = await readBy(page);
      assert.ok(read.rows <= 42, `${read.rows} rows for ${JSON.stringify({ filter, after })}`);
      assert.ok(!read.kinds.has('Seq Scan'), JSON.stringify(filter));
    }
});
