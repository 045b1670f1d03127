// Every plan can end: accounts that cannot be paid, payouts that come back, refunds, and plans that somebody ends.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import {
  assertProblem,
  freshAddress,
  startPaymentsTest,
  stepOf,
  type WholePlan,
  type PlanAnswer,
} from '../paymentsHarness.ts';

const payments = await startPaymentsTest();
after(() => payments.close());

const AMOUNT_IN = 70_000_000n;

/** A plan whose payout is due. */
async function payoutDue(fields: object = {}): Promise<WholePlan> {
  const made = await payments.plan({ amountIn: String(AMOUNT_IN), ...fields });
  return payments.played(made, 'deposit.exact', 'swap.done');
}

const payout = (plan: WholePlan, report: { readonly [field: string]: unknown }) =>
  payments.report(plan, 'CUSTODIAN_PAYOUT', report);
const post = (plan: WholePlan, path: string, body: object) =>
  payments.ask(`/v1/payments/${plan.planId}/${path}`, body);

async function changed(plan: WholePlan, path: string, body: object): Promise<WholePlan> {
  const answer = await post(plan, path, body);
  assert.equal(answer.status, 200, answer.text);
  const text = await payments.textOf(plan.planId);
  const again = await post(plan, path, body);
  assert.equal(again.status, 200, again.text);
  assert.equal(await payments.textOf(plan.planId), text, `${path} again changes nothing`);
  return payments.get(plan.planId);
}

/** Ends a plan as somebody does who has seen it as it is, and sends the request twice. */
async function ended(plan: WholePlan, request: object): Promise<WholePlan> {
  const { status, text } = await payments.end(plan, request);
  assert.equal(status, 200, text);
  const now = await payments.textOf(plan.planId);
  const again = await payments.end(plan, request);
  assert.equal(again.status, 200, again.text);
  assert.equal(await payments.textOf(plan.planId), now, 'the same again changes nothing');
  return payments.get(plan.planId);
}

const assetOf = (plan: WholePlan, index: number) => plan.funds[index]?.asset ?? assert.fail();
const dueOf = (plan: WholePlan) => stepOf(plan, 'CUSTODIAN_PAYOUT').custodianAction ?? assert.fail();
const pointersOf = ({ problem }: PlanAnswer) => problem.errors?.map(({ pointer }) => pointer);
const OTHER_ACCOUNT = {
  type: 'bank',
  name: 'Jo Citizen',
  country: 'AU',
  account: { bsb: '062-000', accountNumber: '87654321' },
};

const CENT = 10_000n;

test('an account that is closed is replaced by another one, which gets an id of its own', async () => {
  const plan = await payoutDue();
  assertProblem(await post(plan, 'again', { recipient: OTHER_ACCOUNT }), 409, 'step-not-ready');
  const failure = { code: 'ACCOUNT_CLOSED' };
  const failed = (await payout(plan, { outcome: 'FAILED', providerReference: 'E-1', failure })).body;
  assert.equal(failed.next?.why, 'ACCOUNT_REFUSED');
  const wrong = { recipient: { ...OTHER_ACCOUNT, account: { bsb: '1' } } };
  assertProblem(await post(plan, 'again', wrong), 400, 'recipient-invalid');
  const replaced = await changed(plan, 'again', { recipient: OTHER_ACCOUNT });
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
  const { amount } = dueOf(plan);
  assert.equal((await payout(plan, { outcome: 'DONE', providerReference: 'R-1' })).status, 200);
  // The bank pays whole cents, and keeps one of them when it sends the money back.
  const back = String((BigInt(amount) / CENT - 1n) * CENT);
  const returned = (await payout(plan, { outcome: 'RETURNED', providerReference: 'B-1', amount: back })).body;
  assert.deepEqual([returned.status, returned.next?.why], ['RETURNED', 'MONEY_RETURNED']);
  const again = (await payments.again(returned)).body;
  assert.equal(again.status, 'ACTION_REQUIRED');
  assert.equal(dueOf(again).amount, back);
  assert.notEqual(dueOf(again).endToEndId, dueOf(plan).endToEndId);
  const twice = await payout(again, { outcome: 'DONE', providerReference: 'R-1' });
  assertProblem(twice, 409, 'evidence-mismatch', /R-1/);
  const paid = (await payout(again, { outcome: 'DONE', providerReference: 'R-2' })).body;
  assert.deepEqual([paid.status, paid.next], ['COMPLETED', undefined]);
  assert.deepEqual(
    stepOf(paid, 'CUSTODIAN_PAYOUT').attempts?.map(({ outcome, providerReference }) => [
      outcome,
      providerReference,
    ]),
    [['RETURNED', 'R-1']],
  );
});

