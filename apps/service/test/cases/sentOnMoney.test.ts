// A payment comes back, and the custodian sends the money on to the deposit address: it is in one place. Nothing is paid
// before the integrator has said whether the two are one.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { codeIn, DESTINATIONS, freshEmail, postForm, tokenIn } from '../collectCalls.ts';
import { mailboxOf } from '../collectHarness.ts';
import { transferCall } from '../keyWallet.ts';

import {
  assertProblem,
  freshAddress,
  freshReference,
  type PlanAnswer,
  startPaymentsTest,
  stepOf,
  type WholePlan,
} from '../paymentsHarness.ts';

const payments = await startPaymentsTest();
after(() => payments.close());

const BACK = 300n;
const QUESTION = /came to the deposit address, and may be the very money/;

/** A plan that was swapped, with a deposit address that is watched. */
async function swapped(fields: object = {}): Promise<WholePlan> {
  const options = { mode: 'STANDARD', depositAddress: freshAddress() };
  const made = await payments.plan({ amountIn: '60000000', options, ...fields });
  return payments.played(made, 'deposit.exact', 'swap.done');
}

/** The same, paid out to its bank account. */
async function paid(): Promise<WholePlan> {
  const plan = await swapped();
  const told = { outcome: 'DONE', providerReference: freshReference() };
  return accepted(await payments.report(plan, 'CUSTODIAN_PAYOUT', told));
}

function accepted({ status, text, body }: PlanAnswer): WholePlan {
  assert.equal(status, 200, text);
  return body;
}

/** A part of the payment came back to the custodian. */
async function returned(plan: WholePlan): Promise<WholePlan> {
  const told = { outcome: 'RETURNED', providerReference: freshReference(), amount: String(BACK) };
  return accepted(await payments.report(plan, 'CUSTODIAN_PAYOUT', told));
}

const fundsOf = ({ funds }: WholePlan) => funds.at(-1) ?? assert.fail();

/** The custodian sends this much of the payout token to the deposit address; the hash, once the plan shows it. */
async function sentOn(plan: WholePlan, units = BACK): Promise<string> {
  const before = BigInt(fundsOf(plan).received);
  const call = transferCall(assetOf(plan).address, plan.options.depositAddress ?? '', units);
  const hash = await payments.custodianSends(plan.corridorId, call);
  await payments.until(plan, 'it is seen', (now) => BigInt(fundsOf(now).received) === before + units);
  return hash;
}

/** The same from an account of the custodian that the corridor does not know. */
async function sentFromElsewhere(plan: WholePlan, symbol: string, units: bigint): Promise<string> {
  const wallet = await payments.freshWallet();
  await payments.give(wallet.address, symbol, units);
  const before = BigInt(fundsOf(plan).received);
  const { hash } = await wallet.transfer(payments.token(symbol), plan.options.depositAddress ?? '', units);
  await payments.until(plan, 'it is seen', (now) => BigInt(fundsOf(now).received) === before + units);
  return hash;
}

async function confirmed(): Promise<void> {
  await payments.service.rpc('anvil_mine', ['0x3']);
  await payments.service.recordAtHead();
}

const toPay = (plan: WholePlan) => plan.next?.pay?.amount ?? '0';

/** The plan, which asks what came and has nothing to be paid before. */
async function asked({ planId }: WholePlan): Promise<WholePlan> {
  const plan = await payments.get(planId);
  assert.deepEqual([plan.next?.why, toPay(plan)], ['DEPOSIT_UNCLEAR', '0']);
  assert.match(plan.next?.detail ?? '', QUESTION);
  assert.doesNotMatch(plan.next?.detail ?? '', /has no use for/);
  return plan;
}

/** The answer that it is the plan's money: a refund. */
async function isPlans(plan: WholePlan, txHash: string, units = BACK, more: object = {}) {
  await confirmed();
  const refund = { amount: String(units), asset: assetOf(plan), txHash, ...more };
  return payments.ask(`/v1/payments/${plan.planId}/refunds`, refund);
}

function assetOf(plan: WholePlan) {
  const { asset } = fundsOf(plan);
  return 'address' in asset ? asset : assert.fail();
}

/** The answer that it is other money: a deposit. */
const isOther = (plan: WholePlan, txHash: string) =>
  payments.report(plan, 'AWAIT_DEPOSIT', { outcome: 'DONE', txHash });

/** The payout token of a plan, as one line. */
function booksOf(plan: WholePlan): string {
  const { received, returned: back, refunded, outstanding, unallocated } = fundsOf(plan);
  const rest = unallocated.map(({ direction, reason, amount }) => `, ${direction} ${reason} ${amount}`);
  return `received ${received}, back ${back}, refunded ${refunded}, outstanding ${outstanding}${rest.join('')}`;
}

test('what came back and was sent on is not paid again before it is known, in either order', async () => {
  const first = await returned(await paid());
  const later = await paid();
  const cases = [
    [first, await sentOn(first)],
    [later, await sentOn(later)],
  ] as const;
  await returned(later);
  for (const [made, txHash] of cases) {
    const plan = await asked(made);
    for (const again of [
      await payments.again(plan),
      await payments.again(plan, { recipient: OTHER_ACCOUNT }),
    ])
      assertProblem(again, 409, 'step-not-ready', QUESTION);
    const gave = await isPlans(plan, txHash);
    assert.equal(booksOf(accepted(gave)), 'received 0, back 300, refunded 300, outstanding 0');
    assert.deepEqual([gave.body.next?.why, toPay(gave.body)], ['NOTHING_LEFT', '0']);
    assert.equal((await isPlans(plan, txHash)).text, gave.text, 'told again it changes nothing');
    assertProblem(await isOther(plan, txHash), 409, 'evidence-mismatch', /is recorded as a refund/);
    assert.equal(accepted(await payments.end(plan, { reason: 'REFUNDED' })).status, 'ENDED');
  }
});

