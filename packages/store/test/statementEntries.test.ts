// Large files are imported, payments that are told after their statement find their entries, and a restore tells of entries again.
import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import type { Amount, Plan } from '@fairway/plan';
import type { StatementUnit } from '@fairway/statements';
import { sql } from 'kysely';
import type { KeptEntry } from '../src/index.ts';
import { statementFile } from './everyStatementOperation.ts';
import { contextAt } from './collecting.ts';
import { deposit, evidence, hashOf, MADE_AT_MS, stepId, swap } from './plans.ts';
import { jobKeys, openTestStore } from './storeOfTest.ts';

const bench = await openTestStore();
beforeEach(() => bench.clear());
after(() => bench?.close());

const BY = contextAt(MADE_AT_MS);
const DAY_MS = 86_400_000;

async function imported(...units: readonly Partial<StatementUnit>[]): Promise<readonly KeptEntry[]> {
  const { statements } = bench.store;
  const taken = await statements.importStatement(bench.scope, statementFile(units), BY);
  assert.ok(taken.ok);
  return entriesOf(taken.statement.statementId);
}

async function entriesOf(statementId: string): Promise<readonly KeptEntry[]> {
  const ask = { statementId, limit: 100 };
  const listed = await bench.store.statements.listEntries(bench.scope, ask);
  assert.ok(listed.ok);
  return listed.entries.map(({ entry }) => entry);
}

/** An entry as it is now: its status, and what led to it or speaks against it. */
async function now({ entryId }: KeptEntry): Promise<readonly string[]> {
  const { rows } = await sql<{ status: string; why: string[] }>`
    select status, array(select matched_by from entry_allocations a where a.entry_id = e.entry_id)
      || array(select jsonb_array_elements_text(p -> 'reasons') from jsonb_array_elements(e.proposals) p) as why
    from statement_entries e where entry_id = ${entryId}`.execute(bench.database);
  return [rows[0]?.status ?? '', ...(rows[0]?.why ?? [])];
}

/** The types of the events of an entry. */
async function told({ entryId }: KeptEntry): Promise<readonly string[]> {
  const { rows } = await sql<{ type: string }>`
    select type from events where subject_id = ${entryId} order by sequence`.execute(bench.database);
  return rows.map(({ type }) => type);
}

/** A plan that is due to be paid out. */
async function due(): Promise<Plan> {
  const plan = await bench.create();
  await bench.change(plan, deposit(plan, hashOf(`${plan.planId} in`)));
  return bench.change(plan, swap(plan, evidence(hashOf(`${plan.planId} out`), 10n ** 77n)));
}

/** The payout of a plan is told, of 12.34 unless given. */
function pay(plan: Plan, amount = '1234'): Promise<Plan> {
  return bench.change(plan, {
    type: 'PAYOUT_REPORTED',
    stepId: stepId(plan, 'CUSTODIAN_PAYOUT'),
    providerReference: `PO ${plan.planId}`,
    paid: { amount: amount as Amount, asset: { currency: 'AUD' } },
  });
}

/** What the job of a plan does, twice. */
async function match({ planId }: Plan): Promise<void> {
  for (const _ of [1, 2]) await bench.store.statements.matchPayments(bench.scope, planId, BY);
}

const ofPlan = (plan: Plan): Partial<StatementUnit> => ({
  minor: 1_234n,
  endToEndId: plan.endToEndId,
  servicerReference: `S ${plan.planId}`,
});
const ofName = (reference: string): Partial<StatementUnit> => ({
  minor: 1_234n,
  servicerReference: reference,
  name: 'ZEBEDEE QUILLFEATHER',
});

test('a file of 5,000 entries is imported while PostgreSQL has counted none of them yet', async () => {
  const units = Array.from({ length: 5_000 }, (_, index) => ({ servicerReference: `S ${index}` }));
  const taken = await bench.store.statements.importStatement(bench.scope, statementFile(units), BY);
  assert.ok(taken.ok, JSON.stringify(taken));
  assert.equal(taken.statement.counts.OPEN, 5_000);
});

