// Every plan can end: accounts that cannot be paid, payouts that come back, refunds, and plans that are closed.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { PaymentPlan } from '@fairway/wire';
import { assertProblem, freshAddress, startPaymentsTest, stepOf } from '../paymentsHarness.ts';

const payments = await startPaymentsTest();
after(() => payments.close());

const AMOUNT_IN = 70_000_000n;

/** A plan whose payout is due. */
async function payoutDue(fields: object = {}): Promise<PaymentPlan> {
  const made = await payments.plan({ amountIn: String(AMOUNT_IN), ...fields });
  return payments.played(made, 'deposit.exact', 'swap.done');
}

const payout = (plan: PaymentPlan, report: { readonly [field: string]: unknown }) =>
  payments.report(plan, 'CUSTODIAN_PAYOUT', report);
const post = (plan: PaymentPlan, path: string, body: object) =>
  payments.ask(`/v1/payments/${plan.planId}/${path}`, body);

async function changed(plan: PaymentPlan, path: string, body: object): Promise<PaymentPlan> {
  const answer = await post(plan, path, body);
  assert.equal(answer.status, 200, answer.text);
  const text = await payments.textOf(plan.planId);
  const again = await post(plan, path, body);
  assert.equal(again.status, 200, again.text);
  assert.equal(await payments.textOf(plan.planId), text, `${path} again changes nothing`);
  return payments.get(plan.planId);
}

const assetOf = (plan: PaymentPlan, index: number) => plan.funds[index]?.asset ?? assert.fail();
const dueOf = (plan: PaymentPlan) => stepOf(plan, 'CUSTODIAN_PAYOUT').custodianAction ?? assert.fail();
const OTHER_ACCOUNT = {
  type: 'bank',
  name: 'Jo Citizen',
  country: 'AU',
  account: { bsb: '062-000', accountNumber: '87654321' },
};

test('a closed account is replaced by another one, which gets an id of its own', async () => {
  const plan = await payoutDue();
  assertProblem(await post(plan, 'recipient', { recipient: OTHER_ACCOUNT }), 409, 'step-not-ready');
  const failure = { code: 'ACCOUNT_CLOSED' };
  const failed = (await payout(plan, { outcome: 'FAILED', providerReference: 'E-1', failure })).body;
  assert.equal(failed.nextAction?.what, 'REPLACE_RECIPIENT');
  const wrong = { recipient: { ...OTHER_ACCOUNT, account: { bsb: '1' } } };
  assertProblem(await post(plan, 'recipient', wrong), 400, 'recipient-invalid');
  assertProblem(await post(plan, 'recipient', {}), 400, 'validation-failed', /recipient/);
  const replaced = await changed(plan, 'recipient', { recipient: OTHER_ACCOUNT });
  assert.equal(replaced.status, 'ACTION_REQUIRED');
  assert.notEqual(dueOf(replaced).endToEndId, dueOf(plan).endToEndId);
  assert.doesNotMatch(await payments.textOf(plan.planId), /87654321/, 'the account is masked');
  const [attempt] = stepOf(replaced, 'CUSTODIAN_PAYOUT').attempts ?? [];
  assert.deepEqual([attempt?.outcome, attempt?.endToEndId], ['FAILED', dueOf(plan).endToEndId]);
  const revealed = await payments.ask(`/v1/payments/${plan.planId}/recipient/reveal`, {});
  assert.match(revealed.text, /87654321/, 'the details of the new account are kept');
  const paid = await payout(replaced, { outcome: 'DONE', providerReference: 'E-2' });
  assert.equal(paid.body.status, 'COMPLETED', paid.text);
});

