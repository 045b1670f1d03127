// Reports of payments to accounts that tell amounts, over HTTP. They tell a custodian's fee, cents for units, or a
// currency that the custodian converted to. Some of them were wrong.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { MovementList } from '@fairway/wire';
import {
  assertProblem,
  freshAddress,
  startPaymentsTest,
  statusesOf,
  stepOf,
  FILIPINO,
  type WholePlan,
} from '../paymentsHarness.ts';

const payments = await startPaymentsTest();
after(() => payments.close());

const php = (amount: string) => ({ amount, asset: { currency: 'PHP' } });
let references = 0;
const freshReference = () => `PO-${++references}`;

/** A plan that is due to pay out: 250 USDC that the custodian converts to PHP, unless `fields` say otherwise. */
async function due(fields: object = {}): Promise<WholePlan> {
  const asked = { corridorId: 'usdc-php-emoney', amountIn: '250000000', recipient: FILIPINO, ...fields };
  const plan = await payments.plan(asked);
  return payments.played(plan, 'deposit.exact', 'swap.done');
}

/** Reports the payout as DONE; a 200. */
async function reported(plan: WholePlan, report: object): Promise<WholePlan> {
  const { status, text, body } = await payments.report(plan, 'CUSTODIAN_PAYOUT', {
    outcome: 'DONE',
    ...report,
  });
  assert.equal(status, 200, text);
  return body;
}

const usdc = (amount: string) => ({
  amount,
  asset: {
    ...{ chainId: payments.sandbox.chainId, address: payments.token('USDC') },
    ...{ symbol: 'USDC', decimals: 6 },
  },
});

async function movementsOf({ planId }: WholePlan): Promise<MovementList['data']> {
  const { json } = await payments.ask(`/v1/payments/${planId}/movements`);
  return (json as MovementList).data;
}

function payoutFunds({ funds }: WholePlan) {
  const { paidOut, deducted, outstanding } = funds.at(-1) ?? assert.fail();
  return { paidOut, deducted, outstanding };
}

test("a custodian's fee completes no plan in silence: a person is asked, then it is deducted", async () => {
  const plan = await due();
  const providerReference = freshReference();
  const short = await reported(plan, { providerReference, amount: '245000000' });
  assert.deepEqual(
    [short.status, statusesOf(short), short.next?.why],
    ['ACTION_REQUIRED', 'DONE DONE READY', 'PAYMENT_UNCLEAR'],
  );
  const { detail = '' } = short.next ?? {};
  assert.match(detail, /account for 245 USDC .* of 250 USDC .* where 5 USDC/);
  const recorded = (await movementsOf(short)).find(({ kind }) => kind === 'PAYOUT')?.movementId;
  assert.match(detail, new RegExp(`${providerReference} paid 245 USDC .*"corrects": "${recorded}"`));
  assert.deepEqual(payoutFunds(short), { paidOut: '245000000', deducted: '0', outstanding: '5000000' });

  const deductions = [{ ...usdc('5000000'), reason: 'wire fee' }];
  const done = await reported(plan, { providerReference, deductions });
  assert.equal(done.status, 'COMPLETED');
  assert.deepEqual(payoutFunds(done), { paidOut: '245000000', deducted: '5000000', outstanding: '0' });
  assert.deepEqual(stepOf(done, 'CUSTODIAN_PAYOUT').deductions, deductions);
  const again = await reported(plan, { providerReference, amount: '245000000', deductions });
  assert.equal(again.revision, done.revision);
});

test('what was paid in the currency settles all, and is shown with its fee and its rate', async () => {
  const plan = await due();
  const report = { paid: php('1412500'), fee: php('5000'), rate: '56.50' };
  const done = await reported(plan, { providerReference: freshReference(), ...report });
  assert.equal(done.status, 'COMPLETED');
  const { paid, fee, rate, paidAmount } = stepOf(done, 'CUSTODIAN_PAYOUT');
  assert.deepEqual({ paid, fee, rate }, report);
  assert.equal(paidAmount, '250000000');
  const payout = (await movementsOf(done)).find(({ kind }) => kind === 'PAYOUT');
  assert.deepEqual([payout?.actual, payout?.paid, payout?.rate], ['250000000', report.paid, '56.50']);
});

