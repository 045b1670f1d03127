// A payment to a wallet is reported while it waits to be mined. Nobody is asked for it a second time until the chain
// shows what became of it, and the service sees that by itself.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { PaymentPlan } from '@fairway/wire';
import { type Bid, type Call, type KeyWallet, receiptOf, transferCall } from '../keyWallet.ts';
import {
  assertProblem,
  freshAddress,
  type PaymentsTest,
  startPaymentsTest,
  statusesOf,
  stepOf,
} from '../paymentsHarness.ts';
import { endEverything, freshFolder } from '../processHarness.ts';

/** A sandbox of its own, because the tests stop its mining. */
let payments: PaymentsTest;
before(async () => {
  payments = await startPaymentsTest(undefined, ['--data', join(freshFolder(), 'data')]);
});
after(async () => {
  await payments?.close();
  await endEverything();
});

const AMOUNT = 40_000_000n;
const [LOW, HIGH] = [{ feeWei: 4n * 10n ** 9n }, { feeWei: 10n ** 10n }];

/** Does something while blocks are mined on demand alone. */
async function unmined<T>(act: () => Promise<T>): Promise<T> {
  const { rpc } = payments.service;
  await rpc('evm_setAutomine', [false]);
  try {
    return await act();
  } finally {
    await rpc('evm_setAutomine', [true]);
  }
}

const mine = () => payments.service.rpc('evm_mine');

type Payable = { readonly plan: PaymentPlan; readonly wallet: KeyWallet; readonly recipient: string };

/** A plan whose payout to a wallet is due, and a wallet that can pay it. */
async function payablePlan(recipient = freshAddress()): Promise<Payable> {
  const payer = await payments.freshWallet();
  const options = { mode: 'STANDARD', depositAddress: payer.address };
  const made = await payments.plan({
    corridorId: 'usdc-wallet',
    amountIn: String(AMOUNT),
    recipient: { type: 'wallet', chainId: payments.sandbox.chainId, address: recipient },
    options,
  });
  await payments.give(payer.address, 'USDC', AMOUNT);
  const ready = await payments.until(made, 'the deposit is seen', (now) => now.steps[1]?.status === 'READY');
  await payer.execute([stepOf(ready, 'EXECUTE_SWAP').instructions?.at(-1) ?? assert.fail()]);
  const plan = await payments.until(ready, 'it is due', (now) => now.steps[2]?.status === 'READY');
  const wallet = await payments.freshWallet();
  await payments.give(wallet.address, 'USDC', 2n * AMOUNT);
  return { plan, wallet, recipient };
}

const payOf = ({ recipient }: Payable, amount = AMOUNT) =>
  transferCall(payments.token('USDC'), recipient, amount);

const nonceOf = async ({ wallet }: Payable) =>
  Number(await payments.service.rpc('eth_getTransactionCount', [wallet.address, 'latest']));

/** Sends a call while nothing is mined, and reports it as the payout: it waits then. */
async function waiting(payable: Payable, call: Call = payOf(payable), bid: Bid = LOW): Promise<string> {
  const { hash: txHash } = await payable.wallet.send(call, bid);
  const { status, text, body } = await reportPayout(payable.plan, { outcome: 'DONE', txHash });
  assert.equal(status, 200, text);
  assertWaits(body, txHash);
  return txHash;
}

/** Waits until the service ended a submitted transaction by itself, so that all of the payment is due again. */
async function dueAgain({ plan }: Payable, txHash: string, fate: string): Promise<void> {
  const due = await payments.until(plan, 'it is due again', (now) => now.next?.why === 'PAYOUT_DUE');
  assert.equal(due.next?.pay?.amount, String(AMOUNT));
  const { submissions = [] } = stepOf(due, 'CUSTODIAN_PAYOUT').custodianAction ?? assert.fail();
  assert.deepEqual(
    submissions.map((each) => [each.txHash, each.fate]),
    [[txHash, fate]],
  );
  const last = (await payments.events(due)).at(-1);
  assert.deepEqual([last?.type, last?.actor], ['EXECUTION_ENDED', 'service']);
}

