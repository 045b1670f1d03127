// A reorganisation takes the swap back after it was DONE. The plan shows it and finds the transaction by itself when
// it is mined again, also after new instructions. A payout that was made stays DONE.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { PaymentPlan } from '@fairway/wire';
import type { KeyWallet, Sent } from '../keyWallet.ts';
import { assertProblem, freshAddress, startPaymentsTest, statusesOf, stepOf } from '../paymentsHarness.ts';

const payments = await startPaymentsTest();
after(() => payments.close());

const AMOUNT_IN = 60_000_000n;

type Swapped = { plan: PaymentPlan; wallet: KeyWallet; swap: Sent };

/** A plan whose swap is DONE by a transaction in the latest block. */
async function swappedPlan(fields: object = {}): Promise<Swapped> {
  const wallet = await payments.freshWallet();
  const options = { mode: 'STANDARD', depositAddress: wallet.address };
  const made = await payments.plan({ amountIn: String(AMOUNT_IN), options, ...fields });
  await payments.give(wallet.address, 'USDC', AMOUNT_IN);
  const ready = await payments.until(made, 'the deposit is seen', (now) => now.steps[1]?.status === 'READY');
  await wallet.approve(payments.token('USDC'), callOf(ready).to, AMOUNT_IN);
  const swap = await wallet.execute([callOf(ready)]);
  const answer = await payments.report(ready, 'EXECUTE_SWAP', { outcome: 'DONE', txHash: swap.hash });
  assert.equal(statusesOf(answer.body), 'DONE DONE READY', answer.text.slice(0, 500));
  return { plan: answer.body, wallet, swap };
}

function callOf(plan: PaymentPlan) {
  const call = stepOf(plan, 'EXECUTE_SWAP').instructions?.at(-1);
  assert.ok(call);
  return call;
}

/** Takes the latest block away. */
const reorganise = () => payments.service.rpc('anvil_reorg', [1, []]);

async function lost({ plan }: Swapped): Promise<PaymentPlan> {
  await reorganise();
  const back = await payments.until(
    plan,
    'the swap is taken back',
    (now) => now.steps[1]?.status === 'READY',
  );
  assert.equal(statusesOf(back), 'DONE READY PENDING');
  assert.deepEqual([back.status, back.next?.why], ['ACTION_REQUIRED', 'TRANSACTION_LOST']);
  assert.equal(stepOf(back, 'EXECUTE_SWAP').evidence, undefined);
  assert.equal(stepOf(back, 'CUSTODIAN_PAYOUT').custodianAction?.isFinal, false);
  assert.equal(stepOf(back, 'CUSTODIAN_PAYOUT').custodianAction?.notAfter, undefined);
  return back;
}

test('a swap that is taken back and mined again is found by the service itself', async () => {
  const swapped = await swappedPlan();
  const back = await lost(swapped);
  assertProblem(
    await payments.report(back, 'CUSTODIAN_PAYOUT', { outcome: 'DONE', providerReference: 'TOO-EARLY' }),
    409,
    'step-not-ready',
    /EXECUTE_SWAP/,
  );
  await payments.service.rpc('eth_sendRawTransaction', [swapped.swap.raw]);
  const found = await payments.until(back, 'it is found', (now) => statusesOf(now) === 'DONE DONE READY');
  const evidence = stepOf(found, 'EXECUTE_SWAP').evidence;
  assert.deepEqual([evidence?.txHash, evidence?.status], [swapped.swap.hash, 'FINAL']);
  assert.notEqual(evidence?.blockHash, stepOf(swapped.plan, 'EXECUTE_SWAP').evidence?.blockHash);
  const history = (await payments.events(found)).map(({ type, actor }) => `${type} ${actor}`).slice(-2);
  assert.deepEqual(history, ['EVIDENCE_LOST service', 'EXECUTION_FOUND service']);
});

test('a swap that moves to another block at once stays DONE with the new block as evidence', async () => {
  const { plan, swap } = await swappedPlan();
  await payments.service.rpc('anvil_reorg', [1, [[swap.raw, 0]]]);
  const blockHash = stepOf(plan, 'EXECUTE_SWAP').evidence?.blockHash;
  const moved = await payments.until(
    plan,
    'the new block is known',
    (now) => stepOf(now, 'EXECUTE_SWAP').evidence?.blockHash !== blockHash,
  );
  assert.equal(statusesOf(moved), 'DONE DONE READY');
  assert.ok(!(await payments.events(moved)).some(({ type }) => type === 'EVIDENCE_LOST'));
});