test('a report that contradicts its own rate is asked about, and settles all once it is correcte', async () => {
  const plan = await due();
  const providerReference = freshReference();
  const asked = await reported(plan, { providerReference, paid: php('14125'), rate: '56.50' });
  assert.deepEqual([asked.status, asked.next?.why], ['ACTION_REQUIRED', 'PAYMENT_UNCLEAR']);
  const detail = asked.next?.detail ?? '';
  const corrects = (await movementsOf(asked)).find(({ kind }) => kind === 'PAYOUT')?.movementId ?? '';
  assert.match(
    detail,
    new RegExp(`told is 56.50, .*14125.00 PHP \\(1412500 minor units\\).*"corrects": "${corrects}"`),
  );
  const done = await reported(plan, { providerReference, paid: php('1412500'), rate: '56.50', corrects });
  assert.equal(done.status, 'COMPLETED');
  assert.deepEqual(payoutFunds(done), { paidOut: '250000000', deducted: '0', outstanding: '0' });
});

test('an amount in cents is noticed, and corrected', async () => {
  const account = { iban: 'DE89370400440532013000' };
  const recipient = { type: 'bank', name: 'Jo Citizen', country: 'DE', account };
  const plan = await due({ corridorId: 'usdc-eur-iban', recipient });
  const units = stepOf(plan, 'CUSTODIAN_PAYOUT').custodianAction?.amount ?? '';
  const { decimals = 0 } = payments.sandbox.tokens.find(({ symbol }) => symbol === 'tEUR') ?? {};
  const cent = 10n ** BigInt(decimals - 2);
  const cents = String(BigInt(units) / cent);
  const providerReference = freshReference();
  const wrong = await reported(plan, { providerReference, amount: cents });
  assert.equal(wrong.next?.why, 'PAYMENT_UNCLEAR');
  const asked = ` Was ${cents} told in another unit, such as cents or whole tokens\\? .*: correct it with ${BigInt(cents) * cent} if`;
  assert.match(wrong.next?.detail ?? '', new RegExp(asked));
  const corrects = (await movementsOf(wrong)).find(({ kind }) => kind === 'PAYOUT')?.movementId;
  const right = { providerReference, paid: { amount: cents, asset: { currency: 'EUR' } }, corrects };
  const paid = await reported(plan, right);
  assert.equal(paid.status, 'COMPLETED');
  // A pegged currency has no parts of a cent: the part that is left is deducted.
  const rest = String(BigInt(units) % cent);
  const { chainId } = payments.sandbox;
  const asset = { chainId, address: payments.token('tEUR'), symbol: 'tEUR', decimals };
  const deducted = [{ amount: rest, asset, reason: 'less than the smallest unit of EUR' }];
  const { deductions = [] } = stepOf(paid, 'CUSTODIAN_PAYOUT');
  assert.deepEqual(deductions, rest === '0' ? [] : deducted);
  assert.equal(payoutFunds(paid).outstanding, '0');
  assert.equal((await reported(plan, right)).revision, paid.revision);
  const kinds = (await movementsOf(paid)).filter(({ kind }) => kind === 'PAYOUT');
  assert.deepEqual(
    kinds.map(({ actual, reverses }) => [actual, reverses]),
    [
      [cents, undefined],
      [cents, corrects],
      [String(BigInt(cents) * cent), undefined],
    ],
  );
});