const reportPayout = (plan: PaymentPlan, told: Readonly<Record<string, unknown>>) =>
  payments.report(plan, 'CUSTODIAN_PAYOUT', told);

/** Asserts that nothing is to be paid, because these transactions wait to be mined. */
function assertWaits(plan: PaymentPlan, ...hashes: readonly string[]): void {
  assert.deepEqual([statusesOf(plan), plan.next?.why], ['DONE DONE READY', 'TRANSACTION_PENDING']);
  const { submissions = [] } = stepOf(plan, 'CUSTODIAN_PAYOUT').custodianAction ?? assert.fail();
  assert.deepEqual([plan.next?.pay, submissions.map(({ txHash }) => txHash)], [undefined, hashes]);
}

test('a payout that waits to be mined is not asked for again, and is found when it is mined', async () => {
  const payable = await payablePlan();
  const { plan, wallet } = payable;
  const pay = payOf(payable);
  await unmined(async () => {
    const { hash: txHash } = await wallet.send(pay);
    const told = { outcome: 'DONE', txHash };
    const { status, text, body } = await reportPayout(plan, told);
    assert.equal(status, 200, text);
    assertWaits(body, txHash);
    assert.equal((await reportPayout(plan, told)).body.revision, body.revision);
    const failed = { outcome: 'FAILED', failure: { code: 'OTHER' } };
    assertProblem(await reportPayout(plan, failed), 409, 'execution-in-flight', new RegExp(txHash));
    const ended = await payments.end(plan, { reason: 'OTHER' });
    assertProblem(ended, 409, 'execution-in-flight', new RegExp(txHash));
    await mine();
    const done = await payments.until(plan, 'the payout is found', (now) => now.status === 'COMPLETED');
    const { evidence, verification } = stepOf(done, 'CUSTODIAN_PAYOUT');
    assert.deepEqual([evidence?.txHash, verification], [txHash, 'REPORTED']);
    // Nothing was swapped: what the custodian got is what the payer sent.
    assert.deepEqual(
      done.money.map((each) => [each.in, each.out, each.left]),
      [[String(AMOUNT), String(AMOUNT), '0']],
    );
    assert.equal((await reportPayout(plan, told)).body.revision, done.revision);
  });
});

test('a fee bump of a waiting payout settles it, whichever of them is mined', async () => {
  const payable = await payablePlan();
  const { plan, wallet } = payable;
  const pay = payOf(payable);
  await unmined(async () => {
    const nonce = Number(await payments.service.rpc('eth_getTransactionCount', [wallet.address, 'latest']));
    const first = await wallet.send(pay, { nonce, ...LOW });
    await reportPayout(plan, { outcome: 'DONE', txHash: first.hash });
    const bump = await wallet.send(pay, { nonce, ...HIGH });
    assertWaits(
      (await reportPayout(plan, { outcome: 'DONE', txHash: bump.hash })).body,
      first.hash,
      bump.hash,
    );
    await mine();
    const done = await payments.until(plan, 'the payout is found', (now) => now.status === 'COMPLETED');
    assert.equal(stepOf(done, 'CUSTODIAN_PAYOUT').evidence?.txHash, bump.hash);
    assert.equal(done.next, undefined);
  });
});

const NOTHING: Call = { to: `0x${'0e'.repeat(20)}`, data: '0x', value: '0' };

test('a payout that another transaction of its nonce replaced is due again', async () => {
  const payable = await payablePlan();
  await unmined(async () => {
    const nonce = await nonceOf(payable);
    const txHash = await waiting(payable, payOf(payable), { nonce, ...LOW });
    await payable.wallet.send(NOTHING, { nonce, ...HIGH });
    await mine();
    await dueAgain(payable, txHash, 'REPLACED');
  });
});

