// The service watches deposit addresses by itself: deposits in parts, of too much, too late, or taken back by a
// reorganisation, without a report.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { PaymentPlan } from '@fairway/wire';
import { basic } from '../harness.ts';
import { transferCall } from '../keyWallet.ts';
import { makeLogin } from '../paymentCalls.ts';
import {
  assertProblem,
  freshAddress,
  type PaymentsClient,
  paymentsClient,
  type PaymentsTest,
  requestOf,
  startPaymentsTest,
  statusesOf,
  stepOf,
  endOf,
} from '../paymentsHarness.ts';
import { endEverything, freshFolder } from '../processHarness.ts';

let payments: PaymentsTest;
/** Another organisation on the same service. */
let stranger: PaymentsClient;
before(async () => {
  const data = join(freshFolder(), 'data');
  payments = await startPaymentsTest(undefined, ['--data', data]);
  const { username, password } = await makeLogin({ data }, 'Stranger');
  stranger = paymentsClient(payments.service.url, basic(username, password));
});
after(async () => {
  await payments?.close();
  await endEverything();
});

const AMOUNT_IN = 100_000_000n;

async function watchedPlan(): Promise<{ plan: PaymentPlan; depositAddress: string }> {
  const depositAddress = freshAddress();
  const options = { mode: 'STANDARD', depositAddress };
  return { plan: await payments.plan({ amountIn: String(AMOUNT_IN), options }), depositAddress };
}

function depositOf(plan: PaymentPlan) {
  const { deposit } = stepOf(plan, 'AWAIT_DEPOSIT');
  assert.ok(deposit);
  return deposit;
}

test('an address that signed the swap of an organisation takes no plan of another one', async () => {
  const own = await payments.freshWallet();
  const options = { mode: 'STANDARD', depositAddress: own.address, sender: own.address };
  const plan = await payments.plan({ amountIn: String(AMOUNT_IN), options });
  await payments.give(own.address, 'USDC', AMOUNT_IN);
  const due = await payments.until(plan, 'the swap is due', (now) => now.steps[1]?.status === 'READY');
  await own.execute(stepOf(due, 'EXECUTE_SWAP').instructions ?? []);
  await payments.until(plan, 'the swap is found', (now) => now.steps[1]?.status === 'DONE');
  const ended = (await payments.simulate(plan, 'CUSTODIAN_PAYOUT', 'payout.done')).body;
  assert.equal(ended.status, 'COMPLETED');
  const small = requestOf({ amountIn: '1000000', options });
  assertProblem(
    await stranger.ask('/v1/payments', small),
    409,
    'deposit-address-in-use',
    /Give a fresh address/,
  );
  await payments.give(own.address, 'USDC', AMOUNT_IN);
  await payments.until(plan, 'it came late', ({ next }) => next?.why === 'MONEY_UNEXPLAINED');
  const another = await payments.plan({ amountIn: String(AMOUNT_IN), options });
  assert.equal(another.next?.why, 'DEPOSIT_MISSING', 'its own may');
});

test('an address whose owner only paid a recipient is proven to be nobody’s', async () => {
  const payer = await payments.freshWallet();
  const wallet = freshAddress();
  const recipient = { type: 'wallet', chainId: payments.sandbox.chainId, address: wallet };
  const options = { mode: 'STANDARD', depositAddress: payer.address };
  const amountIn = String(AMOUNT_IN);
  const theirs = await stranger.plan({ corridorId: 'usdc-wallet', amountIn, recipient, options });
  await stranger.played(theirs, 'deposit.exact', 'swap.done');
  const { hash } = await payer.transfer(payments.token('USDC'), wallet, AMOUNT_IN);
  const told = await stranger.report(theirs, 'CUSTODIAN_PAYOUT', { outcome: 'DONE', txHash: hash });
  assert.equal(told.body.steps[2]?.evidence?.txHash, hash, told.text);
  await payments.service.rpc('anvil_mine', ['0x3']);
  await payments.service.recordAtHead();
  const over = await stranger.get(theirs.planId);
  assert.equal(over.status, 'COMPLETED');
  assert.equal((await payments.plan({ amountIn, options })).next?.why, 'DEPOSIT_MISSING');
});

