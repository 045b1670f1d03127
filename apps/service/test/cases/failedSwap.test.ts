// Swaps that fail: a failure is believed only with evidence, and a retry gives new instructions.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { PaymentPlan } from '@fairway/wire';
import { type KeyWallet, receiptOf } from '../keyWallet.ts';
import { assertProblem, startPaymentsTest, statusesOf, stepOf } from '../paymentsHarness.ts';

const payments = await startPaymentsTest();
after(() => payments.close());

async function depositedPlan(): Promise<{ plan: PaymentPlan; wallet: KeyWallet }> {
  const wallet = await payments.freshWallet();
  const options = { mode: 'STANDARD', depositAddress: wallet.address };
  const made = await payments.plan({ amountIn: '50000000', options });
  await payments.give(wallet.address, 'USDC', 50_000_000n);
  const plan = await payments.until(made, 'the deposit is seen', (now) => now.steps[1]?.status === 'READY');
  return { plan, wallet };
}

function swapCall(plan: PaymentPlan) {
  const call = stepOf(plan, 'EXECUTE_SWAP').instructions?.at(-1);
  assert.ok(call, 'there is something to execute');
  return call;
}

const failedWith = (code: string, more: object = {}) => ({ outcome: 'FAILED', failure: { code }, ...more });

test('a reverted swap is reported with its hash, retried with new instructions and executed', async () => {
  const { plan, wallet } = await depositedPlan();
  const call = swapCall(plan);
  // Without an approval the router cannot pull the deposit.
  const reverted = await wallet.send(call);
  assert.equal((await receiptOf(payments.service.rpc, reverted.hash)).status, '0x0');
  const before = await payments.textOf(plan.planId);
  assertProblem(
    await payments.report(plan, 'EXECUTE_SWAP', failedWith('REVERTED')),
    400,
    'validation-failed',
    /txHash/,
  );
  const claimedDone = await payments.report(plan, 'EXECUTE_SWAP', { outcome: 'DONE', txHash: reverted.hash });
  assertProblem(claimedDone, 409, 'evidence-mismatch', /reverted/);
  assert.equal(await payments.textOf(plan.planId), before);

  const report = failedWith('REVERTED', { txHash: reverted.hash });
  const failed = (await payments.report(plan, 'EXECUTE_SWAP', report)).body;
  assert.deepEqual([failed.status, statusesOf(failed)], ['ACTION_REQUIRED', 'DONE FAILED PENDING']);
  const step = stepOf(failed, 'EXECUTE_SWAP');
  assert.deepEqual([step.failure?.code, step.verification, step.instructions], ['REVERTED', 'VERIFIED', []]);
  assert.deepEqual(
    [step.attempts?.at(-1)?.outcome, step.attempts?.at(-1)?.txHash],
    ['FAILED', reverted.hash],
  );
  assert.equal(failed.next?.why, 'STEP_FAILED');
  const repeated = await payments.report(failed, 'EXECUTE_SWAP', report);
  assert.deepEqual([repeated.status, repeated.body.revision], [200, failed.revision]);

  const retried = (await payments.again(failed)).body;
  assert.equal(retried.did, 'INSTRUCTIONS');
  assert.deepEqual([retried.status, statusesOf(retried)], ['ACTION_REQUIRED', 'DONE READY PENDING']);
  assert.equal(stepOf(retried, 'EXECUTE_SWAP').failure, undefined);
  await wallet.approve(payments.token('USDC'), call.to, 50_000_000n);
  const swap = await wallet.execute([swapCall(retried)]);
  const done = (await payments.report(retried, 'EXECUTE_SWAP', { outcome: 'DONE', txHash: swap.hash })).body;
  assert.equal(statusesOf(done), 'DONE DONE READY');
  assert.deepEqual(
    stepOf(done, 'EXECUTE_SWAP')
      .attempts?.map(({ outcome }) => outcome)
      .filter((each) => each !== 'SUPERSEDED'),
    ['FAILED', 'EXECUTED'],
  );
});

test('a swap that succeeded cannot be reported as failed with any code', async () => {
  const { plan, wallet } = await depositedPlan();
  await wallet.approve(payments.token('USDC'), swapCall(plan).to, 50_000_000n);
  const swap = await wallet.execute([swapCall(plan)]);
  for (const code of ['REVERTED', 'INSTRUCTIONS_EXPIRED', 'OTHER']) {
    const refused = await payments.report(plan, 'EXECUTE_SWAP', failedWith(code, { txHash: swap.hash }));
    // By now the service may have found the swap by itself.
    assert.equal(refused.status, 409, refused.text);
    assert.match(refused.problem.detail, /succeeded|is DONE|CUSTODIAN_PAYOUT/);
  }
  const history = (await payments.events(plan)).map(({ type }) => type);
  assert.ok(!history.includes('SWAP_FAILED'), history.join());
  const done = (await payments.report(plan, 'EXECUTE_SWAP', { outcome: 'DONE', txHash: swap.hash })).body;
  assert.equal(statusesOf(done), 'DONE DONE READY');
  const late = await payments.report(done, 'EXECUTE_SWAP', failedWith('OTHER'));
  assertProblem(late, 409, 'step-not-ready');
});