test('a payout waits again when a reorganisation takes back what had replaced it', async () => {
  const payable = await payablePlan();
  await unmined(async () => {
    const nonce = await nonceOf(payable);
    const { hash: txHash, raw } = await payable.wallet.send(payOf(payable), { nonce, ...LOW });
    await reportPayout(payable.plan, { outcome: 'DONE', txHash });
    await payable.wallet.send(NOTHING, { nonce, ...HIGH });
    await mine();
    await dueAgain(payable, txHash, 'REPLACED');
    await payments.service.rpc('anvil_reorg', [1, []]);
    const isPending = ({ next }: PaymentPlan) => next?.why === 'TRANSACTION_PENDING';
    assertWaits(await payments.until(payable.plan, 'it waits again', isPending), txHash);
    await payments.service.rpc('anvil_dropAllTransactions');
    await payments.service.rpc('eth_sendRawTransaction', [raw]);
    await mine();
    await payments.until(payable.plan, 'the payout is found', (now) => now.status === 'COMPLETED');
  });
});

test('a payout that was replaced before the latest blocks is due again', async () => {
  const payable = await payablePlan();
  await unmined(async () => {
    const nonce = await nonceOf(payable);
    const txHash = await waiting(payable, payOf(payable), { nonce, ...LOW });
    await payable.wallet.send(NOTHING, { nonce, ...HIGH });
    await payments.service.rpc('anvil_mine', ['0x100']);
    await dueAgain(payable, txHash, 'REPLACED');
  });
});

test('a payout that was reverted, or paid somebody else, is due again', async () => {
  const [poor, astray] = [await payablePlan(), await payablePlan()];
  await unmined(async () => {
    const reverted = await waiting(poor, payOf(poor, 10n * AMOUNT));
    const misled = await waiting(astray, payOf({ ...astray, recipient: freshAddress() }));
    await mine();
    await dueAgain(poor, reverted, 'NOT_EXECUTED');
    await dueAgain(astray, misled, 'NOT_EXECUTED');
  });
});

test('a payout that pays too little is a part, and the rest alone is due', async () => {
  const payable = await payablePlan();
  await unmined(async () => {
    const txHash = await waiting(payable, payOf(payable, AMOUNT - 5n));
    await mine();
    const isPart = (now: PaymentPlan) => now.next?.why === 'PAYMENT_UNCLEAR';
    const part = await payments.until(payable.plan, 'it is a part', isPart);
    assert.equal(stepOf(part, 'CUSTODIAN_PAYOUT').custodianAction?.amount, '5');
    assert.match(part.next?.detail ?? '', /5/);
    const again = await reportPayout(part, { outcome: 'DONE', txHash });
    assert.deepEqual([again.status, again.body.revision], [200, part.revision], again.text);
    const rest = await payable.wallet.send(payOf(payable, 5n));
    await mine();
    await payments.service.recordAtHead();
    const done = await reportPayout(part, { outcome: 'DONE', txHash: rest.hash });
    assert.equal(done.body.status, 'COMPLETED', done.text);
  });
});

test('a payout whose fee bump nobody told is found by its nonce', async () => {
  const payable = await payablePlan();
  await unmined(async () => {
    const nonce = await nonceOf(payable);
    await waiting(payable, payOf(payable), { nonce, ...LOW });
    const bump = await payable.wallet.send(payOf(payable), { nonce, ...HIGH });
    await mine();
    const done = await payments.until(payable.plan, 'it is paid', (now) => now.status === 'COMPLETED');
    assert.equal(stepOf(done, 'CUSTODIAN_PAYOUT').evidence?.txHash, bump.hash);
  });
});