test('a plan ends with the money that was seen, and its address is free then', async () => {
  const depositAddress = freshAddress();
  const options = { mode: 'STANDARD', depositAddress };
  const plan = await payments.plan({ amountIn: String(AMOUNT_IN), options });
  await payments.give(depositAddress, 'USDC', AMOUNT_IN / 2n);
  const part = await payments.until(plan, 'a part is seen', ({ next }) => next?.why === 'DEPOSIT_PARTIAL');
  const half = String(AMOUNT_IN / 2n);
  assert.deepEqual(
    part.money.map(({ left, unexplained }) => [left, unexplained]),
    [
      [half, '0'],
      ['0', '0'],
    ],
  );
  const end = { reason: 'REFUNDED', note: 'Sent back by hand.' };
  const unseen = await post(part, 'end', end);
  assertProblem(unseen, 400, 'validation-failed');
  assert.deepEqual(pointersOf(unseen), ['/headers/If-Match']);
  const unreasoned = await payments.end(part);
  assertProblem(unreasoned, 400, 'validation-failed', /35000000 units of 0x/);
  assert.deepEqual(pointersOf(unreasoned), ['/reason']);
  assertProblem(await payments.end(part, { note: 'x' }), 400, 'validation-failed', /note goes with reason/);
  const path = `/v1/payments/${plan.planId}/end`;
  for (const revision of [999, part.revision - 1])
    assertProblem(await payments.ask(path, end, `"${revision}"`), 412, 'revision-mismatch');
  // More money comes after somebody has looked at the plan, and just before that person ends it.
  await payments.give(depositAddress, 'USDC', 1n);
  assertProblem(await payments.ask(path, end, `"${part.revision}"`), 412, 'revision-mismatch');
  const over = await ended(part, end);
  const { at: _at, ...told } = over.ended ?? assert.fail();
  assert.deepEqual([over.status, over.next, told], ['ENDED', undefined, end]);
  assertProblem(await payments.end(part, { reason: 'OTHER' }), 409, 'step-not-ready', /ended already/);
  assertProblem(await payments.again(over), 409, 'step-not-ready');
  const next = await payments.plan({ amountIn: String(AMOUNT_IN), options });
  assert.equal(next.next?.why, 'DEPOSIT_MISSING');
});