test('a partial deposit cannot be reported as done, and is done when the rest has come', async () => {
  const { plan, depositAddress } = await watchedPlan();
  await payments.give(depositAddress, 'USDC', 30_000_000n);
  const partial = await payments.until(plan, 'a part is seen', (now) => depositOf(now).outcome === 'PARTIAL');
  assert.equal(statusesOf(partial), 'READY PENDING PENDING');
  assert.deepEqual(
    [partial.status, partial.next?.why, partial.next?.send?.amount],
    ['ACTION_REQUIRED', 'DEPOSIT_PARTIAL', '70000000'],
  );
  assert.match(
    partial.next?.detail ?? '',
    /^30 USDC on Fairway sandbox .30000000 units .* missing 70 USDC on Fairway sandbox .70000000 units /,
  );
  const text = await payments.textOf(plan.planId);
  for (const claim of [{}, { amount: '30000000' }, { amount: '100000000' }])
    assertProblem(
      await payments.report(plan, 'AWAIT_DEPOSIT', { outcome: 'DONE', ...claim }),
      409,
      'evidence-mismatch',
    );
  assertProblem(await payments.end(plan), 400, 'validation-failed', /30000000/);
  assert.equal(await payments.textOf(plan.planId), text);

  await payments.give(depositAddress, 'USDC', 70_000_000n);
  const whole = await payments.until(plan, 'the rest is seen', (now) => now.steps[1]?.status === 'READY');
  const { outcome, received, confirmed, transfers } = depositOf(whole);
  assert.deepEqual([outcome, received, confirmed], ['EXACT', '100000000', '100000000']);
  assert.deepEqual(
    transfers.map(({ amount }) => amount),
    ['30000000', '70000000'],
  );
});

test('a report looks for the deposit at once; a wrong amount or transaction is refused', async () => {
  const { plan, depositAddress } = await watchedPlan();
  const payer = await payments.freshWallet();
  await payments.give(payer.address, 'USDC', 2n * AMOUNT_IN);
  const elsewhere = await payer.transfer(payments.token('USDC'), freshAddress(), AMOUNT_IN);
  const deposit = await payer.transfer(payments.token('USDC'), depositAddress, AMOUNT_IN);
  for (const claim of [
    { amount: '1' },
    { amount: String(AMOUNT_IN + 1n) },
    { txHash: elsewhere.hash },
    { txHash: deposit.hash, amount: '99999999' },
  ]) {
    const refused = await payments.report(plan, 'AWAIT_DEPOSIT', { outcome: 'DONE', ...claim });
    assertProblem(refused, 409, 'evidence-mismatch');
  }
  const told = { outcome: 'DONE', txHash: deposit.hash, amount: String(AMOUNT_IN) };
  const done = (await payments.report(plan, 'AWAIT_DEPOSIT', told)).body;
  assert.equal(statusesOf(done), 'DONE READY PENDING');
});

test('of a deposit over the amount the planned amount is swapped, and the rest is shown', async () => {
  const { plan, depositAddress } = await watchedPlan();
  await payments.give(depositAddress, 'USDC', AMOUNT_IN + 7n);
  const over = await payments.until(plan, 'it is seen', (now) => now.steps[1]?.status === 'READY');
  assert.deepEqual([depositOf(over).outcome, depositOf(over).received], ['OVER', String(AMOUNT_IN + 7n)]);
  assert.equal(over.quote?.amountIn, String(AMOUNT_IN));
});

test('another token at the deposit address does not count as a deposit', async () => {
  const { plan, depositAddress } = await watchedPlan();
  await payments.give(depositAddress, 'USDT', AMOUNT_IN);
  await payments.give(depositAddress, 'USDC', 1n);
  const seen = await payments.until(plan, 'USDC is seen', (now) => depositOf(now).received !== '0');
  assert.equal(depositOf(seen).received, '1');
});

test('a reorganisation that takes a deposit away sets the plan back until it is mined again', async () => {
  const { plan, depositAddress } = await watchedPlan();
  const payer = await payments.freshWallet();
  await payments.give(payer.address, 'USDC', AMOUNT_IN);
  const deposit = await payer.transfer(payments.token('USDC'), depositAddress, AMOUNT_IN);
  const seen = await payments.until(plan, 'it is seen', (now) => now.steps[1]?.status === 'READY');
  await payments.service.rpc('anvil_reorg', [1, []]);
  const gone = await payments.until(seen, 'it is gone', (now) => depositOf(now).received === '0');
  assert.deepEqual([gone.status, statusesOf(gone)], ['IN_PROGRESS', 'PENDING PENDING PENDING']);
  const { do: what, by, why, send, deadline = '' } = gone.next ?? {};
  // A second deposit would be paid beside the first, which is mined again.
  assert.deepEqual([what, by, why, send], ['WAIT', 'CHAIN', 'DEPOSIT_LOST', undefined]);
  assert.equal(Date.parse(deadline) - Date.parse(gone.updatedAt), 3_600_000);
  assert.deepEqual(depositOf(gone).transfers, []);
  await payments.service.rpc('eth_sendRawTransaction', [deposit.raw]);
  const back = await payments.until(gone, 'it is back', (now) => now.steps[1]?.status === 'READY');
  assert.deepEqual(
    depositOf(back).transfers.map(({ txHash }) => txHash),
    [deposit.hash],
  );
  assert.deepEqual(stepOf(back, 'EXECUTE_SWAP').instructions?.length, 1);
});

