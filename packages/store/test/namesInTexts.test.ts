// Texts of entries that name payments of plans, whole or cut: of two payments alike no entry is the one that it does not name.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, beforeEach, test } from 'node:test';
import type { Amount, Plan, PlanCommand } from '@fairway/plan';
import { sql } from 'kysely';
import { BY, bookedPayments, NAME, newId, payoutOf, providerReferenceOf } from './bookedPayments.ts';
import { statementFile } from './everyStatementOperation.ts';
import { link, MASKED_DESTINATION, planToCollect, submitted } from './collecting.ts';
import { deposit, evidence, hashOf, MADE_AT_MS, newPlan, stepId, swap } from './plans.ts';
import { jobKeys, openTestStore } from './storeOfTest.ts';

const bench = await openTestStore();
beforeEach(() => bench.clear());
after(() => bench?.close());

const { due, pay, imported, latest, stateOf, madeLate } = bookedPayments(bench);

/** What a text can have of a plan whose payment nobody has told. */
const NAMED: Readonly<Record<string, (plan: Plan) => string>> = {
  'its end-to-end id': ({ endToEndId }) => `EREF+${endToEndId} SVWZ+rent`,
  'the first 16 characters of its end-to-end id': ({ endToEndId }) => `EREF+${endToEndId.slice(0, 16)}`,
  'the first 30 characters of its end-to-end id': ({ endToEndId }) => `${endToEndId.slice(0, 30)} rent`,
  'its clientReference': ({ clientReference }) => `rent ${clientReference} thanks`,
  'its clientReference cut at 35': ({ clientReference }) => clientReference.slice(0, 35),
  'its clientReference cut at 27, before other words': ({ clientReference }) =>
    `${clientReference.slice(0, 27)} ${NAME} thanks`,
  'its clientReference cut at 16': ({ clientReference }) => clientReference.slice(0, 16),
};

for (const [name, textOf] of Object.entries(NAMED))
  test(`an entry with ${name} is no other payment of that amount and name`, async () => {
    const [told, other] = [await due(), await due()];
    await pay(told);
    const state = await imported({ name: NAME, text: textOf(other) });
    assert.deepEqual(state, ['TENTATIVE', 'REFERENCE_DIFFERS']);
  });

/** Texts with many words that may be references, before that of a payment. */
const LONG = {
  'the marks of SEPA': [
    'SVWZ+Rechnung 4711 vom 28.11.2026 Kunde 10023 EREF+',
    ' MREF+M00012 CRED+DE98ZZZ09999999999',
  ],
  'all marks of SEPA': [
    'KREF+NONREF20261128 MREF+M-000-1234 CRED+DE98ZZZ09999999999 SVWZ+Rechnung Nr. 4711/2026 vom 28.11.2026, ' +
      'Kunde 10023, Vertrag 77/12-33, Abschlag November 2026 IBAN: DE89370400440532013000 EREF+',
    ' BIC: COBADEFFXXX ABWA: Muster GmbH',
  ],
  'some numbers': [numbers(33), ''],
  'more numbers than are kept': [numbers(450), ''],
  'as many ids as references are kept': [`${Array.from({ length: 20 }, newId).join(' ')} `, ''],
} as const;

function numbers(count: number): string {
  return Array.from({ length: count }, (_, index) => `${100_000 + index} `).join('');
}

for (const [name, [head, tail]] of Object.entries(LONG))
  test(`an entry with ${name} and a reference is no other payment, once that one is told`, async () => {
    const told = await pay(await due());
    const clientReference = `LATI-LONG-${randomBytes(4).readUInt32BE()}`;
    const state = await imported({ name: NAME, text: `${head}${clientReference}${tail}` });
    const plan = await bench.create({ ...newPlan({ clientReference }), endToEndId: newId() });
    await bench.change(plan, deposit(plan, hashOf('late in')));
    await pay(await bench.change(plan, swap(plan, evidence(hashOf('late out'), 10n ** 77n))));
    const isKept = !name.startsWith('more') && !name.startsWith('as many');
    assert.deepEqual(
      state,
      isKept ? ['MATCHED', 'AMOUNT_DATE_NAME', told.planId] : ['TENTATIVE', 'REFERENCE_DIFFERS'],
    );
    await bench.store.statements.matchPayments(bench.scope, plan.planId, BY);
    const now = await latest();
    assert.deepEqual(
      now.slice(0, 3),
      isKept
        ? ['MATCHED', 'CLIENT_REFERENCE', plan.planId]
        : ['TENTATIVE', 'REFERENCE_DIFFERS', 'SEVERAL_MOVEMENTS'],
    );
  });

