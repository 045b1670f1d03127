// The record of a chain gives plans what nobody reports: late deposits, swaps, payouts, and what a reorganisation takes
// back.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { PaymentPlan } from '@fairway/wire';
import { encodeFunctionData, erc20Abi, multicall3Abi } from 'viem';
import type { Call, KeyWallet } from '../keyWallet.ts';
import { freshAddress, startPaymentsTest, statusesOf, stepOf } from '../paymentsHarness.ts';

const payments = await startPaymentsTest();
after(() => payments.close());

const AMOUNT_IN = 60_000_000n;

type Ready = { readonly plan: PaymentPlan; readonly wallet: KeyWallet };

/** A plan whose deposit has come to its wallet, and whose instructions the wallet may execute. */
async function readyPlan(fields: object = {}, held = AMOUNT_IN): Promise<Ready> {
  const wallet = await payments.freshWallet();
  const options = { mode: 'STANDARD', depositAddress: wallet.address };
  const made = await payments.plan({ amountIn: String(AMOUNT_IN), options, ...fields });
  await payments.give(wallet.address, 'USDC', held);
  const plan = await payments.until(made, 'the swap is due', (now) => now.steps[1]?.status === 'READY');
  return { plan, wallet };
}

function callOf(plan: PaymentPlan): Call {
  const call = stepOf(plan, 'EXECUTE_SWAP').instructions?.at(-1);
  assert.ok(call);
  return call;
}

async function approve({ plan, wallet }: Ready, amount = AMOUNT_IN): Promise<void> {
  await wallet.approve(payments.token('USDC'), callOf(plan).to, amount);
}

const receivedOf = (plan: PaymentPlan) => stepOf(plan, 'AWAIT_DEPOSIT').deposit?.received;
const isSwapped = (plan: PaymentPlan) => plan.steps[1]?.status === 'DONE';

async function typesOf(plan: PaymentPlan): Promise<string[]> {
  return (await payments.events(plan)).map(({ type, actor }) =>
    actor === 'service' ? `${type} by itself` : type,
  );
}

test('a swap that nobody reports is found by its tag', async () => {
  const ready = await readyPlan();
  await approve(ready);
  const swap = await ready.wallet.execute([callOf(ready.plan)]);
  const found = await payments.until(ready.plan, 'the swap is found', isSwapped);
  assert.equal(statusesOf(found), 'DONE DONE READY');
  const { evidence, attempts } = stepOf(found, 'EXECUTE_SWAP');
  assert.deepEqual(
    [evidence?.txHash, evidence?.status, attempts?.at(-1)?.outcome],
    [swap.hash, 'FINAL', 'EXECUTED'],
  );
  assert.deepEqual((await typesOf(found)).slice(-1), ['EXECUTION_FOUND by itself']);
  // A report of a known fact changes nothing.
  const told = await payments.report(found, 'EXECUTE_SWAP', { outcome: 'DONE', txHash: swap.hash });
  assert.deepEqual([told.status, told.body.revision], [200, found.revision]);
});

/** A call without the tag at its end, and the tag. */
function taken({ data }: Call): { readonly body: string; readonly tag: string } {
  return { body: data.slice(0, -32), tag: data.slice(-32) };
}

test('a copied tag executes nothing: not with less, not at the token, not at another contract', async () => {
  const ready = await readyPlan();
  const { tag } = taken(callOf(ready.plan));
  const stranger = await payments.freshWallet();
  const options = { mode: 'STANDARD', sender: stranger.address };
  const small = AMOUNT_IN / 10n;
  const other = await payments.plan({ amountIn: String(small), options });
  await payments.give(stranger.address, 'USDC', small);
  const [approval, swap] = stepOf(other, 'EXECUTE_SWAP').instructions ?? [];
  assert.ok(approval && swap);
  // The router swaps less for the settlement address, under the tag of another plan.
  await stranger.execute([approval, { ...swap, data: `${taken(swap).body}${tag}` }]);
  const settlement = (await payments.settlementAddress('usdc-aud-bank')) as `0x${string}`;
  const args = [settlement, 7n] as const;
  const transfer = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args });
  await payments.give(stranger.address, 'tAUD', 7n);
  await stranger.execute([{ to: payments.token('tAUD'), data: `${transfer}${tag}`, value: '0' }]);
  const multicall3 = '0xcA11bde05977b3631167028862bE2a173976CA11';
  await payments.give(multicall3, 'tAUD', 7n);
  const call = { target: payments.token('tAUD') as `0x${string}`, allowFailure: false, callData: transfer };
  const data = encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args: [[call]] });
  await stranger.execute([{ to: multicall3, data: `${data}${tag}`, value: '0' }]);
  // Blocks are recorded in their order: when this new plan is ready, everything before it is recorded.
  await readyPlan();
  for (const plan of [ready.plan, other]) {
    const events = (await payments.events(plan)).map(({ type }) => type);
    assert.ok(!events.includes('EXECUTION_FOUND'), plan.planId);
  }
  const { status, body: fresh } = await payments.again(ready.plan, { slippageBps: 70 });
  assert.deepEqual([status, statusesOf(fresh)], [200, 'DONE READY PENDING']);
  assert.notEqual(taken(callOf(fresh)).tag, tag);
  await approve(ready);
  const real = await ready.wallet.execute([callOf(ready.plan)]);
  const found = await payments.until(fresh, 'the swap is found', isSwapped);
  assert.equal(stepOf(found, 'EXECUTE_SWAP').evidence?.txHash, real.hash);
});