test('a deposit that is taken back and does not come again within an hour is asked for again', async () => {
  const { plan, depositAddress } = await watchedPlan();
  await payments.give(depositAddress, 'USDC', AMOUNT_IN);
  await payments.until(plan, 'it is seen', (now) => now.steps[1]?.status === 'READY');
  await payments.service.rpc('anvil_reorg', [1, []]);
  await payments.until(plan, 'it is gone', (now) => now.next?.why === 'DEPOSIT_LOST');
  await payments.advance('PT1H');
  const asked = await payments.until(plan, 'it is asked for', (now) => now.next?.do === 'SEND');
  assert.deepEqual([asked.next?.why, asked.next?.send?.amount], ['DEPOSIT_MISSING', String(AMOUNT_IN)]);
});

test('a plan expires without a deposit; a late deposit counts only when the plan is revived', async () => {
  const { plan, depositAddress } = await watchedPlan();
  await payments.advance('P7D');
  const expired = await payments.get(plan.planId);
  assert.deepEqual([endOf(expired), statusesOf(expired)], ['EXPIRED', 'FAILED PENDING PENDING']);
  assert.equal(stepOf(expired, 'AWAIT_DEPOSIT').failure?.code, 'DEPOSIT_EXPIRED');
  assert.equal(expired.next, undefined);
  await payments.give(depositAddress, 'USDC', AMOUNT_IN);
  const late = await payments.until(plan, 'it is seen', (now) => depositOf(now).outcome === 'LATE');
  assert.deepEqual([endOf(late), statusesOf(late)], ['EXPIRED', 'FAILED PENDING PENDING']);
  assertProblem(
    await payments.report(plan, 'AWAIT_DEPOSIT', { outcome: 'DONE' }),
    409,
    'step-not-ready',
    /expired|EXPIRED/,
  );
  const revived = await payments.again(late);
  assert.equal(revived.status, 200, revived.text);
  assert.equal(statusesOf(revived.body), 'DONE READY PENDING');
  assert.ok(Date.parse(revived.body.expiresAt) > Date.parse(expired.expiresAt));
});

test('a partial deposit keeps the plan: its step fails, and a retry and the rest complete it', async () => {
  const { plan, depositAddress } = await watchedPlan();
  const part = AMOUNT_IN / 1_000n;
  await payments.give(depositAddress, 'USDC', part);
  await payments.until(plan, 'a part is seen', (now) => depositOf(now).outcome === 'PARTIAL');
  await payments.advance('P7D');
  const failed = await payments.get(plan.planId);
  assert.deepEqual([failed.status, statusesOf(failed)], ['ACTION_REQUIRED', 'FAILED PENDING PENDING']);
  assert.equal(failed.next?.why, 'STEP_FAILED');
  const retried = (await payments.again(failed)).body;
  assert.deepEqual([retried.status, statusesOf(retried)], ['ACTION_REQUIRED', 'READY PENDING PENDING']);
  await payments.give(depositAddress, 'USDC', AMOUNT_IN - part);
  await payments.until(plan, 'the rest is seen', (now) => now.steps[1]?.status === 'READY');
});

test('dust begins no plan and keeps none from its end, but completes a deposit', async () => {
  const dust = AMOUNT_IN / 1_000n - 1n;
  const [first, second, third] = [await watchedPlan(), await watchedPlan(), await watchedPlan()];
  for (const { depositAddress } of [first, second]) await payments.give(depositAddress, 'USDC', dust);
  await payments.give(third.depositAddress, 'USDC', AMOUNT_IN - dust);
  const seen = await payments.until(first.plan, 'it is seen', (now) => depositOf(now).outcome === 'PARTIAL');
  assert.deepEqual(
    [seen.status, statusesOf(seen), seen.next?.why, depositOf(seen).received],
    ['ACTION_REQUIRED', 'PENDING PENDING PENDING', 'DEPOSIT_PARTIAL', String(dust)],
  );
  assert.match(seen.next?.detail ?? '', /has arrived; send the missing/);
  const cancelled = await payments.end(first.plan);
  assert.equal(endOf(cancelled.body), 'CANCELLED', cancelled.text);
  await payments.give(third.depositAddress, 'USDC', dust);
  await payments.until(third.plan, 'dust completes it', (now) => depositOf(now).outcome === 'EXACT');
  await payments.advance('P7D');
  const expired = await payments.get(second.plan.planId);
  assert.deepEqual([endOf(expired), depositOf(expired).received], ['EXPIRED', String(dust)]);
});