test('an entry that names a payment is no other one, once that payment has failed', async () => {
  const told = await pay(await due());
  const other = await due();
  const providerReference = 'RETRY-2026-0001';
  const state = await imported({ name: NAME, text: `rent ${providerReference}` });
  assert.deepEqual(state, ['MATCHED', 'AMOUNT_DATE_NAME', told.planId]);
  const failure = { code: 'ACCOUNT_CLOSED' } as const;
  await bench.change(other, { type: 'PAYOUT_FAILED', ...payoutOf(other), failure, providerReference });
  assert.ok((await jobKeys(bench.database)).includes(`matching:${other.planId}`));
  await bench.store.statements.matchPayments(bench.scope, other.planId, BY);
  assert.deepEqual(await latest(), ['TENTATIVE', 'REFERENCE_DIFFERS']);
});

test('the id of an attempt to come, and the number of one that failed, name their payment', async () => {
  const [told, other] = [await due(), await due()];
  await pay(told);
  const failure = { code: 'ACCOUNT_CLOSED' } as const;
  const providerReference = 'RETRY-2026-0001';
  await bench.change(other, { type: 'PAYOUT_FAILED', ...payoutOf(other), failure, providerReference });
  const endToEndId = newId();
  const recipient = { ...told.recipient, fingerprint: 'f9' };
  await bench.change(other, { type: 'RECIPIENT_REPLACED', ...payoutOf(other), recipient, endToEndId });
  for (const text of [other.endToEndId, endToEndId, endToEndId.slice(0, 18), providerReference])
    assert.deepEqual(
      (await imported({ name: NAME, text: `rent ${text}` })).slice(0, 2),
      ['TENTATIVE', 'REFERENCE_DIFFERS'],
      text,
    );
});

test("the client's reference in a text is its plan's payment, and a short one needs the name", async () => {
  const plan = await due();
  await pay(plan);
  const named = ['MATCHED', 'CLIENT_REFERENCE', plan.planId];
  assert.deepEqual(await imported({ text: `rent ${plan.clientReference}` }), named);
  const short = await bench.create({ ...newPlan({ clientReference: '2026/7' }), endToEndId: newId() });
  await bench.change(short, deposit(short, hashOf('short in')));
  await bench.change(short, swap(short, evidence(hashOf('short out'), 10n ** 77n)));
  await pay(short);
  assert.deepEqual(await imported({ text: 'rent 2026 7' }), ['TENTATIVE', 'NAME_UNKNOWN']);
});

test('a reference of the provider that is cut in a text is cut', async () => {
  const plan = await due();
  await pay(plan);
  for (const length of [35, 30, 16])
    assert.deepEqual(
      await imported({ text: `payout ${providerReferenceOf(plan).slice(0, length)}` }),
      length === 35 ? ['TENTATIVE', 'REFERENCE_CUT'] : ['TENTATIVE', 'REFERENCE_CUT', 'SEVERAL_ENTRIES'],
    );
});