test('a swap by a plan without a deposit address is found, and needs no report of its deposit', async () => {
  const wallet = await payments.freshWallet();
  const options = { mode: 'STANDARD', sender: wallet.address };
  const made = await payments.plan({ amountIn: String(AMOUNT_IN), options });
  await payments.give(wallet.address, 'USDC', AMOUNT_IN);
  const calls = stepOf(made, 'EXECUTE_SWAP').instructions ?? [];
  await wallet.execute(calls);
  const found = await payments.until(made, 'the swap is found', isSwapped);
  assert.equal(statusesOf(found), 'DONE DONE READY');
});

test('two rounds of instructions are both executed: the second is recorded and changes no step', async () => {
  const ready = await readyPlan({}, 2n * AMOUNT_IN);
  await approve(ready, 2n * AMOUNT_IN);
  const { body: fresh } = await payments.again(ready.plan, { slippageBps: 70 });
  const first = await ready.wallet.execute([callOf(ready.plan)]);
  const found = await payments.until(fresh, 'the first swap is found', isSwapped);
  const second = await ready.wallet.execute([callOf(fresh)]);
  const after = await payments.until(
    found,
    'the second is recorded',
    ({ revision }) => revision > found.revision,
  );
  assert.deepEqual(
    [statusesOf(after), stepOf(after, 'EXECUTE_SWAP').evidence?.txHash],
    ['DONE DONE READY', first.hash],
  );
  assert.equal(after.steps[2]?.custodianAction?.amount, found.steps[2]?.custodianAction?.amount);
  const executions = (await payments.events(after)).filter(({ type }) => type === 'EXECUTION_FOUND');
  const hashes = executions.map(({ data }) => (data as { evidence: { txHash: string } }).evidence.txHash);
  assert.deepEqual(hashes, [first.hash, second.hash]);
  const told = await payments.report(after, 'EXECUTE_SWAP', { outcome: 'DONE', txHash: second.hash });
  assert.deepEqual([told.status, told.body.revision], [200, after.revision]);
});

test('a deposit after the swap, and one after the end, are recorded and change no status', async () => {
  const ready = await readyPlan();
  await approve(ready);
  await ready.wallet.execute([callOf(ready.plan)]);
  const swapped = await payments.until(ready.plan, 'the swap is found', isSwapped);
  await payments.give(ready.wallet.address, 'USDC', 12n);
  const late = await payments.until(
    swapped,
    'it is recorded',
    (now) => receivedOf(now) === String(AMOUNT_IN + 12n),
  );
  assert.deepEqual([late.status, statusesOf(late)], [swapped.status, 'DONE DONE READY']);
  const { body: paid } = await payments.report(late, 'CUSTODIAN_PAYOUT', {
    outcome: 'DONE',
    providerReference: `NPP-${late.planId}`,
  });
  assert.equal(paid.status, 'COMPLETED');
  await payments.give(ready.wallet.address, 'USDC', 5n);
  const last = await payments.until(
    paid,
    'it is recorded',
    (now) => receivedOf(now) === String(AMOUNT_IN + 17n),
  );
  assert.deepEqual([last.status, statusesOf(last)], ['COMPLETED', 'DONE DONE DONE']);
});

test('the last missing dust completes a deposit', async () => {
  const depositAddress = freshAddress();
  const amountIn = 1_000_000_000n;
  const dust = 500_000n;
  const made = await payments.plan({
    amountIn: String(amountIn),
    options: { mode: 'STANDARD', depositAddress },
  });
  await payments.give(depositAddress, 'USDC', amountIn - dust);
  const partial = await payments.until(
    made,
    'the most of it is seen',
    (now) => now.steps[0]?.status === 'READY',
  );
  assert.equal(partial.next?.why, 'DEPOSIT_PARTIAL');
  await payments.give(depositAddress, 'USDC', dust);
  const whole = await payments.until(made, 'it is complete', (now) => now.steps[1]?.status === 'READY');
  assert.deepEqual(
    [stepOf(whole, 'AWAIT_DEPOSIT').deposit?.outcome, receivedOf(whole)],
    ['EXACT', String(amountIn)],
  );
});