test('a plan is not opened again while another one has its address, and says which', async () => {
  const { plan, depositAddress } = await watchedPlan();
  await payments.advance('P7D');
  await payments.until(plan, 'it is over', (now) => now.status === 'ENDED');
  const options = { mode: 'STANDARD', depositAddress };
  const next = await payments.plan({ amountIn: String(AMOUNT_IN), options });
  const taken = await payments.again(plan);
  assertProblem(taken, 409, 'deposit-address-in-use', new RegExp(`the open plan ${next.planId}: make`));
});

test('a deposit address belongs to one open plan and is free when that plan has ended', async () => {
  const { plan, depositAddress } = await watchedPlan();
  const second = { amountIn: String(AMOUNT_IN), options: { mode: 'STANDARD', depositAddress } };
  const refused = await payments.ask('/v1/payments', requestOf(second));
  assertProblem(refused, 409, 'deposit-address-in-use', new RegExp(`the open plan ${plan.planId}: give`));
  assert.doesNotMatch(refused.text, /addressSignature/, 'no proof takes it from a plan of the organisation');
  const elsewhere = await stranger.ask('/v1/payments', requestOf(second));
  assertProblem(elsewhere, 409, 'deposit-address-in-use', /another open plan.*addressSignature/);
  assert.doesNotMatch(elsewhere.text, /plan_/);
  assert.equal(endOf((await payments.end(plan)).body), 'CANCELLED');
  const next = await payments.plan(second);
  await payments.give(depositAddress, 'USDC', AMOUNT_IN);
  await payments.until(next, 'it is seen', (now) => now.steps[1]?.status === 'READY');
  assert.equal(
    depositOf(await payments.get(plan.planId)).received,
    '0',
    'the deposit does not count for the earlier plan',
  );
});

test('a transfer that is mined again stays with the plan that had it, and hides none of the next', async () => {
  const { plan, depositAddress } = await watchedPlan();
  const { rpc } = payments.service;
  const usdc = payments.token('USDC');
  const [payer, other] = [await payments.freshWallet(), await payments.freshWallet()];
  for (const { address } of [payer, other]) await payments.give(address, 'USDC', AMOUNT_IN);
  await payments.end(plan);
  const before = Number(await rpc<string>('eth_blockNumber'));
  const late = await payer.transfer(usdc, depositAddress, AMOUNT_IN);
  await payments.until(plan, 'it came late', (now) => depositOf(now).received === String(AMOUNT_IN));
  const next = await payments.plan({
    amountIn: String(AMOUNT_IN),
    options: { mode: 'STANDARD', depositAddress },
  });
  await rpc('anvil_reorg', [Number(await rpc<string>('eth_blockNumber')) - before, []]);
  await payments.until(plan, 'it is gone', (now) => depositOf(now).received === '0');
  // The transaction is mined again in a block of the next plan, at another position.
  await rpc('evm_setAutomine', [false]);
  const fresh = await other.sign(transferCall(usdc, depositAddress, 7n));
  for (const raw of [fresh, late.raw]) await rpc('eth_sendRawTransaction', [raw]);
  await rpc('evm_mine');
  await rpc('evm_setAutomine', [true]);
  await payments.until(next, 'its own deposit is seen', (now) => depositOf(now).received === '7');
  const back = await payments.until(plan, 'it is back', (now) => depositOf(now).received !== '0');
  assert.deepEqual(
    depositOf(back).transfers.map(({ txHash, amount }) => [txHash, amount]),
    [[late.hash, String(AMOUNT_IN)]],
  );
});

test('a deposit that a reorganisation mines in an earlier block is seen', async () => {
  const { plan, depositAddress } = await watchedPlan();
  const payer = await payments.freshWallet();
  await payments.give(payer.address, 'USDC', AMOUNT_IN);
  const { rpc } = payments.service;
  const numberOf = async () => Number(await rpc<string>('eth_blockNumber'));
  const mark = await numberOf();
  // When the service has seen the second deposit of another plan, it has looked at all blocks up to the first one.
  const other = await watchedPlan();
  for (const received of ['1', '2']) {
    await payments.give(other.depositAddress, 'USDC', 1n);
    await payments.until(other.plan, 'it is seen', (now) => depositOf(now).received === received);
  }
  const deposit = await payer.sign(transferCall(payments.token('USDC'), depositAddress, AMOUNT_IN));
  await rpc('anvil_reorg', [(await numberOf()) - mark, [[deposit, 0]]]);
  await payments.until(plan, 'it is seen', (now) => now.steps[1]?.status === 'READY');
});