test('of a plan with hundreds of payments that is only named, the newest ones are looked at', async () => {
  const plan = await due();
  const { ledger = [] } = await pay(plan);
  const seq = ledger.at(-1)?.seq ?? assert.fail();
  const text = `rent ${plan.clientReference}`;
  const file = { text, bookedOn: '2025-01-02', valueOn: '2025-01-02' };
  assert.deepEqual(await imported(file), ['TENTATIVE', 'DAY_DIFFERS']);
  const other = { paid: { amount: '99', asset: { currency: 'AUD' } } };
  await sql`insert into movements select (jsonb_populate_record(m, jsonb_build_object(
      'seq', m.seq + place, 'provider_reference', 'OTHER' || place) || ${JSON.stringify(other)}::jsonb)).*
    from movements m, generate_series(1, 200) place
    where m.plan_id = ${plan.planId} and m.seq = ${seq}`.execute(bench.database);
  const [status, ...reasons] = await imported({ ...file, servicerReference: 'later' });
  assert.deepEqual([status, reasons.includes('AMOUNT_DIFFERS')], ['TENTATIVE', true]);
});

test('a reference that was reported for another plan by mistake names that one no more', async () => {
  const [wrong, right] = [await due(), await due()];
  const providerReference = 'PAYOUT-2026-0007';
  const told = { type: 'PAYOUT_REPORTED', providerReference } as const;
  const paid = { amount: '1234' as Amount, asset: { currency: 'AUD' } };
  const paidWrong = await bench.change(wrong, { ...told, ...payoutOf(wrong), paid });
  const corrects = paidWrong.ledger?.at(-1)?.movementId ?? assert.fail();
  await bench.change(paidWrong, { ...told, ...payoutOf(wrong), discharged: '0' as Amount, corrects });
  await bench.change(right, { ...told, ...payoutOf(right), paid });
  const { endToEndId } = right;
  const state = await imported({ endToEndId, references: [providerReference], name: NAME });
  assert.deepEqual(state, ['MATCHED', 'END_TO_END_ID', right.planId]);
});

/** Tells that a payment has this reference, and is not made yet. */
const TOLD: Readonly<Record<string, (providerReference: string) => Promise<Plan>>> = {
  async 'a payout that is held'(providerReference) {
    const hold = { reason: 'OTHER', needs: [] } as const;
    const plan = await due();
    return bench.change(plan, { type: 'PAYOUT_HELD', ...payoutOf(plan), hold, providerReference });
  },
  async 'a payout that failed'(providerReference) {
    const failure = { code: 'ACCOUNT_CLOSED' } as const;
    const plan = await due();
    return bench.change(plan, { type: 'PAYOUT_FAILED', ...payoutOf(plan), failure, providerReference });
  },
  'a delivery that is sent': (providerReference) => delivered({ status: 'SENT', providerReference }),
  'a delivery that failed': (providerReference) =>
    delivered({ status: 'FAILED', failure: { code: 'OTHER' }, providerReference }),
};

for (const then of ['fails', 'is held again'])
  test(`a payout that was held under a reference, and ${then} without one, keeps it`, async () => {
    await pay(await due());
    const plan = await due();
    const hold = { reason: 'OTHER', needs: [] } as const;
    const providerReference = 'PAYOUT-2026-0010';
    const told = { type: 'PAYOUT_HELD', ...payoutOf(plan), hold } as const;
    const held = await bench.change(plan, { ...told, providerReference });
    const failure = { code: 'ACCOUNT_CLOSED' } as const;
    await bench.change(
      held,
      then === 'fails'
        ? { type: 'PAYOUT_FAILED', ...payoutOf(plan), failure }
        : { ...told, hold: { ...hold, reason: 'BANK_DELAY' } },
    );
    const state = await imported({ references: [providerReference], name: NAME });
    assert.deepEqual(state, ['TENTATIVE', 'REFERENCE_DIFFERS']);
  });

type Report = Extract<PlanCommand, { readonly type: 'DELIVERY_REPORTED' }>;

async function delivered(told: Pick<Report, 'status' | 'failure' | 'providerReference'>): Promise<Plan> {
  const linked = await link(bench, await planToCollect(bench), randomBytes(16).toString('hex'));
  const chosen = await bench.change(linked, submitted(linked));
  const step = { stepId: stepId(chosen, 'SEND_DIGITAL_COLLECT') };
  return bench.change(chosen, { type: 'DELIVERY_REPORTED', ...step, verification: 'REPORTED', ...told });
}

