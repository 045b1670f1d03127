// A payment to a bank account from the deposit to the payout, with a wallet that signs for itself. Reports tell the
// service only what it cannot see, and every amount agrees with the balances on the chain to the smallest unit.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PaymentPlan } from '@fairway/wire';
import { transferCall } from '../keyWallet.ts';
import { assertProblem, freshAddress, startPaymentsTest, statusesOf, stepOf } from '../paymentsHarness.ts';

const payments = await startPaymentsTest();
after(() => payments.close());

test('a bank payment: deposit seen, swap derived, executed and reported, payout reported', async () => {
  const { plan: ask, token, onChain, report } = payments;
  const [payer, wallet] = [payments.accountWallet(1), await payments.freshWallet()];
  const amountIn = 1_234_567_891n;
  await payments.give(payer.address, 'USDC', amountIn);
  const custodian = await payments.settlementAddress('usdc-aud-bank');
  const heldBefore = await onChain.balanceOf(custodian, token('tAUD'));
  const made = await ask({
    amountIn: String(amountIn),
    options: { mode: 'STANDARD', depositAddress: wallet.address, slippageBps: 30 },
  });
  assert.equal(statusesOf(made), 'PENDING PENDING PENDING');
  assert.deepEqual([made.status, made.next?.why], ['ACTION_REQUIRED', 'DEPOSIT_MISSING']);

  const deposit = await payer.transfer(token('USDC'), wallet.address, amountIn);
  const deposited = await payments.until(
    made,
    'the deposit is seen',
    (plan) => statusesOf(plan) === 'DONE READY PENDING',
  );
  assert.deepEqual(
    stepOf(deposited, 'AWAIT_DEPOSIT').deposit?.transfers.map(({ txHash, amount }) => [txHash, amount]),
    [[deposit.hash, String(amountIn)]],
  );
  assert.equal(stepOf(deposited, 'AWAIT_DEPOSIT').verification, 'VERIFIED');
  assert.deepEqual([deposited.status, deposited.next?.why], ['ACTION_REQUIRED', 'SWAP_DUE']);

  const fresh = (await payments.again(deposited)).body;
  assert.equal(fresh.revision, deposited.revision, 'the instructions are fresh');
  const [instruction, ...others] = stepOf(fresh, 'EXECUTE_SWAP').instructions ?? [];
  assert.ok(instruction);
  assert.deepEqual(others, []);
  assert.equal(instruction.constraints.maxSlippageBps, 30);
  await wallet.approve(token('USDC'), instruction.to, amountIn);
  const swap = await wallet.execute([instruction]);
  assert.equal(
    await onChain.balanceOf(wallet.address, token('USDC')),
    0n,
    'the plan swaps the whole deposit',
  );
  const arrived = (await onChain.balanceOf(custodian, token('tAUD'))) - heldBefore;

  const swapped = (await report(fresh, 'EXECUTE_SWAP', { outcome: 'DONE', txHash: swap.hash })).body;
  assert.equal(statusesOf(swapped), 'DONE DONE READY');
  const { evidence, verification, instructions } = stepOf(swapped, 'EXECUTE_SWAP');
  assert.deepEqual(
    [evidence?.txHash, evidence?.amount, evidence?.status],
    [swap.hash, String(arrived), 'FINAL'],
  );
  assert.equal(verification, 'VERIFIED');
  assert.deepEqual(instructions, [], 'nobody executes them again');
  assert.equal(
    swapped.quote?.amountOut,
    String(arrived),
    'nobody else traded, so the output is exactly the quoted one',
  );
  const { custodianAction } = stepOf(swapped, 'CUSTODIAN_PAYOUT');
  assert.deepEqual(custodianAction?.asset, {
    chainId: payments.sandbox.chainId,
    address: token('tAUD'),
    ...{ symbol: 'tAUD', decimals: 6 },
  });
  assert.deepEqual([custodianAction.amount, custodianAction.isFinal], [String(arrived), true]);
  // The beneficiary gets whole cents: the last of the six decimals of the token are not paid.
  assert.equal(custodianAction.target?.amount, String(arrived / 10_000n));
  assert.ok(custodianAction.notAfter);

  await paysOut(swapped, { deposit: deposit.hash, swap: swap.hash });
});

/** A bank pays whole cents of a token with six decimals. */
const CENT = 10_000n;

