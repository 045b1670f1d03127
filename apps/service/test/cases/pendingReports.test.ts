// A transaction is reported as done while it waits to be mined. It counts as submitted: nobody is asked for the same a
// second time until it is mined, replaced or past its deadline. The service sees that by itself.
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

test('a swap that another transaction of its nonce replaced is REPLACED without a request', async () => {
  for (const corridorId of ['usdc-aud-bank', 'usdc-wallet'] as const) {
    const ready = await readyPlan(corridorId);
    await unmined(async () => {
      const nonce = await nonceOf(ready);
      const plan = await told(ready, await ready.wallet.send(callOf(ready.plan), LOW), nonce);
      await ready.wallet.send({ to: freshAddress(), data: '0x', value: '0' }, { nonce, ...HIGH });
      await mine();
      const due = await payments.until(plan, 'it is due again', (now) => now.next?.why === 'SWAP_DUE');
      assert.equal(submissionsOf(due)[0]?.fate, 'REPLACED');
      const last = (await payments.events(due)).at(-1);
      assert.deepEqual([last?.type, last?.actor], ['EXECUTION_ENDED', 'service']);
    });
  }
});

test('a swap that was not mined is EXPIRED without a request when the chain is past its deadline', async () => {
  const ready = await readyPlan();
  await unmined(async () => {
    const nonce = await nonceOf(ready);
    const sent = await ready.wallet.send(callOf(ready.plan));
    const plan = await told(ready, sent, nonce);
    assert.deepEqual(plan.next?.options, ['reports', 'again', 'end']);
    await payments.service.rpc('anvil_dropTransaction', [sent.hash]);
    assertProblem(await payments.again(plan), 409, 'execution-in-flight', new RegExp(sent.hash));
    await payments.advance('PT20M1S');
    const isOver = (now: PaymentPlan) => now.next?.why === 'INSTRUCTIONS_EXPIRED';
    const expired = await payments.until(plan, 'the wait is over', isOver);
    assert.equal(submissionsOf(expired)[0]?.fate, 'EXPIRED');
    assert.equal((await payments.again(plan)).body.next?.why, 'SWAP_DUE');
  });
});

test('a transfer that is gone is given out again with force, and a second one is not silent', async () => {
  const ready = await readyPlan('usdc-wallet');
  const { plan, raw } = await unmined(async () => {
    const nonce = await nonceOf(ready);
    const sent = await ready.wallet.send(callOf(ready.plan));
    await told(ready, sent, nonce);
    await payments.service.rpc('anvil_dropTransaction', [sent.hash]);
    await payments.advance('P2D');
    const waiting = await payments.get(ready.plan.planId);
    assert.deepEqual([waiting.next?.why, waiting.next?.deadline], ['TRANSACTION_PENDING', undefined]);
    assert.deepEqual(waiting.next?.options, ['reports', 'again', 'end']);
    assert.match(waiting.next?.detail ?? '', /another transaction with its nonce.*"force": true/);
    assertProblem(await payments.again(waiting), 409, 'execution-in-flight', new RegExp(sent.hash));
    const again = await payments.again(waiting, { force: true });
    assert.deepEqual([again.status, again.body.next?.why], [200, 'SWAP_DUE'], again.text);
    assert.deepEqual([submissionsOf(again.body)[0]?.fate, callOf(again.body)], ['FORCED', callOf(waiting)]);
    return { plan: again.body, raw: sent.raw };
  });
  // It was not gone: it is mined beside the second execution by another account.
  const other = await payments.freshWallet();
  await payments.give(other.address, 'USDC', AMOUNT);
  await other.execute([callOf(plan)]);
  await payments.service.rpc('eth_sendRawTransaction', [raw]);
  const isSeen = (now: PaymentPlan) => now.next?.detail.includes('no use for') ?? false;
  await payments.until(plan, 'the second execution is seen', isSeen);
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

/** A plan that one of two waiting transactions has paid. The other one, of another sender, may still be mined. */
async function paidBesideAnother() {
  const { plan, wallet, recipient } = await payablePlan();
  const other = await payments.freshWallet();
  await payments.give(other.address, 'USDC', AMOUNT);
  const pay = transferCall(payments.token('USDC'), recipient, AMOUNT);
  const [first, second] = await unmined(async () => {
    const sent = [await wallet.send(pay), await other.send(pay, { ...LOW, nonce: 0 })] as const;
    for (const { hash: txHash } of sent) await reportPayout(plan, { outcome: 'DONE', txHash });
    await payments.service.rpc('anvil_dropTransaction', [sent[1].hash]);
    await mine();
    return sent;
  });
  const paid = await payments.until(plan, 'the payout is found', (now) => now.status === 'COMPLETED');
  assert.equal(stepOf(paid, 'CUSTODIAN_PAYOUT').evidence?.txHash, first.hash);
  const { next } = paid;
  assert.deepEqual([next?.do, next?.by, next?.why], ['WAIT', 'CHAIN', 'TRANSACTION_PENDING']);
  assert.match(next?.detail ?? '', new RegExp(`${second.hash}.* once more`));
  return { paid, second, other };
}

test('a second payment that was told is found without a report, when it is mined after the first', async () => {
  const { paid, second } = await paidBesideAnother();
  await payments.service.rpc('eth_sendRawTransaction', [second.raw]);
  await payments.service.rpc('anvil_mine', ['0x20']);
  const twice = await payments.until(paid, 'it is found', (now) => now.next?.why === 'MONEY_UNEXPLAINED');
  assert.deepEqual(
    [twice.status, twice.funds[0]?.unallocated.map(({ reason, amount }) => [reason, amount])],
    ['COMPLETED', [['PAID_ABOVE_DUE', String(AMOUNT)]]],
  );
  const told = await reportPayout(twice, { outcome: 'DONE', txHash: second.hash });
  assert.deepEqual([told.status, told.body.revision], [200, twice.revision], told.text);
});

test('a second payment that cannot be mined any more leaves nothing to wait for', async () => {
  const { paid, second, other } = await paidBesideAnother();
  assertProblem(await payments.end(paid, { reason: 'OTHER' }), 409, 'execution-in-flight');
  await other.send({ to: freshAddress(), data: '0x', value: '0' }, { nonce: 0, ...HIGH });
  await payments.service.rpc('anvil_mine', ['0x20']);
  const done = await payments.until(paid, 'it is replaced', (now) => now.next === undefined);
  const { submissions = [] } = stepOf(done, 'CUSTODIAN_PAYOUT').custodianAction ?? assert.fail();
  assert.deepEqual(
    [done.status, submissions.find(({ txHash }) => txHash === second.hash)?.fate],
    ['COMPLETED', 'REPLACED'],
  );
});