for (const [name, tell] of Object.entries(TOLD))
  test(`an entry with the provider's reference of ${name} is no other payment`, async () => {
    await pay(await due());
    const providerReference = 'PAYOUT-2026-0008';
    await tell(providerReference);
    const state = await imported({ references: [providerReference], name: NAME });
    assert.deepEqual(state, ['TENTATIVE', 'REFERENCE_DIFFERS']);
  });

for (const [name, tell] of Object.entries(TOLD))
  test(`an entry is another payment no more once its reference is told of ${name}`, async () => {
    const { planId: other } = await pay(await due());
    const providerReference = 'PAYOUT-2026-0009';
    const file = statementFile([{ minor: 1_234n, references: [providerReference], name: NAME }]);
    const taken = await bench.store.statements.importStatement(bench.scope, file, BY);
    assert.ok(taken.ok);
    const { statementId } = taken.statement;
    assert.deepEqual(await stateOf(statementId), ['MATCHED', 'AMOUNT_DATE_NAME', other]);
    const { planId } = await tell(providerReference);
    assert.ok((await jobKeys(bench.database)).includes(`matching:${planId}`));
    await bench.store.statements.matchPayments(bench.scope, planId, BY);
    assert.deepEqual(await stateOf(statementId), ['TENTATIVE', 'REFERENCE_DIFFERS']);
  });

test('an entry with the id of its payment is that, though its text has a short word of another', async () => {
  const plan = await due();
  await pay(plan);
  await bench.create({ ...newPlan({ clientReference: '1234' }), endToEndId: newId() });
  const unit = { text: 'Transfer AUD 12.34', references: [providerReferenceOf(plan)], name: NAME };
  assert.deepEqual(await imported(unit), ['TENTATIVE', 'REFERENCE_DIFFERS']);
  const { endToEndId, planId } = plan;
  const servicerReference = 'with the id';
  const own = await imported({ ...unit, servicerReference, endToEndId });
  assert.deepEqual(own, ['MATCHED', 'END_TO_END_ID', planId]);
  const other = await bench.create({ ...newPlan({ clientReference: 'INV-2026-12' }), endToEndId: newId() });
  const long = await imported({ endToEndId, text: `rent ${other.clientReference}`, name: NAME });
  assert.deepEqual(long.slice(0, 2), ['TENTATIVE', 'REFERENCE_DIFFERS']);
});

test('an entry is another payment no more once a plan is made that its text names', async () => {
  await bench.create();
  assert.deepEqual(await matchingJobs(), [], 'nothing is imported');
  const told = await pay(await due());
  for (const [clientReference, text] of [
    ['LATE-2026-0001', 'rent LATE-2026-0001 thanks'],
    ['LATE-2026-0002 for the harbour office', 'rent LATE-2026-0002 f'],
    ['A-17', 'Invoice A-17, thanks'],
  ] as const) {
    assert.deepEqual(
      await imported({ name: NAME, text }),
      ['MATCHED', 'AMOUNT_DATE_NAME', told.planId],
      text,
    );
    const { planId } = await madeLate(clientReference);
    assert.ok((await matchingJobs()).includes(`matching:${planId}`));
    await bench.store.statements.matchPayments(bench.scope, planId, BY);
    assert.deepEqual(await latest(), ['TENTATIVE', 'REFERENCE_DIFFERS'], text);
    await sql`truncate statements, statement_entries cascade`.execute(bench.database);
  }
});

async function matchingJobs(): Promise<readonly string[]> {
  return (await jobKeys(bench.database)).filter((key) => key.startsWith('matching:'));
}

/** References, whether their plan is made after the statement, and whether a text that has them names it. */
const SHORT = [
  ['A-17', false, true],
  ['A-18', true, true],
  ['R7', false, false],
  ['R8', true, false],
  ['RENT', false, false],
  ['FEES', true, false],
] as const;