test('the same payment twice, in two statements that follow each other, is two entries', async () => {
  const { statements } = bench.store;
  const at = (opening: bigint) => ({ minor: opening, on: '2026-11-24' });
  const unit = { bookedOn: '2026-11-24', name: 'Cy Twice' };
  const ids: string[] = [];
  for (const [opening, closing, count] of [
    [9_000n, 8_000n, 1],
    [8_000n, 7_000n, 1],
    [9_000n, 8_000n, 1],
    [8_000n, 7_000n, 1],
    [9_000n, 7_000n, 2],
  ] as const) {
    const units = Array.from({ length: count }, () => unit);
    const file = statementFile(units, { opening: at(opening), closing: at(closing) });
    const taken = await statements.importStatement(bench.scope, file, BY);
    assert.ok(taken.ok);
    ids.push(...(await entriesOf(taken.statement.statementId)).map(({ entryId }) => entryId));
  }
  const [first, second] = ids;
  assert.notEqual(first, second);
  assert.deepEqual(ids, [first, second, first, second, first, second]);
});

test('equal payments of three statements are three entries, whichever of them is imported first', async () => {
  const { statements } = bench.store;
  const at = (minor: bigint) => ({ minor, on: '2026-11-24' });
  const section = (number: string, opening: bigint, closing: bigint) => ({
    ...{ number, opening: at(opening), closing: at(closing) },
  });
  const [ten, eleven, twelve, day] = [
    section('10', 9_000n, 8_000n),
    section('11', 8_000n, 7_000n),
    section('12', 7_000n, 6_000n),
    section('13', 9_000n, 6_000n),
  ];
  const ids = new Set<string>();
  const counts: number[] = [];
  for (const each of [twelve, ten, eleven, twelve, ten, day]) {
    const units = Array.from({ length: each === day ? 3 : 1 }, () => ({ bookedOn: '2026-11-24' }));
    const taken = await statements.importStatement(bench.scope, statementFile(units, each), BY);
    assert.ok(taken.ok);
    for (const { entryId } of await entriesOf(taken.statement.statementId)) ids.add(entryId);
    counts.push(ids.size);
  }
  assert.deepEqual(counts, [1, 2, 3, 3, 3, 3]);
});

test('a payment that is told after its statement has a job, which matches the entry once', async () => {
  const [early, plan] = [await due(), await due()];
  await pay(early, '99');
  assert.ok(!(await jobKeys(bench.database)).includes(`matching:${early.planId}`), 'nothing is imported');
  const [entry, other] = await imported(ofPlan(plan), { minor: 77n });
  assert.ok(entry && other);
  assert.equal(entry.status, 'OPEN');
  await pay(plan);
  assert.ok((await jobKeys(bench.database)).includes(`matching:${plan.planId}`));
  await match(plan);
  assert.deepEqual(await now(entry), ['MATCHED', 'END_TO_END_ID']);
  assert.deepEqual(await told(entry), ['statement_entry.matched']);
  assert.deepEqual([await now(other), await told(other)], [['OPEN'], []]);
});

test('a payment that is told while the first statement is being imported has a job, too', async () => {
  const plan = await due();
  const { importing } = await bench.database.transaction().execute(async (transaction) => {
    await sql`lock table statements in share mode`.execute(transaction);
    const begun = { importing: imported(ofPlan(plan)) };
    const isWaiting = sql`select from pg_locks where locktype = 'relation' and not granted`;
    while ((await isWaiting.execute(bench.database)).rows.length === 0);
    await pay(plan);
    return begun;
  });
  await importing;
  assert.ok((await jobKeys(bench.database)).includes(`matching:${plan.planId}`));
});

test('a late payment that entries of two statements may be is certain for none of them', async () => {
  const plan = await due();
  const [one] = await imported(ofName('one'));
  const [two] = await imported(ofName('two'));
  assert.ok(one && two);
  await pay(plan);
  await match(plan);
  for (const each of [one, two]) assert.deepEqual(await now(each), ['TENTATIVE', 'SEVERAL_ENTRIES']);
});

