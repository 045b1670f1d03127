// Money that went back to the payer counts once and in full, however it is reported.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { NATIVE_CURRENCY } from '@fairway/plan';
import type { FieldError, MovementList } from '@fairway/wire';
import { type KeyWallet, transferCall } from '../keyWallet.ts';
import {
  assertProblem,
  freshAddress,
  type PlanAnswer,
  startPaymentsTest,
  stepOf,
  type WholePlan,
} from '../paymentsHarness.ts';

const payments = await startPaymentsTest();
after(() => payments.close());

const CORRIDOR = 'usdc-wallet';
const AMOUNT = 250_000_000n;
const SURPLUS = 50_000_000n;

/** A plan whose payer has sent 50 too much, and whose amount is at the custodian. */
async function overpaid(payer: KeyWallet): Promise<WholePlan> {
  const own = await payments.freshWallet();
  const recipient = { type: 'wallet', chainId: payments.sandbox.chainId, address: freshAddress() };
  const options = { mode: 'STANDARD', depositAddress: own.address };
  const made = await payments.plan({ corridorId: CORRIDOR, amountIn: String(AMOUNT), options, recipient });
  await payments.give(payer.address, 'USDC', AMOUNT + SURPLUS);
  await payer.transfer(payments.token('USDC'), own.address, AMOUNT + SURPLUS);
  const ready = await payments.until(made, 'the swap is due', (now) => now.steps[1]?.status === 'READY');
  await own.execute(stepOf(ready, 'EXECUTE_SWAP').instructions ?? []);
  return payments.until(ready, 'the swap is found', (now) => now.steps[1]?.status === 'DONE');
}

/** The custodian sends this much back to an account, with the confirmations; the hash of its transaction. */
async function custodianSendsBack(to: string, amount: bigint): Promise<string> {
  await payments.give(await payments.settlementAddress(CORRIDOR), 'USDC', amount);
  const token = payments.token('USDC') as `0x${string}`;
  const txHash = await payments.custodianSends(CORRIDOR, transferCall(token, to, amount));
  await payments.service.rpc('anvil_mine', ['0x3']);
  await payments.service.recordAtHead();
  return txHash;
}

function refund(plan: WholePlan, amount: bigint, told: object): Promise<PlanAnswer> {
  const asset = plan.funds[0]?.asset;
  return payments.ask(`/v1/payments/${plan.planId}/refunds`, { amount: String(amount), asset, ...told });
}

/** The refunds of a plan: how much, and how far that is verified. */
async function refundsOf({ planId }: WholePlan): Promise<readonly string[]> {
  const { json } = await payments.ask(`/v1/payments/${planId}/movements`);
  const { data } = json as MovementList;
  return data
    .filter(({ kind }) => kind === 'REFUND')
    .map(({ actual, verification }) => `${actual} ${verification}`);
}