for (const [clientReference, isLate, isFound] of SHORT)
  test(`a text with ${clientReference} ${isFound ? 'names its plan' : 'names nothing'}`, async () => {
    const told = await pay(await due());
    if (!isLate) await madeLate(clientReference);
    await imported({ name: NAME, text: `pays ${clientReference} thanks` });
    const late = isLate ? [await madeLate(clientReference)] : [];
    for (const { planId } of late) await bench.store.statements.matchPayments(bench.scope, planId, BY);
    const expected = isFound
      ? ['TENTATIVE', 'REFERENCE_DIFFERS']
      : ['MATCHED', 'AMOUNT_DATE_NAME', told.planId];
    assert.deepEqual(await latest(), expected);
  });

test('a short reference is not looked for in entries from long before its plan', async () => {
  for (const [daysBefore, isFound] of [
    [10, true],
    [11, false],
  ] as const)
    for (const [clientReference, isLong] of [
      [`A-${daysBefore}`, false],
      [`INV-2026-${daysBefore}`, true],
    ] as const) {
      const atMs = MADE_AT_MS - daysBefore * 86_400_000;
      const told = await pay(await due(), atMs);
      const on = new Date(atMs).toISOString().slice(0, 10);
      await imported({ name: NAME, text: `for ${clientReference}`, bookedOn: on, valueOn: on });
      const { planId } = await madeLate(clientReference);
      await bench.store.statements.matchPayments(bench.scope, planId, BY);
      const expected =
        isFound || isLong ? ['TENTATIVE', 'REFERENCE_DIFFERS'] : ['MATCHED', 'AMOUNT_DATE_NAME', told.planId];
      assert.deepEqual(await latest(), expected, clientReference);
      await bench.clear();
    }
});

/** References, the entry's and that of another plan, and what the entry is then. */
const MAY_BE_CUT = [
  ['INV-2026-0000001', 'INV-2026-00000012 for the harbour', ['TENTATIVE', 'REFERENCE_CUT']],
  ['INV2026000000', 'INV/2026/00000-012', ['TENTATIVE', 'REFERENCE_CUT']],
  [
    'INV-2026-0000001 services to the harb',
    'INV-2026-0000001 services to the harbour',
    ['MATCHED', 'CLIENT_REFERENCE'],
  ],
  ['INV-2026-0001 services to t', 'INV-2026-0001 services to the harbour', ['TENTATIVE', 'REFERENCE_CUT']],
  ['INV-2026-0001 services to the ', 'INV-2026-0001 services to the harbour', ['TENTATIVE', 'REFERENCE_CUT']],
  ['INV-2026-000001', 'INV-2026-0000012 for the harbour', ['MATCHED', 'CLIENT_REFERENCE']],
] as const;

for (const [own, other, expected] of MAY_BE_CUT)
  for (const isLate of [false, true])
    test(`an entry with ${own} beside a plan ${other}, made ${isLate ? 'after' : 'before'} it`, async () => {
      const plan = await madeLate(own);
      await bench.change(plan, deposit(plan, hashOf('cut in')));
      await pay(await bench.change(plan, swap(plan, evidence(hashOf('cut out'), 10n ** 77n))));
      if (!isLate) await madeLate(other);
      const state = await imported({ name: NAME, references: [own] });
      if (isLate) {
        assert.deepEqual(state.slice(0, 2), ['MATCHED', 'CLIENT_REFERENCE']);
        const { planId } = await madeLate(other);
        for (const _ of [1, 2]) await bench.store.statements.matchPayments(bench.scope, planId, BY);
      }
      assert.deepEqual((await latest()).slice(0, 2), expected);
      // Another reference of the payment tells it.
      const { endToEndId } = plan;
      const sure = await imported({ name: NAME, references: [own], endToEndId, servicerReference: 'sure' });
      if (expected[0] === 'TENTATIVE') assert.ok(!sure.includes('REFERENCE_CUT'), String(sure));
    });

test('an entry whose text was not read to its end is no payment by amount, day and name', async () => {
  const told = await pay(await due());
  const unit = { name: NAME, text: 'rent of the harbour office' };
  const cut = await imported({ ...unit, isTextCut: true });
  assert.deepEqual(cut, ['TENTATIVE', 'REFERENCE_DIFFERS']);
  const { endToEndId, planId } = told;
  const named = await imported({ ...unit, isTextCut: true, endToEndId, servicerReference: 'named' });
  assert.deepEqual(named.slice(0, 3), ['MATCHED', 'END_TO_END_ID', planId]);
});

