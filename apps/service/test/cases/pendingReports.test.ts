// A transaction is reported as done while it waits to be mined. It counts as submitted: nobody is asked for the same a
// second time until it is mined, replaced or past its deadline.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { PaymentPlan } from '@fairway/wire';
import { type KeyWallet, type Sent, transferCall } from '../keyWallet.ts';
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

type Ready = { readonly plan: PaymentPlan; readonly wallet: KeyWallet };

/** A plan whose instructions its wallet can execute. */
async function readyPlan(corridorId: 'usdc-aud-bank' | 'usdc-wallet' = 'usdc-aud-bank'): Promise<Ready> {
  const wallet = await payments.freshWallet();
  const options = { mode: 'STANDARD', depositAddress: wallet.address };
  const recipient = { type: 'wallet', chainId: payments.sandbox.chainId, address: freshAddress() };
  const fields = corridorId === 'usdc-wallet' ? { recipient } : {};
  const made = await payments.plan({ corridorId, amountIn: String(AMOUNT), options, ...fields });
  await payments.give(wallet.address, 'USDC', AMOUNT);
  const plan = await payments.until(made, 'the deposit is seen', (now) => now.steps[1]?.status === 'READY');
  await wallet.approve(payments.token('USDC'), callOf(plan).to, AMOUNT);
  return { plan, wallet };
}

function callOf(plan: PaymentPlan) {
  return stepOf(plan, 'EXECUTE_SWAP').instructions?.at(-1) ?? assert.fail();
}

function submissionsOf(plan: PaymentPlan) {
  return (stepOf(plan, 'EXECUTE_SWAP').attempts ?? []).flatMap(({ submissions = [] }) => submissions);
}

/** Reports a waiting transaction of a plan as done: it is pending then, with its sender and nonce. */
async function told({ plan, wallet }: Ready, { hash }: Sent, nonce: number): Promise<PaymentPlan> {
  const { status, text, body } = await payments.report(plan, 'EXECUTE_SWAP', {
    outcome: 'DONE',
    txHash: hash,
  });
  assert.equal(status, 200, text);
  assert.deepEqual([statusesOf(body), body.next?.why], ['DONE READY PENDING', 'TRANSACTION_PENDING']);
  const [known, ...others] = submissionsOf(body);
  assert.deepEqual(
    [known?.txHash, known?.sender, known?.nonce, known?.fate, others],
    [hash, wallet.address, nonce, undefined, []],
  );
  assertProblem(await payments.again(body), 409, 'execution-in-flight', new RegExp(hash));
  const again = await payments.report(plan, 'EXECUTE_SWAP', { outcome: 'DONE', txHash: hash });
  assert.deepEqual([again.status, again.body.revision], [200, body.revision], again.text);
  return body;
}

const nonceOf = async ({ wallet }: Ready) =>
  Number(await payments.service.rpc('eth_getTransactionCount', [wallet.address, 'latest']));

test('a swap that waits to be mined is pending, and is found when it is mined', async () => {
  for (const corridorId of ['usdc-aud-bank', 'usdc-wallet'] as const) {
    const ready = await readyPlan(corridorId);
    await unmined(async () => {
      const nonce = await nonceOf(ready);
      const sent = await ready.wallet.send(callOf(ready.plan));
      const plan = await told(ready, sent, nonce);
      await mine();
      const done = await payments.until(plan, 'the swap is found', (now) => now.steps[1]?.status === 'DONE');
      assert.equal(stepOf(done, 'EXECUTE_SWAP').evidence?.txHash, sent.hash);
    });
  }
});

test('a swap that was told while it waited is REPLACED by another transaction of its nonce', async () => {
  for (const corridorId of ['usdc-aud-bank', 'usdc-wallet'] as const) {
    const ready = await readyPlan(corridorId);
    await unmined(async () => {
      const nonce = await nonceOf(ready);
      const plan = await told(ready, await ready.wallet.send(callOf(ready.plan), LOW), nonce);
      await ready.wallet.send({ to: freshAddress(), data: '0x', value: '0' }, { nonce, ...HIGH });
      await mine();
      const refreshed = await payments.again(plan);
      assert.equal(refreshed.status, 200, refreshed.text);
      assert.equal(refreshed.body.next?.why, 'SWAP_DUE');
      assert.equal(submissionsOf(refreshed.body)[0]?.fate, 'REPLACED');
    });
  }
});