test('what a payment was rounded up to the cent by is unexplained, and asks nobody for anything', async () => {
  const account = { iban: 'DE89370400440532013000' };
  const recipient = { type: 'bank', name: 'Jo Citizen', country: 'DE', account };
  const amountIn = '249999999';
  const plan = await due({ corridorId: 'usdc-eur-iban', amountIn, recipient });
  const units = BigInt(stepOf(plan, 'CUSTODIAN_PAYOUT').custodianAction?.amount ?? '');
  const { decimals = 0 } = payments.sandbox.tokens.find(({ symbol }) => symbol === 'tEUR') ?? {};
  const cent = 10n ** BigInt(decimals - 2);
  assert.notEqual(units % cent, 0n, 'the swap brought parts of a cent');
  const euros = (cents: bigint) => ({ amount: String(cents), asset: { currency: 'EUR' } });
  const providerReference = freshReference();
  // A fee of a euro makes the sum a part of a cent more than what is due.
  const [cents, fee] = [units / cent - 99n, 100n];
  const deductions = [{ ...euros(fee), reason: 'fee' }];
  const paid = await reported(plan, { providerReference, paid: euros(cents), deductions });
  assert.deepEqual([paid.status, paid.next], ['COMPLETED', undefined]);
  const [above] = paid.funds.at(-1)?.unallocated ?? [];
  assert.deepEqual(
    [above?.amount, above?.direction, above?.reason],
    [String(cent - (units % cent)), 'OUT', 'PAID_ABOVE_DUE'],
  );
  const { left, unexplained } = paid.money.at(-1) ?? {};
  assert.deepEqual([left, unexplained], [String((units % cent) - cent), String((units % cent) - cent)]);
  const more = await reported(plan, { providerReference: freshReference(), amount: String(cent) });
  assert.equal(more.next?.why, 'MONEY_UNEXPLAINED', 'a whole cent is money');
  assert.equal(more.money.at(-1)?.unexplained, String((units % cent) - 2n * cent));
  const closed = await payments.end(plan, { reason: 'OTHER' });
  assert.deepEqual([closed.status, closed.body.next], [200, undefined], closed.text);
});

test('a payment that was told of the wrong plan is taken back, and told of the right one', async () => {
  const [wrong, right] = [await due(), await due()];
  const providerReference = freshReference();
  const done = await reported(wrong, { providerReference });
  const taken = await payments.report(right, 'CUSTODIAN_PAYOUT', { outcome: 'DONE', providerReference });
  assertProblem(taken, 409, 'evidence-mismatch', new RegExp(wrong.planId));
  const nothing = { outcome: 'DONE', providerReference, amount: '0' };
  assertProblem(
    await payments.report(wrong, 'CUSTODIAN_PAYOUT', nothing),
    400,
    'validation-failed',
    /amount must be more than zero/,
  );
  const corrects = (await movementsOf(done)).find(({ kind }) => kind === 'PAYOUT')?.movementId;
  const open = await reported(wrong, { ...nothing, corrects });
  assert.deepEqual([open.status, open.next?.why], ['ACTION_REQUIRED', 'PAYOUT_DUE']);
  assert.deepEqual(payoutFunds(open), { paidOut: '0', deducted: '0', outstanding: '250000000' });
  assert.equal((await reported(wrong, { ...nothing, corrects })).revision, open.revision);
  assert.equal((await reported(right, { providerReference })).status, 'COMPLETED');
  assert.equal((await reported(wrong, { providerReference: freshReference() })).status, 'COMPLETED');
});

test('a correction is recorded although another plan has the deposit address by now', async () => {
  const options = { mode: 'STANDARD', depositAddress: freshAddress() };
  const first = await due({ options });
  const providerReference = freshReference();
  const done = await reported(first, { providerReference });
  const corrects = (await movementsOf(done)).find(({ kind }) => kind === 'PAYOUT')?.movementId;
  const second = await due({ options });
  const open = await reported(first, { providerReference, amount: '0', corrects });
  assert.equal(open.next?.why, 'PAYOUT_DUE');
  assert.equal((await reported(second, { providerReference: freshReference() })).status, 'COMPLETED');
  assert.equal((await reported(first, { providerReference: freshReference() })).status, 'COMPLETED');
});