test('the references and ids of deliveries of earlier rounds name their payment', async () => {
  await pay(await due());
  const failure = { code: 'OTHER' } as const;
  const failed = await delivered({ status: 'FAILED', failure, providerReference: 'ROUND-2026-0001' });
  const step = { stepId: stepId(failed, 'SEND_DIGITAL_COLLECT') };
  const linked = await link(bench, failed, randomBytes(16).toString('hex'), 'REOPENED');
  const endToEndId = newId();
  const destination = { ...MASKED_DESTINATION, fingerprint: 'f4' };
  const chosen = await bench.change(linked, { ...submitted(linked), destination, endToEndId } as PlanCommand);
  const told = { type: 'DELIVERY_REPORTED', ...step, verification: 'REPORTED' } as const;
  const second = { status: 'FAILED', failure, providerReference: 'ROUND-2026-0002' } as const;
  const again = await bench.change(chosen, { ...told, ...second });
  const third = await link(bench, again, randomBytes(16).toString('hex'), 'REOPENED');
  const last = { ...submitted(third), destination: { ...destination, fingerprint: 'f5' } } as PlanCommand;
  await bench.change(third, { ...last, endToEndId: newId() } as PlanCommand);
  for (const text of ['ROUND-2026-0001', 'ROUND-2026-0002', endToEndId])
    for (const shown of [text, text.slice(0, 14)])
      assert.deepEqual(
        (await imported({ name: NAME, text: `rent ${shown}` })).slice(0, 2),
        ['TENTATIVE', 'REFERENCE_DIFFERS'],
        shown,
      );
});

test('a delivery of which the rest has failed is judged again, also without a reference', async () => {
  const linked = await link(bench, await planToCollect(bench), randomBytes(16).toString('hex'));
  const chosen = await bench.change(linked, submitted(linked));
  const step = { stepId: stepId(chosen, 'SEND_DIGITAL_COLLECT') };
  const money = { paid: { amount: '1234' as Amount, asset: { currency: 'AUD' } }, discharged: '5' as Amount };
  await bench.change(chosen, { type: 'PAYOUT_REPORTED', ...step, providerReference: 'PART-1', ...money });
  const { planId } = chosen;
  assert.deepEqual(await imported({ name: NAME }), ['MATCHED', 'AMOUNT_DATE_NAME', planId]);
  await sql`truncate graphile_worker._private_jobs`.execute(bench.database);
  const failure = { code: 'OTHER' } as const;
  const told = { type: 'DELIVERY_REPORTED', ...step, verification: 'REPORTED' } as const;
  await bench.change(chosen, { ...told, status: 'FAILED', failure });
  assert.deepEqual(await matchingJobs(), [`matching:${planId}`]);
  await bench.store.statements.matchPayments(bench.scope, planId, BY);
  assert.deepEqual(await latest(), ['TENTATIVE', 'EARLIER_ATTEMPT']);
});

test('an entry that may be two payments is the other one once one of them is taken back', async () => {
  const [one, other] = [await pay(await due()), await pay(await due())];
  assert.deepEqual(await imported({ name: NAME }), ['TENTATIVE', 'SEVERAL_MOVEMENTS']);
  await sql`truncate graphile_worker._private_jobs`.execute(bench.database);
  const corrects = one.ledger?.at(-1)?.movementId ?? assert.fail();
  const providerReference = providerReferenceOf(one);
  const told = { type: 'PAYOUT_REPORTED', ...payoutOf(one), providerReference } as const;
  await bench.change(one, { ...told, discharged: '0' as Amount, corrects });
  assert.deepEqual(await matchingJobs(), [`matching:${one.planId}`]);
  await bench.store.statements.matchPayments(bench.scope, one.planId, BY);
  assert.deepEqual(await latest(), ['MATCHED', 'AMOUNT_DATE_NAME', other.planId]);
});
