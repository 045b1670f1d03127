// The sandbox plays how a plan goes on after something went wrong, from the deposit to the end. The plan is paid once
// more after a payout failed or came back: to the same account, to another or by a new link. Or it is ended with the
// money that is left.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { collectToWallet } from '../collectForms.ts';
import { freshEmail } from '../collectCalls.ts';
import {
  AUSTRALIAN,
  freshAddress,
  freshReference,
  startPaymentsTest,
  stepOf,
  type WholePlan,
  endOf,
} from '../paymentsHarness.ts';

const payments = await startPaymentsTest();
after(() => payments.close());

const AMOUNT_IN = 70_000_000n;

const planned = (fields: object = {}) => payments.plan({ amountIn: String(AMOUNT_IN), ...fields });

/** A plan whose payout is due. */
const payoutDue = async (fields: object = {}) =>
  payments.played(await planned(fields), 'deposit.exact', 'swap.done');

async function posted(plan: WholePlan, path: string, body: object): Promise<WholePlan> {
  const answer = await payments.ask(`/v1/payments/${plan.planId}/${path}`, body);
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

async function retried(plan: WholePlan): Promise<WholePlan> {
  const { status, body, text } = await payments.again(plan);
  assert.equal(status, 200, text);
  return body;
}

const fundsOf = ({ funds }: WholePlan) => funds.at(-1) ?? assert.fail();
const actionOf = (plan: WholePlan) => stepOf(plan, 'CUSTODIAN_PAYOUT').custodianAction ?? assert.fail();

/** Asserts that all that the swap brought is with the recipient now, after this much came back. */
function assertPaid(plan: WholePlan, returned: bigint): void {
  const { swapped, outstanding, unallocated, ...sums } = fundsOf(plan);
  assert.deepEqual([plan.status, plan.next, outstanding], ['COMPLETED', undefined, '0']);
  const paid = BigInt(sums.paidOut) + BigInt(sums.deducted);
  assert.deepEqual([BigInt(sums.returned), paid], [returned, BigInt(swapped.out) + returned]);
  assert.deepEqual(unallocated, []);
}

const OTHER_ACCOUNT = { ...AUSTRALIAN, account: { bsb: '062-000', accountNumber: '87654321' } };

test('a payout that failed goes to another account, comes back, and goes to the first one again', async () => {
  const failed = await payments.played(await payoutDue(), 'payout.failed');
  const replaced = await posted(failed, 'again', { recipient: OTHER_ACCOUNT });
  const returned = await payments.played(replaced, 'payout.done', 'payout.returned');
  assert.deepEqual([returned.status, returned.next?.why], ['RETURNED', 'MONEY_RETURNED']);
  const back = await posted(returned, 'again', { recipient: AUSTRALIAN });
  assert.notEqual(actionOf(replaced).endToEndId, actionOf(failed).endToEndId);
  assert.equal(actionOf(back).endToEndId, actionOf(failed).endToEndId, 'the account keeps its id');
  assertPaid(await payments.played(back, 'payout.done'), BigInt(fundsOf(returned).returned));
});

test('a payout that came back is paid to the same account, and a fee is kept the second time', async () => {
  const returned = await payments.played(await payoutDue(), 'payout.done', 'payout.returned');
  const again = await retried(returned);
  assert.equal(actionOf(again).amount, fundsOf(returned).returned);
  assertPaid(await payments.played(again, 'payout.deducted'), BigInt(fundsOf(returned).returned));
});

test('a payment of too little is explained by a report of what was kept back', async () => {
  const short = await payments.played(await payoutDue(), 'payout.short');
  assert.equal(short.next?.why, 'PAYMENT_UNCLEAR');
  const { asset, outstanding } = fundsOf(short);
  const { json } = await payments.ask(`/v1/payments/${short.planId}/movements`);
  const { data } = json as { data: { kind: string; providerReference?: string }[] };
  const providerReference = data.find(({ kind }) => kind === 'PAYOUT')?.providerReference;
  const deductions = [{ amount: outstanding, asset, reason: 'wire fee' }];
  const explained = await payments.report(short, 'CUSTODIAN_PAYOUT', {
    outcome: 'DONE',
    providerReference,
    deductions,
  });
  assertPaid(explained.body, 0n);
});

test('a wallet that gave the money back is paid again, and then another wallet is', async () => {
  const wallet = () => ({
    type: 'wallet',
    chainId: payments.sandbox.chainId,
    address: freshAddress(),
  });
  const held = (address: string) => payments.onChain.balanceOf(address, payments.token('USDC'));
  const [first, second] = [wallet(), wallet()];
  const due = await payoutDue({ corridorId: 'usdc-wallet', recipient: first });
  const again = await retried(await payments.played(due, 'payout.done', 'payout.returned'));
  const returned = await payments.played(again, 'payout.done', 'payout.returned');
  const replaced = await posted(returned, 'again', { recipient: second });
  assertPaid(await payments.played(replaced, 'payout.done'), 2n * AMOUNT_IN);
  assert.deepEqual([await held(first.address), await held(second.address)], [0n, AMOUNT_IN]);
});

test('a delivery that failed or came back is paid to the wallet that a new link asked for', async () => {
  const email = freshEmail();
  const chosen = async (plan: WholePlan) => {
    await payments.until(
      plan,
      'its link is mailed',
      ({ steps }) => steps.at(-1)?.collect?.link?.mail === 'ACCEPTED',
    );
    await collectToWallet(payments.service, email, freshAddress());
    return payments.get(plan.planId);
  };
  const recipient = { type: 'email', email, name: 'Jo Citizen' };
  const options = { mode: 'DIGITAL_COLLECT' };
  const first = await chosen(await payoutDue({ corridorId: 'usdc-eur-collect', recipient, options }));
  const second = await chosen(await payments.played(first, 'payout.failed'));
  const returned = await payments.played(second, 'payout.done', 'payout.returned');
  await payments.advance('PT61S');
  const third = await chosen(await posted(returned, 'again', {}));
  assertPaid(await payments.played(third, 'payout.done'), BigInt(fundsOf(returned).returned));
});

/** Ends a plan of which money is left. It counts as known then: nothing is asked of anybody any more. */
async function ended(plan: WholePlan): Promise<WholePlan> {
  assert.ok(plan.money.some(({ left }) => left !== '0'));
  const { status, text, body } = await payments.end(plan, { reason: 'OTHER', note: 'Settled by hand.' });
  assert.equal(status, 200, text);
  assert.equal(body.next, undefined);
  assert.deepEqual(
    body.money.map(({ left, unexplained }) => [left, unexplained]),
    plan.money.map(({ left }) => [left, '0']),
  );
  return body;
}

const watched = () => planned({ options: { mode: 'STANDARD', depositAddress: freshAddress() } });
const reasonsOf = ({ funds }: WholePlan) =>
  funds.flatMap(({ unallocated }) => unallocated.map(({ reason }) => reason));

for (const [what, plan, events, end] of [
  ['a part of the deposit', watched, ['deposit.partial'], 'OTHER'],
  ['only dust', watched, ['deposit.dust'], 'OTHER'],
  ['another token', watched, ['deposit.otherToken'], 'OTHER'],
  ['a deposit that came late', watched, ['deposit.late'], 'EXPIRED'],
  ['a deposit without a swap', planned, ['deposit.exact', 'swap.reverted'], 'OTHER'],
  ['a second execution', watched, ['deposit.exact', 'swap.done', 'swap.again'], 'OTHER'],
  ['a payout that failed', payoutDue, ['payout.failed'], 'OTHER'],
  ['a payout that came back', payoutDue, ['payout.done', 'payout.returned'], 'OTHER'],
  ['a payment of too little', payoutDue, ['payout.short'], 'OTHER'],
] as const)
  test(`a plan is ended after ${what}`, async () => {
    assert.equal(endOf(await ended(await payments.played(await plan(), ...events))), end);
  });

test('money that comes after the swap or after the end is refunded or known, each time', async () => {
  const swapped = await payments.played(await watched(), 'deposit.exact', 'swap.done', 'deposit.exact');
  assert.deepEqual(reasonsOf(swapped), ['AFTER_SWAP']);
  const paid = await payments.played(swapped, 'payout.done');
  assert.deepEqual([paid.status, paid.next?.why], ['COMPLETED', 'MONEY_UNEXPLAINED']);
  const [{ asset } = assert.fail()] = paid.funds;
  const refund = { amount: String(AMOUNT_IN), asset, providerReference: freshReference() };
  assert.equal((await posted(paid, 'refunds', refund)).funds[0]?.refunded, String(AMOUNT_IN));
  const late = await payments.played(paid, 'deposit.exact');
  assert.deepEqual([late.status, late.next?.why], ['COMPLETED', 'MONEY_UNEXPLAINED']);
  assert.equal((await ended(late)).status, 'COMPLETED');
});

for (const deposit of ['watched', 'reported'])
  test(`the wallet that executes the swap gets only its deposit: ${deposit}`, async () => {
    const { address } = await payments.freshWallet();
    const watched = deposit === 'watched' ? { depositAddress: address } : {};
    const options = { mode: 'STANDARD', sender: address, ...watched };
    const made = await planned({ options });
    const swapped = await payments.played(made, 'deposit.exact', 'swap.done');
    assert.equal(await payments.onChain.balanceOf(address, payments.token('USDC')), 0n);
    // A report makes the service look at the address again.
    const { body } = await payments.report(swapped, 'AWAIT_DEPOSIT', { outcome: 'DONE' });
    const { outcome, received } = stepOf(body, 'AWAIT_DEPOSIT').deposit ?? assert.fail();
    assert.deepEqual([outcome, received], ['EXACT', String(AMOUNT_IN)]);
  });