/** Completes a plan by the custodian's reference; `hashes` are the plan's transactions. */
async function paysOut(
  swapped: PaymentPlan,
  { deposit, swap }: { deposit: string; swap: string },
): Promise<void> {
  const { amount = '' } = stepOf(swapped, 'CUSTODIAN_PAYOUT').custodianAction ?? {};
  const paid = { outcome: 'DONE', providerReference: 'NPP 2026/11-0042', amount };
  const done = (await payments.report(swapped, 'CUSTODIAN_PAYOUT', paid)).body;
  assert.deepEqual([done.status, statusesOf(done), done.next], ['COMPLETED', 'DONE DONE DONE', undefined]);
  const payout = stepOf(done, 'CUSTODIAN_PAYOUT');
  assert.deepEqual(
    [payout.providerReference, payout.paidAmount, payout.verification],
    [paid.providerReference, String(BigInt(amount) - (BigInt(amount) % CENT)), 'REPORTED'],
  );
  const text = await payments.textOf(done.planId);
  for (const [type, again] of [
    ['EXECUTE_SWAP', { outcome: 'DONE', txHash: swap }],
    ['CUSTODIAN_PAYOUT', paid],
    ['AWAIT_DEPOSIT', { outcome: 'DONE', txHash: deposit }],
  ] as const) {
    const repeated = await payments.report(done, type, again);
    assert.deepEqual([repeated.status, repeated.body.revision], [200, done.revision], repeated.text);
  }
  assert.equal(await payments.textOf(done.planId), text, 'the same reports again change nothing');
}

test('a wallet payment in USDT: approvals include the reset; the payout is read on the chain', async () => {
  const { token, onChain, report } = payments;
  const wallet = await payments.freshWallet();
  const beneficiary = freshAddress();
  const amountIn = 777_777_777n;
  const made = await payments.plan({
    corridorId: 'usdt-usdc-wallet',
    amountIn: String(amountIn),
    recipient: { type: 'wallet', chainId: payments.sandbox.chainId, address: beneficiary },
    options: { mode: 'STANDARD', depositAddress: wallet.address, sender: wallet.address },
  });
  await payments.give(wallet.address, 'USDT', amountIn);
  const router = stepOf(made, 'EXECUTE_SWAP').instructions?.at(-1)?.to ?? '';
  // A small allowance: USDT accepts a new one only after a reset to zero.
  await wallet.approve(token('USDT'), router, 5n);
  const deposited = await payments.until(
    made,
    'the deposit is seen',
    (plan) => plan.steps[1]?.status === 'READY',
  );
  const fresh = (await payments.again(deposited)).body;
  const instructions = stepOf(fresh, 'EXECUTE_SWAP').instructions ?? [];
  assert.deepEqual(
    instructions.map(({ to }) => to),
    [token('USDT'), token('USDT'), router],
  );
  const custodian = await payments.settlementAddress('usdt-usdc-wallet');
  const heldBefore = await onChain.balanceOf(custodian, token('USDC'));
  const swap = await wallet.execute(instructions);
  const arrived = (await onChain.balanceOf(custodian, token('USDC'))) - heldBefore;
  const swapped = (await report(fresh, 'EXECUTE_SWAP', { outcome: 'DONE', txHash: swap.hash })).body;
  const { custodianAction } = stepOf(swapped, 'CUSTODIAN_PAYOUT');
  assert.deepEqual(
    [custodianAction?.action, custodianAction?.amount, custodianAction?.requiredEvidence],
    ['TRANSFER_ONCHAIN', String(arrived), ['txHash']],
  );
  const unevidenced = await report(swapped, 'CUSTODIAN_PAYOUT', { outcome: 'DONE', providerReference: 'X' });
  assertProblem(unevidenced, 400, 'validation-failed', /txHash is missing/);

  const payout = await payments.custodianSends(
    'usdt-usdc-wallet',
    transferCall(token('USDC'), beneficiary, arrived),
  );
  const done = (await report(swapped, 'CUSTODIAN_PAYOUT', { outcome: 'DONE', txHash: payout })).body;
  assert.equal(done.status, 'COMPLETED');
  const paid = stepOf(done, 'CUSTODIAN_PAYOUT');
  assert.deepEqual(
    [paid.verification, paid.paidAmount, paid.evidence?.txHash],
    ['VERIFIED', String(arrived), payout],
  );
  assert.equal(await onChain.balanceOf(beneficiary, token('USDC')), arrived);
});

