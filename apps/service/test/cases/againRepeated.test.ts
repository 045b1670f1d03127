// The answer to `again` gets lost, and the request is sent once more. Both answers must give out the same instructions,
// because two different ones could both be executed.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { PaymentPlan } from '@fairway/wire';
import type { KeyWallet } from '../keyWallet.ts';
import { freshAddress, startPaymentsTest, type WholePlan } from '../paymentsHarness.ts';

const payments = await startPaymentsTest();
after(() => payments.close());

const AMOUNT_IN = 50_000_000n;

/** A plan whose instructions its wallet can execute. */
async function readyPlan(options: object = {}): Promise<WholePlan> {
  const { address } = await payments.freshWallet();
  const made = await payments.plan({
    amountIn: String(AMOUNT_IN),
    options: { mode: 'STANDARD', depositAddress: address, ...options },
  });
  await payments.give(address, 'USDC', AMOUNT_IN);
  return swapDue(made);
}

/** A plan of the token that takes another allowance only after a reset to zero; its wallet executes all calls. */
async function readyUsdtPlan({ address }: KeyWallet): Promise<WholePlan> {
  const recipient = { type: 'wallet', chainId: payments.sandbox.chainId, address: freshAddress() };
  const options = { mode: 'STANDARD', sender: address, depositAddress: address };
  const amountIn = String(AMOUNT_IN);
  const made = await payments.plan({ amountIn, corridorId: 'usdt-usdc-wallet', recipient, options });
  await payments.give(address, 'USDT', AMOUNT_IN);
  return swapDue(made);
}

const swapDue = (plan: WholePlan) =>
  payments.until(plan, 'the swap is due', ({ next }) => next?.why === 'SWAP_DUE');

const attemptIdOf = (plan: PaymentPlan) => plan.next?.attemptId ?? assert.fail(plan.next?.why);

/** The plan after `again`, which must be accepted. */
async function again(plan: PaymentPlan, request: object = {}): Promise<WholePlan> {
  const { status, text, body } = await payments.again(plan, request);
  assert.equal(status, 200, text);
  return body;
}

test('again answers the plan as it is while its instructions can be executed', async () => {
  const plan = await readyPlan();
  const answers = await Promise.all([again(plan), again(plan), again(plan)]);
  for (const answer of [...answers, await again(plan)]) {
    assert.deepEqual([answer.did, answer.revision], ['INSTRUCTIONS', plan.revision]);
    assert.deepEqual(answer.next, plan.next);
  }
  const { status } = await payments.ask(`/v1/payments/${plan.planId}/again`, {}, '"1"');
  assert.equal(status, 200, 'a repetition names the revision before its first run');
});

test('an again that was carried out is answered once more, with If-Match and with slippageBps', async () => {
  const plan = await readyPlan();
  await payments.advance('PT20M1S');
  const path = `/v1/payments/${plan.planId}/again`;
  const tag = `"${plan.revision}"`;
  const twins = await Promise.all([payments.ask(path, {}, tag), payments.ask(path, {}, tag)]);
  const [first, second] = twins.map(({ status, text, body }) => {
    assert.equal(status, 200, text);
    return body;
  });
  assert.ok(first && second);
  assert.notEqual(attemptIdOf(first), attemptIdOf(plan), 'the former ones have expired');
  assert.equal(attemptIdOf(second), attemptIdOf(first));

  const wide = await again(first, { slippageBps: 120 });
  assert.notEqual(attemptIdOf(wide), attemptIdOf(first));
  for (const request of [{ slippageBps: 120 }, {}])
    assert.equal(attemptIdOf(await again(wide, request)), attemptIdOf(wide));
  assert.notEqual(attemptIdOf(await again(wide, { slippageBps: 40 })), attemptIdOf(wide));
});

test('instructions that the chain would revert are replaced before they expire', async () => {
  const plan = await readyPlan({ slippageBps: 10 });
  await payments.trade('USDC', 'tAUD', 2_000_000_000_000n);
  const moved = await again(plan);
  assert.notEqual(attemptIdOf(moved), attemptIdOf(plan), 'the price is below their minimum');
  assert.equal(attemptIdOf(await again(plan)), attemptIdOf(moved));

  await payments.trade('tAUD', 'USDC', 3_000_000_000_000n);
});

test('calls that the allowance of the wallet would make fail are replaced before they expire', async () => {
  const wallet = await payments.freshWallet();
  const plan = await readyUsdtPlan(wallet);
  const calls = plan.next?.calls ?? [];
  assert.equal(calls.length, 2);
  await wallet.approve(payments.token('USDT'), calls.at(-1)?.to ?? '', 5n);
  const reset = await again(plan);
  assert.notEqual(attemptIdOf(reset), attemptIdOf(plan));
  const fresh = reset.next?.calls ?? [];
  assert.equal(fresh.length, 3);
  // What the wallet has done already is no reason for others.
  await wallet.execute(fresh.slice(0, 2));
  assert.equal(attemptIdOf(await again(reset)), attemptIdOf(reset));
});