test('another token of the corridors at the deposit address is recorded and is no deposit', async () => {
  const depositAddress = freshAddress();
  const made = await payments.plan({
    amountIn: String(AMOUNT_IN),
    options: { mode: 'STANDARD', depositAddress },
  });
  await payments.give(depositAddress, 'tAUD', 7n);
  const seen = await payments.until(made, 'it is recorded', ({ revision }) => revision > made.revision);
  assert.deepEqual([seen.next?.why, receivedOf(seen)], ['DEPOSIT_MISSING', '0']);
  assert.deepEqual((await typesOf(seen)).slice(-1), ['RECORD_READ by itself']);
});

test('a deposit that was reported by its transaction is taken back by a reorganisation', async () => {
  const wallet = await payments.freshWallet();
  const payer = await payments.freshWallet();
  await payments.give(payer.address, 'USDC', AMOUNT_IN);
  const options = { mode: 'STANDARD', sender: wallet.address };
  const made = await payments.plan({ amountIn: String(AMOUNT_IN), options });
  const sent = await payer.transfer(payments.token('USDC'), wallet.address, AMOUNT_IN);
  const told = await payments.report(made, 'AWAIT_DEPOSIT', { outcome: 'DONE', txHash: sent.hash });
  assert.deepEqual([told.status, statusesOf(told.body)], [200, 'DONE READY PENDING']);
  // The wait lets the record read the deposit: then the record takes it back, and not the first look at the chain.
  await payments.service.rpc('anvil_mine', ['0x2']);
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  await payments.service.rpc('anvil_reorg', [3, []]);
  const gone = await payments.until(
    made,
    'it is gone',
    (now) => statusesOf(now) === 'PENDING PENDING PENDING',
  );
  assert.deepEqual([receivedOf(gone), gone.next?.why], ['0', 'DEPOSIT_LOST']);
  await payments.service.rpc('eth_sendRawTransaction', [sent.raw]);
  await payments.service.rpc('anvil_mine', ['0x1']);
  const again = await payments.report(gone, 'AWAIT_DEPOSIT', { outcome: 'DONE', txHash: sent.hash });
  assert.deepEqual([again.status, statusesOf(again.body)], [200, 'DONE READY PENDING']);
});

/** A plan that pays a wallet, and whose swap is done. */
async function payable(address: string): Promise<PaymentPlan> {
  const recipient = { type: 'wallet', chainId: payments.sandbox.chainId, address };
  const ready = await readyPlan({ corridorId: 'usdc-wallet', recipient });
  await ready.wallet.execute([callOf(ready.plan)]);
  return payments.until(ready.plan, 'the swap is found', isSwapped);
}

const paying = (to: string, amount: bigint) => ({
  to: payments.token('USDC'),
  data: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to as `0x${string}`, amount] }),
});

test('a payout from the custodian is found by itself where one plan alone is due that amount', async () => {
  const address = freshAddress();
  const plan = await payable(address);
  await payments.give(await payments.settlementAddress('usdc-wallet'), 'USDC', AMOUNT_IN);
  const short = await payments.custodianSends('usdc-wallet', paying(address, AMOUNT_IN - 1n));
  const hash = await payments.custodianSends('usdc-wallet', paying(address, AMOUNT_IN));
  const paid = await payments.until(plan, 'the payout is found', ({ status }) => status === 'COMPLETED');
  const { evidence, verification } = stepOf(paid, 'CUSTODIAN_PAYOUT');
  assert.deepEqual([evidence?.txHash, verification], [hash, 'VERIFIED']);
  assert.notEqual(evidence?.txHash, short);
});

test('a payout that two plans may be due is taken by neither, until a report says whose it is', async () => {
  const address = freshAddress();
  const [one, other] = [await payable(address), await payable(address)];
  const hash = await payments.custodianSends('usdc-wallet', paying(address, AMOUNT_IN));
  // Blocks are recorded in their order: when this new plan is ready, everything before it is recorded.
  const mark = await readyPlan();
  assert.equal(statusesOf(mark.plan), 'DONE READY PENDING');
  for (const plan of [one, other])
    assert.equal(statusesOf(await payments.get(plan.planId)), 'DONE DONE READY', plan.planId);
  const told = await payments.report(other, 'CUSTODIAN_PAYOUT', { outcome: 'DONE', txHash: hash });
  assert.equal(told.body.status, 'COMPLETED');
  assert.equal(statusesOf(await payments.get(one.planId)), 'DONE DONE READY');
});