test('failure codes of payouts are refused for swaps, and those of swaps for payouts', async () => {
  const { plan } = await depositedPlan();
  const refused = await payments.report(plan, 'EXECUTE_SWAP', failedWith('ACCOUNT_CLOSED'));
  assertProblem(refused, 400, 'validation-failed', /ACCOUNT_CLOSED/);
  assert.deepEqual(
    refused.problem.errors?.map(({ pointer }) => pointer),
    ['/failure/code'],
  );
  const payout = await payments.report(plan, 'CUSTODIAN_PAYOUT', failedWith('REVERTED'));
  assert.ok([400, 409].includes(payout.status), payout.text);
  const returned = await payments.report(plan, 'EXECUTE_SWAP', {
    outcome: 'RETURNED',
    providerReference: 'X',
  });
  assertProblem(returned, 400, 'validation-failed');
});

test('instructions expire when their time is over, not when a report says so', async () => {
  const { plan, wallet } = await depositedPlan();
  const before = await payments.textOf(plan.planId);
  const early = await payments.report(plan, 'EXECUTE_SWAP', failedWith('INSTRUCTIONS_EXPIRED'));
  assertProblem(early, 409, 'evidence-mismatch', /until/);
  assert.equal(await payments.textOf(plan.planId), before);
  await payments.advance('PT20M1S');
  const aged = await payments.get(plan.planId);
  assert.deepEqual([aged.next?.why, aged.revision], ['INSTRUCTIONS_EXPIRED', plan.revision]);
  const failed = (await payments.report(plan, 'EXECUTE_SWAP', failedWith('INSTRUCTIONS_EXPIRED'))).body;
  assert.deepEqual([failed.status, statusesOf(failed)], ['ACTION_REQUIRED', 'DONE FAILED PENDING']);
  assert.equal(stepOf(failed, 'EXECUTE_SWAP').verification, 'REPORTED');
  const retried = (await payments.again(failed)).body;
  await wallet.approve(payments.token('USDC'), swapCall(retried).to, 50_000_000n);
  const stale = await wallet.send(swapCall(plan));
  assert.equal(
    (await receiptOf(payments.service.rpc, stale.hash)).status,
    '0x0',
    'the router keeps the deadline',
  );
  const swap = await wallet.execute([swapCall(retried)]);
  const done = await payments.report(retried, 'EXECUTE_SWAP', { outcome: 'DONE', txHash: swap.hash });
  assert.equal(done.status, 200, done.text);
});

test('after two hundred refreshes a 429 says when the last instructions expire', async () => {
  const deposited = await depositedPlan();
  const { wallet } = deposited;
  let { plan } = deposited;
  const attemptsOf = (now: PaymentPlan) => stepOf(now, 'EXECUTE_SWAP').attempts?.length ?? 0;
  for (let known = attemptsOf(plan); known < 200; known = attemptsOf(plan)) {
    const some = Array.from({ length: Math.min(10, 200 - known) }, (_, place) =>
      payments.again(plan, { slippageBps: 100 + known + place }),
    );
    for (const { body } of await Promise.all(some)) if (attemptsOf(body) > attemptsOf(plan)) plan = body;
  }
  const before = await payments.textOf(plan.planId);
  const tooSoon = await payments.again(plan, { slippageBps: 99 });
  assertProblem(tooSoon, 429, 'rate-limited', /others come when the last have expired/);
  const seconds = Number(tooSoon.headers.get('retry-after'));
  assert.ok(seconds > 0 && seconds <= 20 * 60, `Retry-After ${seconds}`);
  assert.equal(await payments.textOf(plan.planId), before);
  await payments.advance('PT20M1S');
  plan = (await payments.again(plan)).body;
  assert.deepEqual([plan.next?.why, attemptsOf(plan)], ['SWAP_DUE', 201]);
  await wallet.approve(payments.token('USDC'), swapCall(plan).to, 50_000_000n);
  const sent = await wallet.execute([swapCall(plan)]);
  const done = (await payments.report(plan, 'EXECUTE_SWAP', { outcome: 'DONE', txHash: sent.hash })).body;
  assert.equal(statusesOf(done), 'DONE DONE READY');
});