test('a part that comes back before the rest is paid ends the attempt, and is paid again', async () => {
  const plan = await due();
  await reported(plan, { providerReference: freshReference(), amount: '200000000' });
  const back = { outcome: 'RETURNED', providerReference: freshReference(), amount: '200000000' };
  const { status, text, body } = await payments.report(plan, 'CUSTODIAN_PAYOUT', back);
  assert.equal(status, 200, text);
  assert.deepEqual([body.status, body.next?.why], ['RETURNED', 'MONEY_RETURNED']);
  const { endToEndId } = stepOf(body, 'CUSTODIAN_PAYOUT').custodianAction ?? assert.fail();
  const again = await payments.again(body);
  assert.equal(again.status, 200, again.text);
  const action = stepOf(again.body, 'CUSTODIAN_PAYOUT').custodianAction ?? assert.fail();
  assert.equal(again.body.next?.pay?.amount, '250000000');
  assert.notEqual(action.endToEndId, endToEndId);
  assert.equal((await reported(plan, { providerReference: freshReference() })).status, 'COMPLETED');
});

test('a report that contradicts an earlier one is a 409 with both values, and changes nothing', async () => {
  const plan = await due();
  const providerReference = freshReference();
  const occurredAt = '2026-01-02T03:04:05.000Z';
  const done = await reported(plan, { providerReference, paid: php('1412500'), occurredAt });
  const text = await payments.textOf(plan.planId);
  for (const [told, both] of [
    [{ amount: '245000000' }, /250000000, this report says 245000000/],
    [
      { paid: php('1400000') },
      /14125\.00 PHP \(1412500 minor units\), this report says 14000\.00 PHP \(1400000 minor units\)/,
    ],
    [{ occurredAt: '2026-01-02T03:04:06Z' }, /occurredAt 2026-01-02T03:04:05.000Z, this report says 2026-/],
  ] as const) {
    const answer = await payments.report(done, 'CUSTODIAN_PAYOUT', {
      outcome: 'DONE',
      providerReference,
      ...told,
    });
    assertProblem(answer, 409, 'evidence-mismatch', both);
  }
  assert.equal(await payments.textOf(plan.planId), text);
  const back = { outcome: 'RETURNED', providerReference: freshReference() };
  const { body } = await payments.report(done, 'CUSTODIAN_PAYOUT', back);
  assert.deepEqual(
    body.returns.map(({ amount }) => amount),
    ['250000000'],
    'what was told without an amount is all that was paid',
  );
});

test('a payment reported without amounts after a part pays the rest', async () => {
  const plan = await due();
  await reported(plan, { providerReference: freshReference(), amount: '200000000' });
  const done = await reported(plan, { providerReference: freshReference() });
  assert.equal(done.status, 'COMPLETED');
  assert.deepEqual(payoutFunds(done), { paidOut: '250000000', deducted: '0', outstanding: '0' });
});

test('a second payment by mistake is recorded above what is due, and known after an end', async () => {
  const plan = await due();
  const first = await reported(plan, { providerReference: freshReference() });
  const providerReference = freshReference();
  const plain = await payments.report(plan, 'CUSTODIAN_PAYOUT', { outcome: 'DONE', providerReference });
  assertProblem(plain, 409, 'step-not-ready', /DONE already.* reported with its amount/);
  const twice = await reported(plan, { providerReference, amount: '40000000' });
  assert.deepEqual([twice.status, twice.next?.why], ['COMPLETED', 'MONEY_UNEXPLAINED']);
  assert.match(twice.next?.detail ?? '', /^40 USDC .* was paid above what was due/);
  assert.deepEqual(payoutFunds(twice), { paidOut: '290000000', deducted: '0', outstanding: '0' });
  assert.deepEqual(
    twice.funds.at(-1)?.unallocated.map(({ amount, direction, reason }) => [amount, direction, reason]),
    [['40000000', 'OUT', 'PAID_ABOVE_DUE']],
  );
  const { providerReference: shown, paidAmount } = stepOf(twice, 'CUSTODIAN_PAYOUT');
  assert.deepEqual([shown, paidAmount], [stepOf(first, 'CUSTODIAN_PAYOUT').providerReference, '290000000']);
  assert.equal((await reported(plan, { providerReference })).revision, twice.revision);
  const other = await payments.report(await due(), 'CUSTODIAN_PAYOUT', {
    outcome: 'DONE',
    providerReference,
  });
  assertProblem(other, 409, 'evidence-mismatch', new RegExp(plan.planId));

  const { left, unexplained } = twice.money.at(-1) ?? assert.fail();
  assert.deepEqual([left, unexplained], ['-40000000', '-40000000']);
  const known = await payments.end(plan, { reason: 'OTHER' });
  assert.equal(known.body.money.at(-1)?.unexplained, '0');
  assert.deepEqual([known.status, known.body.status, known.body.next], [200, 'COMPLETED', undefined]);
});