test('what came back is paid again, no more than that, and with another id', async () => {
  const plan = await payoutDue();
  const { amount } = dueOf(plan).asset;
  assert.equal((await payout(plan, { outcome: 'DONE', providerReference: 'R-1' })).status, 200);
  const back = String(BigInt(amount) - 1_000n);
  const returned = (await payout(plan, { outcome: 'RETURNED', providerReference: 'B-1', amount: back })).body;
  assert.deepEqual([returned.status, returned.nextAction?.what], ['RETURNED', 'REPLACE_RECIPIENT']);
  const again = (await payments.retry(returned, 'CUSTODIAN_PAYOUT')).body;
  assert.equal(again.status, 'ACTION_REQUIRED');
  assert.equal(dueOf(again).asset.amount, back);
  assert.notEqual(dueOf(again).endToEndId, dueOf(plan).endToEndId);
  const twice = await payout(again, { outcome: 'DONE', providerReference: 'R-1' });
  assertProblem(twice, 409, 'evidence-mismatch', /R-1/);
  const paid = (await payout(again, { outcome: 'DONE', providerReference: 'R-2' })).body;
  assert.deepEqual([paid.status, paid.nextAction], ['COMPLETED', undefined]);
  assert.deepEqual(
    stepOf(paid, 'CUSTODIAN_PAYOUT').attempts?.map(({ outcome, providerReference }) => [
      outcome,
      providerReference,
    ]),
    [['RETURNED', 'R-1']],
  );
});