test('a swap that was told while it waited is EXPIRED when the chain is past its deadline', async () => {
  const ready = await readyPlan();
  await unmined(async () => {
    const nonce = await nonceOf(ready);
    const sent = await ready.wallet.send(callOf(ready.plan));
    const plan = await told(ready, sent, nonce);
    await payments.service.rpc('anvil_dropTransaction', [sent.hash]);
    assertProblem(await payments.again(plan), 409, 'execution-in-flight', new RegExp(sent.hash));
    await payments.advance('PT20M1S');
    const refreshed = await payments.again(plan);
    assert.equal(refreshed.status, 200, refreshed.text);
    assert.equal(submissionsOf(refreshed.body)[0]?.fate, 'EXPIRED');
  });
});

test('who signed a submitted transaction is read from the node that has it', async () => {
  const ready = await readyPlan();
  await unmined(async () => {
    const nonce = await nonceOf(ready);
    const { hash: txHash } = await ready.wallet.send(callOf(ready.plan));
    const { attemptId } = stepOf(ready.plan, 'EXECUTE_SWAP');
    const report = { outcome: 'SUBMITTED', attemptId, txHash };
    const wrong = { ...report, sender: ready.wallet.address, nonce: nonce + 1 };
    assertProblem(
      await payments.report(ready.plan, 'EXECUTE_SWAP', wrong),
      409,
      'evidence-mismatch',
      new RegExp(`the nonce ${nonce}`),
    );
    const { body } = await payments.report(ready.plan, 'EXECUTE_SWAP', report);
    const [known] = submissionsOf(body);
    assert.deepEqual([known?.sender, known?.nonce], [ready.wallet.address, nonce]);
    await mine();
  });
});

/** A plan whose payout to a wallet is due, and a wallet that can pay it. */
async function payablePlan(): Promise<Ready & { readonly recipient: string }> {
  const ready = await readyPlan('usdc-wallet');
  await ready.wallet.execute([callOf(ready.plan)]);
  const plan = await payments.until(ready.plan, 'it is due', (now) => now.steps[2]?.status === 'READY');
  const payer = await payments.freshWallet();
  await payments.give(payer.address, 'USDC', AMOUNT);
  const { beneficiary } = stepOf(plan, 'CUSTODIAN_PAYOUT').custodianAction ?? assert.fail();
  return { plan, wallet: payer, recipient: 'address' in beneficiary ? beneficiary.address : assert.fail() };
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
  const { plan, wallet, recipient } = await payablePlan();
  const pay = transferCall(payments.token('USDC'), recipient, AMOUNT);
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
    assert.equal((await reportPayout(plan, told)).body.revision, done.revision);
  });
});

test('a payout that was replaced has failed, and is asked for again after a retry', async () => {
  const { plan, wallet } = await payablePlan();
  const { recipient } = await payablePlan();
  await unmined(async () => {
    const nonce = Number(await payments.service.rpc('eth_getTransactionCount', [wallet.address, 'latest']));
    const pay = transferCall(payments.token('USDC'), recipient, AMOUNT);
    const { hash: txHash } = await wallet.send(pay, { nonce, ...LOW });
    assertWaits((await reportPayout(plan, { outcome: 'DONE', txHash })).body, txHash);
    await wallet.send({ to: freshAddress(), data: '0x', value: '0' }, { nonce, ...HIGH });
    await mine();
    const failed = await reportPayout(plan, { outcome: 'FAILED', failure: { code: 'OTHER' } });
    assert.equal(failed.body.next?.why, 'STEP_FAILED', failed.text);
    const again = (await payments.again(failed.body)).body;
    assert.equal(again.next?.why, 'PAYOUT_DUE');
    assert.equal(again.next?.pay?.amount, String(AMOUNT));
  });
});

test('a fee bump of a waiting payout settles it, whichever of them is mined', async () => {
  const { plan, wallet, recipient } = await payablePlan();
  const pay = transferCall(payments.token('USDC'), recipient, AMOUNT);
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