test('an entry is not certain where an open one of an earlier statement may be the same payment', async () => {
  const plan = await due();
  const [early] = await imported({ ...ofName('early'), endToEndId: 'another' });
  await pay(plan);
  const day = new Date(MADE_AT_MS + DAY_MS).toISOString().slice(0, 10);
  const [late] = await imported({ ...ofName('late'), bookedOn: day, valueOn: day });
  assert.ok(early && late);
  assert.deepEqual(await now(late), ['TENTATIVE', 'SEVERAL_ENTRIES']);
  assert.deepEqual(await now(early), ['TENTATIVE', 'REFERENCE_DIFFERS', 'SEVERAL_ENTRIES']);
});

test('what a person has decided stays, whatever is told later', async () => {
  const plan = await due();
  const [ignored, unmatched] = await imported(ofPlan(plan), ofName('unmatched'));
  assert.ok(ignored && unmatched);
  const { decideEntry } = bench.store.statements;
  const ignore = { type: 'IGNORE', reason: 'fee' } as const;
  assert.ok((await decideEntry(bench.scope, ignored.entryId, ignore, BY)).ok);
  assert.ok((await decideEntry(bench.scope, unmatched.entryId, { type: 'UNMATCH' }, BY)).ok);
  await pay(plan);
  await match(plan);
  assert.deepEqual([await now(ignored), await now(unmatched)], [['IGNORED'], ['OPEN']]);
});

test('after a restore, entries are told again that are open or have changed since', async () => {
  const [plan, other] = [await due(), await due()];
  await pay(plan);
  await pay(other, '99');
  const [matched, tentative, open] = await imported(ofPlan(plan), { ...ofPlan(other), minor: 5n }, {});
  assert.ok(matched && tentative && open);
  const all = [matched, tentative, open];
  await sql`truncate events cascade`.execute(bench.database);
  const republish = async (sinceMs: number) => {
    let [after, count] = [undefined as string | undefined, 0];
    do {
      const part = await bench.store.operator.republishEntries({ sinceMs, limit: 2, after });
      [after, count] = [part.next, count + part.count];
    } while (after !== undefined);
    return count;
  };
  const states = ['MATCHED', 'TENTATIVE', 'OPEN'];
  assert.deepEqual(await Promise.all(all.map(async (each) => (await now(each))[0])), states);
  assert.equal(await republish(MADE_AT_MS + 1), 2);
  assert.equal(await republish(MADE_AT_MS), 3);
  const counts = await Promise.all(all.map(async (each) => (await told(each)).length));
  assert.deepEqual(counts, [1, 2, 2]);
});

test('an entry whose text names another payment is not certain, whether that was paid or not', async () => {
  const [one, other] = [await due(), await due()];
  await pay(one);
  for (const text of [`Invoice ${other.clientReference}`, `EREF+${other.endToEndId}`]) {
    const [entry] = await imported({ ...ofName(text), text });
    assert.ok(entry);
    assert.deepEqual(await now(entry), ['TENTATIVE', 'REFERENCE_DIFFERS'], text);
    await bench.store.statements.decideEntry(bench.scope, entry.entryId, { type: 'UNMATCH' }, BY);
  }
  const [entry] = await imported({ ...ofName('own'), text: `Invoice ${one.clientReference}, thanks` });
  assert.ok(entry);
  assert.deepEqual(await now(entry), ['MATCHED', 'CLIENT_REFERENCE']);
});

test('an entry with the number of one payment and a text that names another is not certain', async () => {
  const [one, other] = [await due(), await due()];
  await pay(one);
  await pay(other);
  const references = [`PO ${one.planId}`];
  for (const text of [`Invoice ${other.clientReference}`, `E2E ${other.endToEndId}`]) {
    const [entry] = await imported({ ...ofName(text), references, text });
    assert.ok(entry);
    assert.deepEqual(await now(entry), ['TENTATIVE', 'REFERENCE_DIFFERS'], text);
    await bench.store.statements.decideEntry(bench.scope, entry.entryId, { type: 'UNMATCH' }, BY);
  }
  const [entry] = await imported({ ...ofName('own'), references, text: `Invoice ${one.clientReference}` });
  assert.ok(entry);
  assert.deepEqual(await now(entry), ['MATCHED', 'PROVIDER_REFERENCE']);
});