test('a plan is closed with exactly the money that is left, and its address is free then', async () => {
  const depositAddress = freshAddress();
  const options = { mode: 'STANDARD', depositAddress };
  const plan = await payments.plan({ amountIn: String(AMOUNT_IN), options });
  await payments.give(depositAddress, 'USDC', AMOUNT_IN / 2n);
  const part = await payments.until(plan, 'a part is seen', ({ status }) => status === 'ACTION_REQUIRED');
  const close = { reason: 'REFUNDED', note: 'Sent back by hand.' };
  const wrong = await post(part, 'close', { ...close, acknowledge: [] });
  assertProblem(wrong, 409, 'acknowledgement-mismatch', /35 USDC \(35000000 units of 0x/);
  const { acknowledge } = wrong.body as unknown as { acknowledge: object[] };
  assert.deepEqual(acknowledge, [{ amount: String(AMOUNT_IN / 2n), asset: assetOf(part, 0) }]);
  assertProblem(await post(part, 'close', { acknowledge }), 400, 'validation-failed', /reason/);
  const stale = await payments.ask(`/v1/payments/${plan.planId}/close`, { ...close, acknowledge }, '"999"');
  assertProblem(stale, 412, 'revision-mismatch');
  const ended = await changed(part, 'close', { ...close, acknowledge });
  assert.deepEqual([ended.status, ended.nextAction, ended.closed?.note], ['CLOSED', undefined, close.note]);
  const other = await post(part, 'close', { reason: 'OTHER', acknowledge: [] });
  assertProblem(other, 409, 'step-not-ready', /closed already/);
  assertProblem(await payments.retry(ended, 'AWAIT_DEPOSIT'), 409, 'step-not-ready');
  assert.equal((await payments.plan({ amountIn: String(AMOUNT_IN), options })).status, 'PENDING');
});

test('a refund in a transaction is read on the chain, and is not paid out any more', async () => {
  const payer = await payments.freshWallet();
  const depositor = await payments.freshWallet();
  const options = { mode: 'STANDARD', depositAddress: depositor.address };
  const plan = await payments.plan({ amountIn: String(AMOUNT_IN), options });
  const usdc = payments.token('USDC');
  await payments.give(payer.address, 'USDC', AMOUNT_IN);
  await payer.transfer(usdc, depositor.address, AMOUNT_IN);
  await payments.until(
    plan,
    'it is deposited',
    ({ nextAction }) => nextAction?.what === 'EXECUTE_INSTRUCTIONS',
  );
  const { hash: txHash } = await depositor.transfer(usdc, payer.address, AMOUNT_IN);
  await payments.service.rpc('anvil_mine', ['0x3']);
  await payments.service.recordAtHead();
  const report = { txHash, amount: String(AMOUNT_IN), asset: assetOf(plan, 0) };
  assertProblem(
    await post(plan, 'refunds', { ...report, amount: '1' }),
    409,
    'evidence-mismatch',
    /no transfer of 1/,
  );
  const { txHash: _, ...nothing } = report;
  assertProblem(await post(plan, 'refunds', nothing), 400, 'validation-failed', /txHash/);
  const refunded = await changed(plan, 'refunds', report);
  assert.equal(refunded.nextAction?.what, 'CLOSE_PLAN');
  assert.match(refunded.nextAction?.detail ?? '', /Execute no instructions any more/);
  assert.deepEqual(stepOf(refunded, 'EXECUTE_SWAP').instructions, [], 'there is nothing left to execute');
  assert.equal(refunded.funds[0]?.refunded, String(AMOUNT_IN));
  assert.equal(dueOf(refunded).amountToPay, '0', 'nothing will be swapped');
  assertProblem(await payments.refresh(refunded), 409, 'step-not-ready', /went back/);
  const played = await payments.simulate(refunded, 'EXECUTE_SWAP', 'swap.done');
  assertProblem(played, 409, 'step-not-ready', /went back/);
  const movements = await payments.ask(`/v1/payments/${plan.planId}/movements`);
  const { data } = movements.body as unknown as { data: { kind: string; verification: string }[] };
  assert.deepEqual(
    data.map(({ kind, verification }) => `${kind} ${verification}`),
    ['DEPOSIT VERIFIED', 'REFUND VERIFIED'],
  );
  assert.equal((await changed(plan, 'close', { reason: 'REFUNDED', acknowledge: [] })).status, 'CLOSED');
});

test('a refund by an account that a plan only names is no proof, and it is of one plan alone', async () => {
  const [payer, named] = [await payments.freshWallet(), await payments.freshWallet()];
  const usdc = payments.token('USDC');
  await payments.give(payer.address, 'USDC', 2n * AMOUNT_IN);
  const deposited = async () => {
    const options = { mode: 'STANDARD', sender: named.address };
    const plan = await payments.plan({ amountIn: String(AMOUNT_IN), options });
    const { hash: txHash } = await payer.transfer(usdc, named.address, AMOUNT_IN);
    const told = await payments.report(plan, 'AWAIT_DEPOSIT', { outcome: 'DONE', txHash });
    assert.equal(told.status, 200, told.text);
    return told.body;
  };
  const [plan, other] = [await deposited(), await deposited()];
  const { hash: txHash } = await named.transfer(usdc, payer.address, AMOUNT_IN);
  await payments.service.rpc('anvil_mine', ['0x3']);
  await payments.service.recordAtHead();
  const report = { txHash, amount: String(AMOUNT_IN), asset: assetOf(plan, 0) };
  await changed(plan, 'refunds', report);
  const { json } = await payments.ask(`/v1/payments/${plan.planId}/movements`);
  const { data } = json as { data: { kind: string; verification: string }[] };
  assert.equal(data.find(({ kind }) => kind === 'REFUND')?.verification, 'REPORTED');
  assertProblem(await post(other, 'refunds', report), 409, 'evidence-mismatch', /settles something else/);
  const told = { amount: '1', asset: assetOf(plan, 0), providerReference: 'RF-twice' };
  await changed(other, 'refunds', told);
  const made = await payments.plan({ amountIn: String(AMOUNT_IN) });
  const third = await payments.played(made, 'deposit.exact');
  assertProblem(await post(third, 'refunds', told), 409, 'evidence-mismatch', /settles a refund of the plan/);
});

test('a plan that was settled elsewhere is closed, and takes no reports of its payout', async () => {
  const recipient = { type: 'wallet', chainId: payments.sandbox.chainId, address: freshAddress() };
  const plan = await payoutDue({ corridorId: 'usdt-usdc-wallet', recipient });
  const { asset } = dueOf(plan);
  const settlement = await payments.settlementAddress('usdt-usdc-wallet');
  assert.ok(settlement);
  const money = [{ amount: asset.amount, asset: { chainId: asset.chainId, address: asset.token } }];
  const settled = await changed(plan, 'close', { reason: 'SETTLED_ELSEWHERE', acknowledge: money });
  assert.deepEqual([settled.status, settled.closed?.forced], ['CLOSED', false]);
  const late = await payout(plan, { outcome: 'FAILED', failure: { code: 'OTHER' } });
  assertProblem(late, 409, 'step-not-ready', /CLOSED/);
  const left = ({ funds }: PaymentPlan) =>
    funds.flatMap(({ unallocated }) => unallocated.map(({ amount, reason }) => `${amount} ${reason}`));
  assert.deepEqual(left(settled), [`${asset.amount} LEFT_AT_CLOSE`]);
  const refund = { ...money[0], providerReference: 'RF-settled' };
  const told = await post(plan, 'refunds', refund);
  assertProblem(told, 409, 'step-not-ready', /closed as SETTLED_ELSEWHERE.*"force": true/);
  const wrong = await post(plan, 'refunds', { ...refund, force: 'yes' });
  assertProblem(wrong, 400, 'validation-failed', /force/);
  assert.deepEqual(left(await changed(plan, 'refunds', { ...refund, force: true })), []);
});

/** A plan whose deposit address is watched, so that late money is seen. */
function watchedPlan(): Promise<PaymentPlan> {
  const options = { mode: 'STANDARD', depositAddress: freshAddress() };
  return payments.plan({ amountIn: String(AMOUNT_IN), options });
}

test('a late deposit after a second execution is there, goes back, and has to be named', async () => {
  const made = await watchedPlan();
  let plan = await payments.played(made, 'deposit.exact');
  for (const event of ['swap.done', 'swap.again'] as const) plan = await payments.played(plan, event);
  plan = await payments.played(plan, 'deposit.late');
  const entries = ({ funds }: PaymentPlan) =>
    (funds[0]?.unallocated ?? []).map(({ direction, reason, amount }) => `${direction} ${reason} ${amount}`);
  const spent = `OUT SECOND_EXECUTION ${AMOUNT_IN}`;
  assert.deepEqual(entries(plan), [`IN AFTER_SWAP ${AMOUNT_IN}`, spent]);
  const silent = await post(plan, 'close', { reason: 'OTHER', acknowledge: [] });
  assertProblem(silent, 409, 'acknowledgement-mismatch');
  const refund = { amount: String(AMOUNT_IN), asset: assetOf(plan, 0), providerReference: 'RF-late' };
  assert.deepEqual(entries(await changed(plan, 'refunds', refund)), [spent]);
});

test('a second closing leaves what the first one said, and what it named stays settled elsewhere', async () => {
  const made = await watchedPlan();
  const plan = await payments.played(made, 'deposit.exact');
  const named = (amount: bigint) => [{ amount: String(amount), asset: assetOf(plan, 0) }];
  const first = { reason: 'SETTLED_ELSEWHERE', note: 'wire 4711', acknowledge: named(AMOUNT_IN) };
  await changed(plan, 'close', first);
  const late = await payments.played(plan, 'deposit.late');
  const twice = await changed(late, 'close', { reason: 'ABANDONED', acknowledge: named(AMOUNT_IN) });
  const { closed } = twice;
  assert.deepEqual([closed?.reason, closed?.earlier?.map(({ note }) => note)], ['ABANDONED', ['wire 4711']]);
  assert.deepEqual((await changed(plan, 'close', first)).closed, closed, 'a repetition of the first');
  const all = { amount: String(2n * AMOUNT_IN), asset: assetOf(plan, 0), providerReference: 'RF-all' };
  assertProblem(
    await post(plan, 'refunds', all),
    409,
    'step-not-ready',
    new RegExp(`only ${AMOUNT_IN} is there`),
  );
  const free = { ...all, amount: String(AMOUNT_IN), providerReference: 'RF-free' };
  await changed(plan, 'refunds', free);
  assertProblem(
    await post(plan, 'refunds', { ...free, providerReference: 'RF-more' }),
    409,
    'step-not-ready',
  );
});