test('what may be for something else is no payout, and no payout is due beside it', async () => {
  const payable = await payablePlan();
  const other = await payablePlan(payable.recipient);
  await unmined(async () => {
    const more = await waiting(payable, payOf(payable, AMOUNT + 5n));
    const less = await waiting(other, payOf(payable, AMOUNT - 5n));
    for (let blocks = 0; blocks < 3; blocks++) await mine();
    await payments.service.recordAtHead();
    for (const [plan, txHash] of [
      [payable.plan, more],
      [other.plan, less],
    ] as const) {
      const now = await payments.get(plan.planId);
      assertWaits(now, txHash);
      assert.deepEqual(now.next?.options, ['reports', 'end']);
      assert.match(now.next?.detail ?? '', /logIndex/);
      const failed = await reportPayout(now, { outcome: 'FAILED', failure: { code: 'OTHER' } });
      assertProblem(failed, 409, 'evidence-mismatch', /is mined: report it first/);
    }
    const receipt = await receiptOf(payments.service.rpc, less);
    const [log] = receipt.logs;
    const named = { outcome: 'DONE', txHash: less, logIndex: Number(log?.logIndex) };
    const part = await reportPayout(other.plan, named);
    assert.equal(stepOf(part.body, 'CUSTODIAN_PAYOUT').custodianAction?.amount, '5', part.text);
  });
});

test('a payout that was for another plan is due again once it is reported there', async () => {
  const payable = await payablePlan();
  const other = await payablePlan(payable.recipient);
  await unmined(async () => {
    const txHash = await waiting(payable, payOf(payable, AMOUNT - 5n));
    await mine();
    const waits = await payments.get(payable.plan.planId);
    assertWaits(waits, txHash);
    assert.match(waits.next?.detail ?? '', /for another plan, report it there/);
    const [log] = (await receiptOf(payments.service.rpc, txHash)).logs;
    const there = { outcome: 'DONE', txHash, logIndex: Number(log?.logIndex) };
    assert.equal((await reportPayout(other.plan, there)).status, 200);
    await mine();
    await dueAgain(payable, txHash, 'NOT_EXECUTED');
  });
});

test('a payout that is gone for ever waits, until FAILED says so', async () => {
  const payable = await payablePlan();
  await unmined(async () => {
    const txHash = await waiting(payable);
    await payments.service.rpc('anvil_dropTransaction', [txHash]);
    await payments.advance('P2D');
    const now = await payments.get(payable.plan.planId);
    assertWaits(now, txHash);
    assert.deepEqual(now.next?.options, ['reports', 'end']);
    const failed = await reportPayout(now, { outcome: 'FAILED', failure: { code: 'OTHER' } });
    assert.equal(failed.body.next?.why, 'STEP_FAILED', failed.text);
    assert.equal((await payments.again(now)).body.next?.pay?.amount, String(AMOUNT));
  });
});

const FAILED = { outcome: 'FAILED', failure: { code: 'OTHER' } };

for (const [what, amount] of [
  ['payment', AMOUNT],
  ['part of a payment', AMOUNT - 5n],
] as const)
  test(`a ${what} that the chain lost has not failed before it is gone`, async () => {
    const payable = await payablePlan();
    const { plan, wallet } = payable;
    const { hash: txHash, raw } = await wallet.execute([payOf(payable, amount)]);
    assert.equal((await reportPayout(plan, { outcome: 'DONE', txHash })).status, 200);
    const { rpc } = payments.service;
    await unmined(async () => {
      await rpc('anvil_reorg', [1, []]);
      const isLost = (now: PaymentPlan) => now.next?.why === 'TRANSACTION_LOST';
      const lost = await payments.until(plan, 'it is lost', isLost);
      assert.equal(lost.next?.pay, undefined);
      if ((await rpc('eth_getTransactionByHash', [txHash])) === null)
        await rpc('eth_sendRawTransaction', [raw]);
      const waits = await reportPayout(plan, FAILED);
      assertProblem(waits, 409, 'execution-in-flight', new RegExp(`${txHash} pays the recipient and waits`));
      await rpc('anvil_dropTransaction', [txHash]);
      const failed = await reportPayout(plan, FAILED);
      assert.equal(failed.body.next?.why, 'STEP_FAILED', failed.text);
    });
  });