test('a refund in a transaction is read on the chain, and is not paid out any more', async () => {
  const payer = await payments.freshWallet();
  const depositor = await payments.freshWallet();
  const options = { mode: 'STANDARD', depositAddress: depositor.address };
  const plan = await payments.plan({ amountIn: String(AMOUNT_IN), options });
  const usdc = payments.token('USDC');
  await payments.give(payer.address, 'USDC', AMOUNT_IN);
  await payer.transfer(usdc, depositor.address, AMOUNT_IN);
  await payments.until(plan, 'it is deposited', ({ next }) => next?.why === 'SWAP_DUE');
  const { hash: txHash } = await depositor.transfer(usdc, payer.address, AMOUNT_IN);
  await payments.service.rpc('anvil_mine', ['0x3']);
  await payments.service.recordAtHead();
  const report = { txHash, amount: String(AMOUNT_IN), asset: assetOf(plan, 0) };
  assertProblem(
    await post(plan, 'refunds', { ...report, amount: '1' }),
    409,
    'evidence-mismatch',
    /no transfer of .*\(1\d* units/,
  );
  const { txHash: _, ...nothing } = report;
  assertProblem(await post(plan, 'refunds', nothing), 400, 'validation-failed', /txHash/);
  const refunded = await changed(plan, 'refunds', report);
  assert.equal(refunded.next?.why, 'NOTHING_LEFT');
  assert.match(refunded.next?.detail ?? '', /Execute no instructions any more/);
  assert.deepEqual(stepOf(refunded, 'EXECUTE_SWAP').instructions, [], 'there is nothing left to execute');
  assert.equal(refunded.funds[0]?.refunded, String(AMOUNT_IN));
  const { calls, pay } = refunded.next ?? assert.fail();
  assert.deepEqual([calls, pay], [undefined, undefined], 'nothing is to be executed or paid');
  assertProblem(await payments.again(refunded), 409, 'step-not-ready', /went back/);
  const played = await payments.simulate(refunded, 'EXECUTE_SWAP', 'swap.done');
  assertProblem(played, 409, 'step-not-ready', /went back/);
  const movements = await payments.ask(`/v1/payments/${plan.planId}/movements`);
  const { data } = movements.body as unknown as { data: { kind: string; verification: string }[] };
  assert.deepEqual(
    data.map(({ kind, verification }) => `${kind} ${verification}`),
    ['DEPOSIT VERIFIED', 'REFUND VERIFIED'],
  );
  assert.equal((await ended(plan, { reason: 'REFUNDED' })).ended?.reason, 'REFUNDED');
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

test('a plan that was settled elsewhere is ended, and takes no reports of its payout', async () => {
  const recipient = { type: 'wallet', chainId: payments.sandbox.chainId, address: freshAddress() };
  const plan = await payoutDue({ corridorId: 'usdt-usdc-wallet', recipient });
  const { amount: due, asset } = dueOf(plan);
  const settlement = await payments.settlementAddress('usdt-usdc-wallet');
  assert.ok(settlement);
  const money = [{ amount: due, asset }];
  const settled = await ended(plan, { reason: 'SETTLED_ELSEWHERE' });
  assert.deepEqual([settled.status, settled.ended?.reason], ['ENDED', 'SETTLED_ELSEWHERE']);
  const late = await payout(plan, { outcome: 'FAILED', failure: { code: 'OTHER' } });
  assertProblem(late, 409, 'step-not-ready', /ENDED|ended/);
  const left = ({ funds }: WholePlan) =>
    funds.flatMap(({ unallocated }) => unallocated.map(({ amount, reason }) => `${amount} ${reason}`));
  assert.deepEqual(left(settled), [`${due} LEFT_AT_CLOSE`]);
  const refund = { ...money[0], providerReference: 'RF-settled' };
  const told = await post(plan, 'refunds', refund);
  assertProblem(told, 409, 'step-not-ready', /SETTLED_ELSEWHERE.*"force": true/);
  const wrong = await post(plan, 'refunds', { ...refund, force: 'yes' });
  assertProblem(wrong, 400, 'validation-failed', /force/);
  assert.deepEqual(left(await changed(plan, 'refunds', { ...refund, force: true })), []);
});

/** A plan whose deposit address is watched, so that late money is seen. */
function watchedPlan(): Promise<WholePlan> {
  const options = { mode: 'STANDARD', depositAddress: freshAddress() };
  return payments.plan({ amountIn: String(AMOUNT_IN), options });
}

test('a late deposit after a second execution is there, and goes back', async () => {
  const made = await watchedPlan();
  let plan = await payments.played(made, 'deposit.exact');
  for (const event of ['swap.done', 'swap.again'] as const) plan = await payments.played(plan, event);
  plan = await payments.played(plan, 'deposit.late');
  const entries = ({ funds }: WholePlan) =>
    (funds[0]?.unallocated ?? []).map(({ direction, reason, amount }) => `${direction} ${reason} ${amount}`);
  const spent = `OUT SECOND_EXECUTION ${AMOUNT_IN}`;
  assert.deepEqual(entries(plan), [`IN AFTER_SWAP ${AMOUNT_IN}`, spent]);
  const refund = { amount: String(AMOUNT_IN), asset: assetOf(plan, 0), providerReference: 'RF-late' };
  assert.deepEqual(entries(await changed(plan, 'refunds', refund)), [spent]);
});

test('a second end leaves what the first one said, and what that knew stays settled elsewhere', async () => {
  const made = await watchedPlan();
  const plan = await payments.played(made, 'deposit.exact');
  const first = { reason: 'SETTLED_ELSEWHERE', note: 'wire 4711' };
  const once = await ended(plan, first);
  const late = await payments.played(plan, 'deposit.late');
  assert.deepEqual([late.next?.why, late.money[0]?.unexplained], ['MONEY_UNEXPLAINED', String(AMOUNT_IN)]);
  const twice = await ended(late, { reason: 'ABANDONED' });
  assert.deepEqual([twice.ended, twice.next, twice.money[0]?.unexplained], [once.ended, undefined, '0']);
  const { revision } = await ended(plan, first);
  assert.equal(revision, twice.revision, 'a repetition of the first');
  const all = { amount: String(2n * AMOUNT_IN), asset: assetOf(plan, 0), providerReference: 'RF-all' };
  assertProblem(
    await post(plan, 'refunds', all),
    409,
    'step-not-ready',
    new RegExp(`only 70 USDC on .* \\(${AMOUNT_IN} units of .*\\) is there`),
  );
  const free = { ...all, amount: String(AMOUNT_IN), providerReference: 'RF-free' };
  await changed(plan, 'refunds', free);
  assertProblem(
    await post(plan, 'refunds', { ...free, providerReference: 'RF-more' }),
    409,
    'step-not-ready',
  );
});