test('a swap that is mined again after new instructions counts and withdraws them', async () => {
  const swapped = await swappedPlan();
  const back = await lost(swapped);
  await payments.service.recordAtHead();
  const fresh = (await payments.again(back)).body;
  await payments.service.rpc('eth_sendRawTransaction', [swapped.swap.raw]);
  const found = await payments.until(fresh, 'it is found', (now) => statusesOf(now) === 'DONE DONE READY');
  const { evidence, instructions, attempts } = stepOf(found, 'EXECUTE_SWAP');
  assert.equal(evidence?.txHash, swapped.swap.hash);
  assert.deepEqual(instructions, [], 'nothing is to be executed any more');
  assert.ok(attempts?.every(({ outcome }) => outcome !== 'OPEN'));
});

test('a swap that is taken back after the payout stays DONE, and its evidence is LOST', async () => {
  const { plan, swap } = await swappedPlan();
  const paid = await payments.report(plan, 'CUSTODIAN_PAYOUT', {
    outcome: 'DONE',
    providerReference: 'NPP-2',
  });
  assert.equal(paid.body.status, 'COMPLETED');
  await reorganise();
  const after = await payments.until(
    plan,
    'the loss is known',
    (now) => stepOf(now, 'EXECUTE_SWAP').evidence?.status === 'LOST',
  );
  assert.deepEqual([after.status, statusesOf(after)], ['COMPLETED', 'DONE DONE DONE']);
  await payments.service.rpc('eth_sendRawTransaction', [swap.raw]);
  const found = await payments.until(
    after,
    'it is found again',
    (now) => stepOf(now, 'EXECUTE_SWAP').evidence?.status === 'FINAL',
  );
  assert.equal(statusesOf(found), 'DONE DONE DONE');
});

/** Mines the swap again when its deadline is over, so that the router reverts it. */
async function minedTooLate({ swap }: Swapped): Promise<void> {
  await payments.advance('PT1H');
  await payments.service.rpc('eth_sendRawTransaction', [swap.raw]);
  // No log leads to a transaction that was reverted: what is lost is looked for every few blocks.
  await payments.service.rpc('anvil_mine', ['0x10']);
}

test('a lost swap that is reverted when it is mined again has failed, and is tried anew', async () => {
  const swapped = await swappedPlan();
  const back = await lost(swapped);
  await minedTooLate(swapped);
  const failed = await payments.until(back, 'it has failed', ({ next }) => next?.why === 'STEP_FAILED');
  assert.equal(statusesOf(failed), 'DONE FAILED PENDING');
  assert.match(failed.next?.detail ?? '', new RegExp(`${swapped.swap.hash} was reverted`));
  const again = await payments.again(failed);
  assert.equal(again.body.next?.do, 'EXECUTE', again.text);
});

test('a plan whose swap was undone for good after the payout says so, and ends without force', async () => {
  const swapped = await swappedPlan();
  const told = { outcome: 'DONE', providerReference: 'NPP-3' };
  await payments.report(swapped.plan, 'CUSTODIAN_PAYOUT', told);
  await reorganise();
  const isLost = ({ next }: PaymentPlan) => next?.why === 'TRANSACTION_LOST';
  const after = await payments.until(swapped.plan, 'the loss is known', isLost);
  assertProblem(await payments.end(after, { reason: 'OTHER' }), 409, 'execution-in-flight');
  await minedTooLate(swapped);
  const undone = await payments.until(after, 'it is known', ({ next }) => next?.why === 'MONEY_UNEXPLAINED');
  assert.match(undone.next?.detail ?? '', /that was spent no arrival is on record/);
  const ended = await payments.end(undone, { reason: 'OTHER' });
  assert.deepEqual([ended.status, ended.body.next], [200, undefined], ended.text);
});

test('a reorganisation that takes swap and payout back is seen without another block', async () => {
  const address = freshAddress();
  const custodian = await payments.freshWallet();
  await payments.give(custodian.address, 'USDC', AMOUNT_IN);
  const swapped = await swappedPlan({
    corridorId: 'usdc-wallet',
    recipient: { type: 'wallet', chainId: payments.sandbox.chainId, address },
  });
  const payout = await custodian.transfer(payments.token('USDC'), address, AMOUNT_IN);
  const told = { outcome: 'DONE', txHash: payout.hash };
  const { body: completed } = await payments.report(swapped.plan, 'CUSTODIAN_PAYOUT', told);
  assert.equal(completed.status, 'COMPLETED');
  await payments.service.rpc('anvil_reorg', [2, []]);
  const gone = await payments.until(
    completed,
    'both are taken back',
    (now) =>
      stepOf(now, 'CUSTODIAN_PAYOUT').status !== 'DONE' && stepOf(now, 'EXECUTE_SWAP').status !== 'DONE',
  );
  assert.deepEqual([statusesOf(gone), gone.next?.why], ['DONE READY PENDING', 'TRANSACTION_LOST']);
  for (const raw of [swapped.swap.raw, payout.raw])
    await payments.service.rpc('eth_sendRawTransaction', [raw]);
  await payments.until(gone, 'both are found again', (now) => now.status === 'COMPLETED');
});