test('a reference settles one payout, also where it is reported with amounts', async () => {
  const [first, second] = [await due(), await due()];
  const told = { outcome: 'DONE', providerReference: freshReference(), amount: '245000000' };
  await reported(first, told);
  const answer = await payments.report(second, 'CUSTODIAN_PAYOUT', told);
  assertProblem(answer, 409, 'evidence-mismatch', new RegExp(first.planId));
});

const WRONG: [what: string, report: object, pointer: string, detail: RegExp][] = [
  [
    'another currency',
    { paid: { amount: '1', asset: { currency: 'EUR' } } },
    '/paid',
    /of PHP or of the token/,
  ],
  ['no currency', { paid: { amount: '1', asset: { currency: 'USDC' } } }, '/paid/asset/currency', /ISO 4217/],
  [
    'both kinds of assets',
    { fee: { amount: '1', asset: { currency: 'PHP', chainId: 1 } } },
    '/fee/asset/chainId',
    /token/,
  ],
  ['an outcome of links alone', { outcome: 'SENT' }, '/outcome', /must be DONE or .*; given SENT/],
  ['no asset', { paid: { amount: '1' } }, '/paid/asset', /is missing/],
  ['a number as rate', { rate: 56.5 }, '/rate', /"56\.5"/],
  [
    'a fee of the custodian as deduction',
    { deductions: [{ ...php('1'), reason: 'fee' }] },
    '/deductions',
    /the token/,
  ],
  ['a deduction without a reason', { deductions: [php('1')] }, '/deductions/0/reason', /is missing/],
  ['a deduction that is no list', { deductions: php('1') }, '/deductions', /a list of at most 16 objects/],
  ['a correction of no movement', { corrects: 'mov_1' }, '/corrects', /movementId/],
];
test('amounts that make no sense are refused with their field', async () => {
  const plan = await due();
  for (const [what, report, pointer, detail] of WRONG) {
    const told = { outcome: 'DONE', providerReference: freshReference(), ...report };
    const answer = await payments.report(plan, 'CUSTODIAN_PAYOUT', told);
    assertProblem(answer, 400, 'validation-failed');
    const error = answer.problem.errors?.find((each) => each.pointer === pointer);
    assert.match(error?.detail ?? JSON.stringify(answer.problem.errors), detail, what);
  }
  assert.equal((await payments.get(plan.planId)).revision, plan.revision);
});

test('amounts are of payments to accounts: a wallet is paid what the chain shows', async () => {
  const recipient = { type: 'wallet', chainId: payments.sandbox.chainId, address: freshAddress() };
  const plan = await due({ corridorId: 'usdc-wallet', recipient });
  const told = { outcome: 'DONE', txHash: `0x${'ab'.repeat(32)}`, rate: '1' };
  const answer = await payments.report(plan, 'CUSTODIAN_PAYOUT', told);
  assertProblem(answer, 400, 'validation-failed');
  const [error, ...others] = answer.problem.errors ?? [];
  assert.deepEqual([error?.pointer, others], ['/rate', []]);
  assert.match(
    error?.detail ?? '',
    /^rate says nothing of a payment to a wallet, whose amount the chain shows/,
  );
});