test('a payment of which an attempt failed is certain by its own reference or a later day alone', async () => {
  const plan = await due();
  const step = { stepId: stepId(plan, 'CUSTODIAN_PAYOUT') };
  await bench.change(plan, { type: 'PAYOUT_FAILED', ...step, failure: { code: 'ACCOUNT_CLOSED' } });
  await bench.change(plan, { type: 'STEP_RETRIED', ...step });
  await pay(plan);
  const booked = { minor: 1_234n, endToEndId: plan.endToEndId };
  const [bounced] = await imported({ ...booked, servicerReference: 'one' });
  assert.ok(bounced);
  assert.deepEqual(await now(bounced), ['TENTATIVE', 'EARLIER_ATTEMPT']);
  await bench.store.statements.decideEntry(bench.scope, bounced.entryId, { type: 'UNMATCH' }, BY);
  const [paid] = await imported({ ...booked, servicerReference: 'two', references: [`PO ${plan.planId}`] });
  assert.ok(paid);
  assert.deepEqual(await now(paid), ['MATCHED', 'END_TO_END_ID']);
});

test('an entry that was matched by itself is judged again when a later file tells more of it', async () => {
  const [one, other] = [await due(), await due()];
  await pay(one);
  const [entry] = await imported(ofName('more'));
  assert.ok(entry);
  assert.deepEqual(await now(entry), ['MATCHED', 'AMOUNT_DATE_NAME']);
  await pay(other);
  const [again] = await imported({ ...ofName('more'), endToEndId: other.endToEndId });
  assert.equal(again?.entryId, entry.entryId);
  assert.deepEqual(
    again.allocations.map(({ planId, by }) => [planId, by]),
    [[other.planId, 'END_TO_END_ID']],
  );
  const types = ['matched', 'updated', 'matched'].map((type) => `statement_entry.${type}`);
  assert.deepEqual(await told(entry), types);
  // What a person has decided stays.
  const [own] = again.allocations;
  const allocations = [{ movementId: own?.movementId ?? '', minor: 1_234n }];
  const decision = { type: 'MATCH', allocations } as const;
  assert.ok(
    (await bench.store.statements.decideEntry(bench.scope, entry.entryId, { type: 'UNMATCH' }, BY)).ok,
  );
  assert.ok((await bench.store.statements.decideEntry(bench.scope, entry.entryId, decision, BY)).ok);
  await imported({ ...ofName('more'), endToEndId: one.endToEndId });
  assert.deepEqual(await now(entry), ['MATCHED', 'PERSON']);
});

test('a movement of which nobody told the amount in the currency is one entry', async () => {
  const plan = await due();
  const step = { stepId: stepId(plan, 'CUSTODIAN_PAYOUT') };
  const told = { verification: 'REPORTED', providerReference: 'PO without amount' } as const;
  const { ledger = [] } = await bench.change(plan, { type: 'PAYOUT_DONE', ...step, ...told });
  const movementId = ledger.find(({ kind }) => kind === 'PAYOUT')?.movementId ?? '';
  const [one, two] = await imported({ servicerReference: 'one' }, { servicerReference: 'two' });
  assert.ok(one && two);
  const decide = (entry: KeptEntry, minor: bigint) => {
    const decision = { type: 'MATCH', allocations: [{ movementId, minor }] } as const;
    return bench.store.statements.decideEntry(bench.scope, entry.entryId, decision, BY);
  };
  assert.ok((await decide(one, 900n)).ok);
  const refused = {
    ok: false,
    reason: 'MOVEMENT_TOO_SMALL',
    index: 0,
    leftMinor: 0n,
    entryIds: [one.entryId],
  };
  assert.deepEqual(await decide(two, 1n), refused);
  assert.ok((await decide(one, 1_000n)).ok, 'what one entry says of it can be corrected');
});

test('what was paid on a chain is no entry of a bank, whatever id that has', async () => {
  const plan = await due();
  await pay(plan);
  await sql`update movements set tx_hash = ${hashOf('to a wallet')}
    where plan_id = ${plan.planId} and kind = 'PAYOUT'`.execute(bench.database);
  const [entry] = await imported(ofPlan(plan));
  assert.ok(entry);
  assert.deepEqual(await now(entry), ['OPEN']);
});