const OTHER_ACCOUNT = {
  type: 'bank',
  name: 'Josephine Citizen',
  country: 'AU',
  account: { bsb: '062-000', accountNumber: '87654321' },
};

test('other money at the deposit address is told as a deposit, and the payment goes on', async () => {
  const plan = await returned(await paid());
  const txHash = await sentOn(plan);
  await asked(plan);
  const wrong = { outcome: 'DONE', txHash, amount: '299' };
  assertProblem(
    await payments.report(plan, 'AWAIT_DEPOSIT', wrong),
    409,
    'evidence-mismatch',
    /brought .*\(300 units/,
  );
  const kept = await isOther(plan, txHash);
  const books = 'received 300, back 300, refunded 0, outstanding 300, IN OTHER_TOKEN 300';
  assert.equal(booksOf(accepted(kept)), books);
  assert.equal((await isOther(plan, txHash)).text, kept.text, 'told again it changes nothing');
  assert.equal(kept.body.next?.why, 'MONEY_RETURNED');
  const again = accepted(await payments.again(plan));
  assert.equal(toPay(again), '300');
  // What comes from now on is asked about once more, also while the payment is due.
  const second = await sentOn(again, 100n);
  await asked(plan);
  assert.equal(toPay(accepted(await isPlans(plan, second, 100n))), '200');
});

test('a reorganisation that takes the transfer back has the money paid again', async () => {
  const plan = await returned(await paid());
  const txHash = await sentOn(plan);
  await asked(plan);
  await payments.service.rpc('anvil_reorg', [1, []]);
  await payments.until(plan, 'it is gone', (now) => fundsOf(now).received === '0');
  const again = accepted(await payments.again(plan));
  assert.equal(toPay(again), '300');
  assertProblem(await isPlans(plan, txHash), 409, 'evidence-mismatch');
});

test('where one token is paid in and out, a part is asked about from whatever account it comes', async () => {
  const address = freshAddress();
  const recipient = { type: 'wallet', chainId: payments.sandbox.chainId, address };
  const made = await swapped({ corridorId: 'usdc-wallet', recipient });
  const done = await payments.played(made, 'payout.done', 'payout.returned');
  const txHash = await sentFromElsewhere(done, 'USDC', 20_000_000n);
  const plan = await asked(done);
  assertProblem(await payments.again(plan), 409, 'step-not-ready', QUESTION);
  const gave = accepted(await isPlans(plan, txHash, 20_000_000n));
  assert.equal(booksOf(gave), 'received 60000000, back 60000000, refunded 20000000, outstanding 40000000');
  assert.equal(toPay(accepted(await payments.again(plan))), '40000000');
});

test('what the custodian sends back before it has paid is not to be paid, too', async () => {
  const plan = await swapped();
  const brought = BigInt(fundsOf(plan).outstanding);
  const txHash = await sentOn(plan, brought);
  await asked(plan);
  const gave = accepted(await isPlans(plan, txHash, brought));
  assert.deepEqual([fundsOf(gave).outstanding, gave.next?.why], ['0', 'NOTHING_LEFT']);
});

test('a refund that was told by its reference is the transfer that is seen, once it is told so', async () => {
  const plan = await returned(await paid());
  const providerReference = freshReference();
  const refund = { amount: String(BACK), asset: assetOf(plan), providerReference };
  accepted(await payments.ask(`/v1/payments/${plan.planId}/refunds`, refund));
  const txHash = await sentOn(plan);
  await asked(plan);
  const traced = await isPlans(plan, txHash, BACK, { providerReference });
  assert.equal(booksOf(accepted(traced)), 'received 0, back 300, refunded 300, outstanding 0');
  await confirmed();
  const now = await payments.get(plan.planId);
  assert.equal(booksOf(now), booksOf(traced.body), 'the record brings no deposit of it');
});

test('a delivery that came back and was sent on is not asked for again before it is known', async () => {
  const { mailsTo } = mailboxOf(payments);
  const email = freshEmail();
  const plan = await swapped({
    corridorId: 'usdc-eur-collect',
    recipient: { type: 'email', email, name: 'Jo Citizen' },
    options: { mode: 'DIGITAL_COLLECT', depositAddress: freshAddress() },
  });
  const token = tokenIn((await mailsTo(email, 1))[0] ?? assert.fail());
  const form = { token, ...DESTINATIONS.iban, confirmed: 'yes' };
  await postForm(payments.service.url, 'submit', form);
  const code = codeIn((await mailsTo(email, 2))[0] ?? assert.fail());
  await postForm(payments.service.url, 'confirm', { ...form, code });
  const report = (told: object) => payments.report(plan, 'SEND_DIGITAL_COLLECT', { ...told });
  accepted(await report({ outcome: 'DONE', providerReference: freshReference() }));
  const back = { outcome: 'RETURNED', providerReference: freshReference(), amount: String(BACK) };
  accepted(await report(back));
  const txHash = await sentOn(plan);
  await asked(plan);
  await payments.advance('PT61S');
  assertProblem(await payments.again(plan), 409, 'step-not-ready', QUESTION);
  const gave = accepted(await isPlans(plan, txHash));
  assert.equal(booksOf(gave), 'received 0, back 300, refunded 300, outstanding 0');
  assert.equal(stepOf(gave, 'SEND_DIGITAL_COLLECT').status, 'DONE');
  assert.equal(gave.next?.why, 'NOTHING_LEFT');
});