test('without a swap the one instruction transfers exactly the amount to the custodian', async () => {
  const { token, onChain, report } = payments;
  const wallet = await payments.freshWallet();
  const beneficiary = freshAddress();
  const amountIn = 31_000_001n;
  const made = await payments.plan({
    corridorId: 'usdc-wallet',
    amountIn: String(amountIn),
    recipient: { type: 'wallet', chainId: payments.sandbox.chainId, address: beneficiary },
    options: { mode: 'STANDARD', depositAddress: wallet.address },
  });
  await payments.give(wallet.address, 'USDC', amountIn);
  const deposited = await payments.until(
    made,
    'the deposit is seen',
    (plan) => plan.steps[1]?.status === 'READY',
  );
  const custodian = await payments.settlementAddress('usdc-wallet');
  const heldBefore = await onChain.balanceOf(custodian, token('USDC'));
  const instructions = stepOf(deposited, 'EXECUTE_SWAP').instructions ?? [];
  assert.deepEqual(
    instructions.map(({ to, value }) => [to, value]),
    [[token('USDC'), '0']],
  );
  const sent = await wallet.execute(instructions);
  assert.equal((await onChain.balanceOf(custodian, token('USDC'))) - heldBefore, amountIn);
  const swapped = (await report(deposited, 'EXECUTE_SWAP', { outcome: 'DONE', txHash: sent.hash })).body;
  assert.equal(stepOf(swapped, 'CUSTODIAN_PAYOUT').custodianAction?.amount, String(amountIn));
  const simulated = await payments.simulate(swapped, 'CUSTODIAN_PAYOUT', 'payout.done');
  assert.equal(simulated.status, 200, simulated.text);
  assert.equal((await payments.get(made.planId)).status, 'COMPLETED');
  assert.equal(await onChain.balanceOf(beneficiary, token('USDC')), amountIn);
});

test('the calldata itself enforces options.minAmountOut, at any slippage', async () => {
  const market = await payments.plan({ amountIn: '400000000' });
  const floor = BigInt(market.quote?.amountOut ?? 0) - 1_000n;
  const options = { mode: 'STANDARD', slippageBps: 300, minAmountOut: String(floor) };
  const plan = await payments.plan({ amountIn: '400000000', options });
  const { attempts, instructions } = stepOf(plan, 'EXECUTE_SWAP');
  const least = BigInt(attempts?.at(-1)?.minAmountOut ?? 0);
  assert.ok(least >= floor, `the calldata lets ${least} arrive, the floor is ${floor}`);
  assert.equal(instructions?.[0]?.constraints.maxSlippageBps, 0);
});

test('below options.minAmountOut there are no instructions until the market has moved', async () => {
  const depositAddress = freshAddress();
  const market = await payments.plan({ amountIn: '400000000' });
  const floor = (BigInt(market.quote?.amountOut ?? 0) * 101n) / 100n;
  const made = await payments.plan({
    amountIn: '400000000',
    options: { mode: 'STANDARD', depositAddress, minAmountOut: String(floor) },
  });
  assert.deepEqual(stepOf(made, 'EXECUTE_SWAP').instructions, []);
  assert.equal(made.next?.why, 'DEPOSIT_MISSING');
  await payments.give(depositAddress, 'USDC', 400_000_000n);
  const waiting = await payments.until(
    made,
    'it waits for the price',
    (plan) => plan.next?.why === 'PRICE_BELOW_FLOOR',
  );
  assert.equal(statusesOf(waiting), 'DONE PENDING PENDING');
  assert.deepEqual([waiting.status, waiting.next?.by], ['IN_PROGRESS', 'SERVICE']);
  assert.deepEqual(waiting.next?.options, ['refunds', 'end'], 'the price may never come');
  assert.match(waiting.next?.detail ?? '', new RegExp(String(floor)));
  const asked = (await payments.again(waiting)).body;
  assert.deepEqual(stepOf(asked, 'EXECUTE_SWAP').instructions, []);
  assert.equal(asked.revision, waiting.revision, 'asking for the price again changes nothing');

  // tAUD becomes cheap: somebody sells a large amount of it.
  await payments.trade('tAUD', 'USDC', 30_000_000_000_000n);
  await payments.advance('PT61S');
  // The list does not carry plans on, so the service has made this change by itself.
  const listed = async () => {
    const { json } = await payments.ask(`/v1/payments?clientReference=${made.clientReference}`);
    return (json as { data: (typeof made)[] }).data[0];
  };
  let derived = await listed();
  for (let tries = 0; tries < 2_000 && derived?.steps[1]?.status !== 'READY'; tries++) {
    await sleep(25);
    derived = await listed();
  }
  assert.ok(derived);
  assert.equal(derived.next?.why, 'SWAP_DUE', JSON.stringify(derived.next));
  const least = BigInt(stepOf(derived, 'EXECUTE_SWAP').attempts?.at(-1)?.minAmountOut ?? 0);
  assert.ok(least >= floor, `the calldata allows ${least}, below the floor ${floor}`);
  const history = await payments.events(made);
  assert.deepEqual(
    history.filter(({ type }) => type === 'INSTRUCTED').map(({ data, actor }) => ['derived' in data, actor]),
    [[true, 'service']],
  );
});