/** A plan of which a part was paid, five units too little, and another wallet that can pay its recipient. */
async function partPaid() {
  const payable = await payablePlan();
  const nonce = await nonceOf(payable);
  const other = await payments.freshWallet();
  await payments.give(other.address, 'USDC', AMOUNT);
  const part = await payable.wallet.execute([payOf(payable, AMOUNT - 5n)]);
  const told = await reportPayout(payable.plan, { outcome: 'DONE', txHash: part.hash });
  assert.equal(told.body.next?.why, 'PAYMENT_UNCLEAR', told.text);
  return { payable, nonce, part, other };
}

/** The plan after the chain took the part back, and no pool has it any more. */
async function partLost({ payable, part }: Awaited<ReturnType<typeof partPaid>>): Promise<PaymentPlan> {
  await payments.service.rpc('anvil_reorg', [1, []]);
  await payments.service.rpc('anvil_dropTransaction', [part.hash]);
  const isLost = (now: PaymentPlan) => now.next?.why === 'TRANSACTION_LOST';
  return payments.until(payable.plan, 'it is lost', isLost);
}

/** Mines blocks, and asserts that nothing is to be paid however long the part stays away. */
async function staysLost(plan: PaymentPlan): Promise<void> {
  for (let blocks = 0; blocks < 4; blocks++) await mine();
  await payments.service.recordAtHead();
  const { next } = await payments.get(plan.planId);
  assert.deepEqual([next?.why, next?.pay], ['TRANSACTION_LOST', undefined]);
}

test('a lost part is waited for until another transaction of its nonce is final', async () => {
  const paid = await partPaid();
  const { payable, nonce, part, other } = paid;
  await unmined(async () => {
    const lost = await partLost(paid);
    await staysLost(lost);
    // A payment by another wallet says nothing of it.
    const like = await other.send(payOf(payable, AMOUNT - 7n));
    await mine();
    const log = Number((await receiptOf(payments.service.rpc, like.hash)).logs[0]?.logIndex);
    const beside = await reportPayout(lost, { outcome: 'DONE', txHash: like.hash, logIndex: log });
    assert.equal(beside.status, 200, beside.text);
    await staysLost(lost);
    await payable.wallet.send(NOTHING, { nonce, ...HIGH });
    await mine();
    const freed = await payments.until(lost, 'the rest is due', (now) => now.next?.why === 'PAYMENT_UNCLEAR');
    assert.equal(stepOf(freed, 'CUSTODIAN_PAYOUT').custodianAction?.amount, '7');
    const ended = (await payments.events(freed)).find(({ type }) => type === 'EXECUTION_ENDED');
    assert.equal(ended?.actor, 'service', part.hash);
  });
});

test('a lost part that is mined after all counts for the wallet that it was for', async () => {
  const before = await partPaid();
  const { payable, part, other } = before;
  await unmined(async () => {
    const lost = await partLost(before);
    const whole = await other.send(payOf(payable));
    await mine();
    const paid = await reportPayout(lost, { outcome: 'DONE', txHash: whole.hash });
    assert.equal(paid.body.status, 'COMPLETED', paid.text);
    assert.match(paid.body.next?.detail ?? '', new RegExp(`${part.hash}, which paid a part, is no longer`));
    const back = { outcome: 'RETURNED', providerReference: 'BACK-1', amount: String(AMOUNT) };
    assert.equal((await reportPayout(paid.body, back)).body.status, 'RETURNED');
    const { chainId } = payments.sandbox;
    const another = await payments.again(lost, {
      recipient: { type: 'wallet', chainId, address: freshAddress() },
    });
    assert.deepEqual(
      [another.body.next?.why, another.body.next?.pay],
      ['TRANSACTION_LOST', undefined],
      another.text,
    );
    await payments.service.rpc('eth_sendRawTransaction', [part.raw]);
    const waits = await reportPayout(another.body, FAILED);
    assertProblem(waits, 409, 'execution-in-flight', new RegExp(part.hash));
    await mine();
    const rest = await payments.until(lost, 'the rest is due', (now) => now.next?.why === 'PAYMENT_UNCLEAR');
    assert.equal(stepOf(rest, 'CUSTODIAN_PAYOUT').custodianAction?.amount, '5');
  });
});