test('the custodian gives back the surplus and the payout in one transfer', async () => {
  const payer = await payments.freshWallet();
  const plan = await overpaid(payer);
  const txHash = await custodianSendsBack(payer.address, AMOUNT + SURPLUS);
  const { status, text, body } = await refund(plan, AMOUNT + SURPLUS, { txHash });
  assert.equal(status, 200, text);
  assert.deepEqual(await refundsOf(plan), [`${AMOUNT} VERIFIED`, `${SURPLUS} VERIFIED`]);
  const [funds] = body.funds;
  assert.deepEqual(
    [funds?.refunded, funds?.outstanding, funds?.unallocated],
    [String(AMOUNT + SURPLUS), '0', []],
  );
  assert.equal(body.next?.why, 'NOTHING_LEFT');
  assert.equal(
    (await refund(plan, AMOUNT + SURPLUS, { txHash })).text,
    text,
    'told again it changes nothing',
  );
  assertProblem(
    await refund(plan, AMOUNT, { txHash }),
    409,
    'evidence-mismatch',
    /no transfer of 250 USDC on .* \(250000000 units/,
  );
});

test('a refund is told by the hash of its transaction as txHash alone, and counts once', async () => {
  const payer = await payments.freshWallet();
  const [plan, other] = [await overpaid(payer), await overpaid(payer)];
  const txHash = await custodianSendsBack(payer.address, SURPLUS);
  const { text } = await refund(plan, SURPLUS, { txHash });
  for (const each of [plan, other])
    assertField(
      await refund(each, SURPLUS, { providerReference: `0x${txHash.slice(2).toUpperCase()}` }),
      /as txHash/,
    );
  assert.equal((await refund(plan, SURPLUS, { txHash })).text, text, 'told again it changes nothing');
  assertProblem(await refund(other, SURPLUS, { txHash }), 409, 'evidence-mismatch', /settles something else/);
  assert.deepEqual(await refundsOf(plan), [`${SURPLUS} VERIFIED`]);
  assert.deepEqual(await refundsOf(other), []);
});

test('a refund of native currency is told by one name, its transaction or a reference', async () => {
  const { planId } = await payments.plan();
  const asset = { chainId: payments.sandbox.chainId, address: NATIVE_CURRENCY };
  const both = { amount: '1', asset, txHash: `0x${'cd'.repeat(32)}`, providerReference: 'R' };
  assertField(await payments.ask(`/v1/payments/${planId}/refunds`, both), /left out beside txHash/);
});

/** Asserts that a refund was refused for its reference. */
function assertField({ status, problem }: PlanAnswer, detail: RegExp): void {
  const [error] = problem.errors ?? [];
  assert.deepEqual([status, problem.errors?.length, error?.pointer], [400, 1, '/providerReference']);
  assert.match(error?.detail ?? '', detail);
}

test('what the custodian sends to the deposit address counts once, as the refund it is told as', async () => {
  const plan = await overpaid(await payments.freshWallet());
  const { depositAddress = '' } = plan.options;
  const txHash = await custodianSendsBack(depositAddress, AMOUNT);
  const seen = await payments.until(plan, 'the transfer is seen', ({ funds: [funds] }) =>
    [String(2n * AMOUNT + SURPLUS)].includes(String(funds?.received)),
  );
  assert.equal(seen.funds[0]?.outstanding, String(AMOUNT));
  const { status, text, body } = await refund(seen, AMOUNT, { txHash });
  assert.equal(status, 200, text);
  assert.deepEqual(await refundsOf(plan), [`${AMOUNT} VERIFIED`]);
  const [funds] = body.funds;
  assert.deepEqual(
    [funds?.received, funds?.refunded, funds?.outstanding, funds?.unallocated.map(({ amount }) => amount)],
    [String(AMOUNT + SURPLUS), String(AMOUNT), '0', [String(SURPLUS)]],
  );
  await payments.service.rpc('anvil_mine', ['0x3']);
  await payments.service.recordAtHead();
  assert.deepEqual((await payments.get(plan.planId)).funds, body.funds, 'the record brings no deposit of it');
});

test('a return is not told by a transaction that brought the money to the deposit address', async () => {
  const plan = await overpaid(await payments.freshWallet());
  await payments.simulate(plan, 'CUSTODIAN_PAYOUT', 'payout.done');
  const paid = await payments.until(plan, 'the payout is done', ({ status }) => status === 'COMPLETED');
  const { depositAddress = '' } = plan.options;
  await payments.give(await payments.settlementAddress(CORRIDOR), 'USDC', AMOUNT);
  const token = payments.token('USDC') as `0x${string}`;
  const txHash = await payments.custodianSends(CORRIDOR, transferCall(token, depositAddress, AMOUNT));
  const back = { outcome: 'RETURNED', providerReference: txHash, amount: String(AMOUNT) };
  assertProblem(
    await payments.report(paid, 'CUSTODIAN_PAYOUT', back),
    409,
    'evidence-mismatch',
    /brought the money to the deposit address/,
  );
});

test('a refund of no token is refused with the member that is wrong', async () => {
  const plan = await payments.plan();
  const told = { amount: '1', providerReference: 'RF-none' };
  for (const [asset, pointer, detail] of [
    [{ currency: 'EUR' }, '/asset', /asset must be a token, .* went back in EUR, give the token/],
    [{ chainId: payments.sandbox.chainId, address: '0x1' }, '/asset/address', /address must be/],
    [{ address: payments.token('USDC') }, '/asset/chainId', /chainId is missing/],
    [undefined, '/asset', /asset is missing; give the token that went back/],
  ] as const) {
    const { status, problem } = await payments.ask(`/v1/payments/${plan.planId}/refunds`, { ...told, asset });
    const [error] = problem.errors ?? [];
    assert.deepEqual([status, problem.errors?.length, error?.pointer], [400, 1, pointer]);
    assert.match(error?.detail ?? '', detail);
  }
});

test('a refund that is taken back is waited for, and recorded again when it is mined again', async () => {
  const payer = await payments.freshWallet();
  const plan = await overpaid(payer);
  const custodian = await payments.settlementAddress(CORRIDOR);
  await payments.give(custodian, 'USDC', SURPLUS);
  const call = transferCall(payments.token('USDC'), payer.address, SURPLUS);
  const txHash = await payments.custodianSends(CORRIDOR, call);
  await payments.service.recordAtHead();
  assert.equal((await refund(plan, SURPLUS, { txHash })).status, 200);
  const sent = await payments.service.rpc<Record<string, string>>('eth_getTransactionByHash', [txHash]);
  await payments.service.rpc('anvil_reorg', [1, []]);
  const lost = await payments.until(plan, 'the wait', ({ next }) => next?.why === 'REFUND_LOST');
  assert.deepEqual([lost.next?.pay, lost.funds[0]?.refunded], [undefined, '0']);
  const untraced = await refund(plan, AMOUNT + SURPLUS, { providerReference: 'untraced' });
  assertProblem(untraced, 409, 'step-not-ready', new RegExp(`${txHash}.*Until ${lost.next?.deadline}`));
  const { from, to, input, gas, nonce, maxFeePerGas, maxPriorityFeePerGas, type } = sent;
  const again = { from, to, data: input, gas, nonce, maxFeePerGas, maxPriorityFeePerGas, type };
  await payments.service.rpc('anvil_impersonateAccount', [custodian]);
  assert.equal(await payments.service.rpc('eth_sendTransaction', [again]), txHash);
  await payments.service.rpc('anvil_mine', ['0x2']);
  const back = await payments.until(plan, 'it is recorded again', ({ next }) => next?.why !== 'REFUND_LOST');
  assert.equal(back.next?.why, plan.next?.why);
  assert.equal(back.funds[0]?.refunded, String(SURPLUS));
});

test('a refund in a block that is on the chain once more is recorded once more, and stays', async () => {
  const payer = await payments.freshWallet();
  const plan = await overpaid(payer);
  const { rpc, recordAtHead } = payments.service;
  await payments.give(await payments.settlementAddress(CORRIDOR), 'USDC', SURPLUS);
  const call = transferCall(payments.token('USDC'), payer.address, SURPLUS);
  const txHash = await payments.custodianSends(CORRIDOR, call);
  await recordAtHead();
  assert.equal((await refund(plan, SURPLUS, { txHash })).status, 200);
  // The refund's transfer is on record only because the plan asks for it.
  await rpc('anvil_mine', ['0x1']);
  await recordAtHead();
  await sleep(1_000);
  const state = await rpc('anvil_dumpState', [true]);
  await rpc('anvil_reorg', [2, []]);
  await payments.until(plan, 'the wait', ({ next }) => next?.why === 'REFUND_LOST');
  assert.equal(await rpc('anvil_loadState', [state]), true);
  await rpc('anvil_mine', ['0x2']);
  const back = await payments.until(
    plan,
    'it is recorded again',
    ({ funds }) => funds[0]?.refunded === String(SURPLUS),
  );
  for (let blockCount = 0; blockCount < 3; blockCount += 1) {
    await rpc('anvil_mine', ['0x1']);
    await recordAtHead();
    await sleep(1_000);
  }
  assert.equal((await payments.get(plan.planId)).revision, back.revision);
});

test('an asset is refused that names a token by its symbol, or with what is not its own', async () => {
  const plan = await payments.played(await payments.plan(), 'deposit.exact');
  const told = plan.funds[0]?.asset ?? assert.fail();
  assert.ok('address' in told);
  const pointersOf = ({ problem }: PlanAnswer) =>
    (problem.errors as readonly FieldError[]).map(({ pointer, suggestions = [] }) => [
      pointer,
      ...suggestions,
    ]);
  const providerReference = 'RF-asset';
  for (const [given, ...refused] of [
    [{ address: 'USDC' }, ['/asset/address', told.address]],
    [{ symbol: 'USDT' }, ['/asset/symbol']],
    [{ decimals: 18 }, ['/asset/decimals']],
    [{ symbol: 7, decimals: '6' }, ['/asset/symbol'], ['/asset/decimals']],
  ] as const) {
    const answer = await refund(plan, 1n, { asset: { ...told, ...given }, providerReference });
    assert.equal(answer.status, 400, answer.text);
    assert.deepEqual(pointersOf(answer), refused);
  }
  const deduction = { amount: '1', asset: { ...told, symbol: 'USDT' }, reason: 'fee' };
  const report = { outcome: 'DONE', providerReference, deductions: [deduction] };
  const paid = await payments.report(plan, 'CUSTODIAN_PAYOUT', report);
  assert.deepEqual(pointersOf(paid), [['/deductions/0/asset/symbol']]);
  assert.match(paid.text, /symbol must be \\"USDC\\", as 0x\w{40} has it, or be left out; given \\"USDT\\"/);
  assert.equal((await refund(plan, 1n, { asset: told, providerReference })).status, 200);
});
