// Reports that the chain contradicts: each is refused as evidence-mismatch, and the plan's body stays the same, byte
// for byte. One transaction settles one step of one plan.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { PaymentPlan } from '@fairway/wire';
import { encodeFunctionData, multicall3Abi } from 'viem';
import { type Call, type KeyWallet, receiptOf } from '../keyWallet.ts';
import { assertProblem, freshAddress, startPaymentsTest, statusesOf, stepOf } from '../paymentsHarness.ts';

const payments = await startPaymentsTest();
after(() => payments.close());

const AMOUNT_IN = 40_000_000n;
/** Multicall3 has this address on every chain. It has no owner, so the tests use it as somebody's contract wallet. */
const MULTICALL3 = '0xcA11bde05977b3631167028862bE2a173976CA11';
const noHash = `0x${'00'.repeat(31)}01`;

/** A plan whose swap is due, with a wallet that holds the deposit and may execute. */
async function readyPlan(fields: object = {}): Promise<{ plan: PaymentPlan; wallet: KeyWallet }> {
  const wallet = await payments.freshWallet();
  const options = { mode: 'STANDARD', depositAddress: wallet.address };
  const made = await payments.plan({ amountIn: String(AMOUNT_IN), options, ...fields });
  await payments.give(wallet.address, 'USDC', AMOUNT_IN);
  const plan = await payments.until(made, 'the deposit is seen', (now) => now.steps[1]?.status === 'READY');
  const call = callOf(plan);
  if (call.to !== payments.token('USDC')) await wallet.approve(payments.token('USDC'), call.to, AMOUNT_IN);
  return { plan, wallet };
}

function callOf(plan: PaymentPlan) {
  const call = stepOf(plan, 'EXECUTE_SWAP').instructions?.at(-1);
  assert.ok(call);
  return call;
}

/** One transaction that makes several calls. */
function batchOf(...calls: readonly Call[]): Call {
  const inner = calls.map(({ to, data }) => ({
    target: to as `0x${string}`,
    allowFailure: false,
    callData: data as `0x${string}`,
  }));
  const data = encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args: [inner] });
  return { to: MULTICALL3, data, value: '0' };
}

/** Sends a report and asserts that it is refused and changes nothing. */
async function refused(
  plan: PaymentPlan,
  type: 'AWAIT_DEPOSIT' | 'EXECUTE_SWAP' | 'CUSTODIAN_PAYOUT',
  report: object,
  detail: RegExp = /The report was not recorded/,
): Promise<void> {
  const before = await payments.textOf(plan.planId);
  const answer = await payments.report(plan, type, { outcome: 'DONE', ...report });
  assertProblem(answer, 409, 'evidence-mismatch', detail);
  assert.equal(await payments.textOf(plan.planId), before);
}

const done = (plan: PaymentPlan, txHash: string) =>
  payments.report(plan, 'EXECUTE_SWAP', { outcome: 'DONE', txHash });

test('false hashes, other calldata and wrong amounts are refused; a true report is accepted', async () => {
  const { plan, wallet } = await readyPlan();
  const stranger = await payments.freshWallet();
  const call = callOf(plan);
  await refused(plan, 'EXECUTE_SWAP', { txHash: noHash }, /no transaction/);
  await payments.give(stranger.address, 'USDC', 2n * AMOUNT_IN);
  const gift = await stranger.transfer(payments.token('USDC'), freshAddress(), AMOUNT_IN);
  await refused(plan, 'EXECUTE_SWAP', { txHash: gift.hash }, /does not execute the instructions/);

  // The right router and the right output, but calldata from a quote of its own instead of the plan's.
  await stranger.approve(payments.token('USDC'), call.to, AMOUNT_IN);
  const { body } = await payments.service.request('/v1/swap', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      chainId: payments.sandbox.chainId,
      tokenIn: payments.token('USDC'),
      tokenOut: payments.token('tAUD'),
      tradeType: 'EXACT_IN',
      amount: String(AMOUNT_IN),
      slippageBps: 400,
      recipient: await payments.settlementAddress('usdc-aud-bank'),
    }),
  });
  const { instructions = [] } = body as { instructions?: { to: string; data: string; value: string }[] };
  const similar = await stranger.execute(instructions);
  await refused(plan, 'EXECUTE_SWAP', { txHash: similar.hash }, /does not execute the instructions/);

  const swap = await wallet.execute([call]);
  await refused(
    plan,
    'EXECUTE_SWAP',
    { txHash: swap.hash, amount: '1' },
    /brought [\d.]+ tAUD on .* \(\d+ units of 0x\w+\), not [\d.]+ tAUD on .* \(1 units/,
  );
  const { body: swapped } = await done(plan, swap.hash.toUpperCase().replace('0X', '0x'));
  assert.equal(statusesOf(swapped), 'DONE DONE READY');
  const other = await readyPlan();
  await refused(other.plan, 'EXECUTE_SWAP', { txHash: swap.hash });
});

const toWallet = () => ({
  corridorId: 'usdc-wallet',
  recipient: { type: 'wallet', chainId: payments.sandbox.chainId, address: freshAddress() },
});

for (const corridorId of ['usdc-aud-bank', 'usdc-wallet'])
  test(`a transaction of one plan is no evidence for its twin plan: ${corridorId}`, async () => {
    // Plans without addresses differ only in their calls.
    const fields = { amountIn: String(AMOUNT_IN), ...(corridorId === 'usdc-wallet' ? toWallet() : {}) };
    const [plan, twin] = [await payments.plan(fields), await payments.plan(fields)];
    await payments.report(twin, 'AWAIT_DEPOSIT', { outcome: 'DONE' });
    const { body: due } = await payments.report(plan, 'AWAIT_DEPOSIT', { outcome: 'DONE' });
    const call = callOf(due);
    const wallet = await payments.freshWallet();
    await payments.give(wallet.address, 'USDC', AMOUNT_IN);
    if (corridorId !== 'usdc-wallet') await wallet.approve(payments.token('USDC'), call.to, AMOUNT_IN);
    const swap = await wallet.execute([call]);
    await refused(twin, 'EXECUTE_SWAP', { txHash: swap.hash }, /does not execute the instructions/);
    assert.equal(statusesOf((await done(plan, swap.hash)).body), 'DONE DONE READY');
  });

test('calldata that a contract wallet only receives does not execute another plan', async () => {
  const sameToken = toWallet();
  const fields = { amountIn: String(AMOUNT_IN), ...sameToken };
  const [mine, thief] = [await payments.plan(fields), await payments.plan(fields)];
  const due = async (plan: PaymentPlan) =>
    callOf((await payments.report(plan, 'AWAIT_DEPOSIT', { outcome: 'DONE' })).body);
  const [call, stolen] = [await due(mine), await due(thief)];
  await payments.give(MULTICALL3, 'USDC', AMOUNT_IN);
  const relay = await payments.freshWallet();
  // An account that does nothing receives the contract's address and the call, in the way that wallets encode them.
  const dead = { to: freshAddress(), data: `0x${stolen.to.slice(2)}${stolen.data.slice(2)}`, value: '0' };
  const sent = await relay.execute([batchOf(call, dead)]);
  await refused(thief, 'EXECUTE_SWAP', { txHash: sent.hash }, /does not execute the instructions/);
  const { body } = await done(mine, sent.hash);
  assert.equal(stepOf(body, 'EXECUTE_SWAP').evidence?.amount, String(AMOUNT_IN));
});

test('a batch settles each plan whose call it made, with the output of that call', async () => {
  const sameToken = toWallet();
  const [first, second] = [await readyPlan(sameToken), await readyPlan(sameToken)];
  await payments.give(MULTICALL3, 'USDC', 2n * AMOUNT_IN);
  const both = await first.wallet.execute([batchOf(callOf(first.plan), callOf(second.plan))]);
  assert.equal((await done(first.plan, both.hash)).status, 200);
  const { body: paying } = await done(second.plan, both.hash);
  assert.equal(statusesOf(paying), 'DONE DONE READY');
  assert.equal(stepOf(paying, 'EXECUTE_SWAP').evidence?.amount, String(AMOUNT_IN));

  // A payout transfer names no plan: when two plans pay the same address, the report decides which plan it pays.
  const custodian = await payments.freshWallet();
  await payments.give(custodian.address, 'USDC', 2n * AMOUNT_IN);
  const { address } = sameToken.recipient;
  const payout = await custodian.transfer(payments.token('USDC'), address, AMOUNT_IN);
  const paid = await payments.report(first.plan, 'CUSTODIAN_PAYOUT', {
    outcome: 'DONE',
    txHash: payout.hash,
  });
  assert.equal(paid.body.status, 'COMPLETED', paid.text);
  await refused(paying, 'CUSTODIAN_PAYOUT', { txHash: payout.hash }, /settles another step already/);
  await refused(paying, 'CUSTODIAN_PAYOUT', { txHash: both.hash }, /pays the recipient nothing/);
  const little = await custodian.transfer(payments.token('USDC'), address, AMOUNT_IN - 1n);
  const part = await payments.report(paying, 'CUSTODIAN_PAYOUT', { outcome: 'DONE', txHash: little.hash });
  const { amount } = stepOf(part.body, 'CUSTODIAN_PAYOUT').custodianAction ?? assert.fail(part.text);
  assert.deepEqual([part.body.status, amount], ['ACTION_REQUIRED', '1'], 'a part completes nothing');
});

test('transactions from before a plan was made are no evidence for it', async () => {
  const recipient = { type: 'wallet', chainId: payments.sandbox.chainId, address: freshAddress() };
  const payer = await payments.freshWallet();
  const sender = await payments.freshWallet();
  await payments.give(payer.address, 'USDC', 4n * AMOUNT_IN);
  const settlement = await payments.settlementAddress('usdc-wallet');
  const token = payments.token('USDC');
  const oldDeposit = await payer.transfer(token, sender.address, AMOUNT_IN);
  const oldSettlement = await payer.transfer(token, settlement, AMOUNT_IN);
  const oldPayout = await payer.transfer(token, recipient.address, AMOUNT_IN);
  await payments.service.recordAtHead();
  const made = await payments.plan({
    corridorId: 'usdc-wallet',
    amountIn: String(AMOUNT_IN),
    recipient,
    options: { mode: 'STANDARD', sender: sender.address },
  });
  await refused(made, 'AWAIT_DEPOSIT', { txHash: oldDeposit.hash }, /before the plan/);
  const deposited = (await payments.report(made, 'AWAIT_DEPOSIT', { outcome: 'DONE' })).body;
  await refused(deposited, 'EXECUTE_SWAP', { txHash: oldSettlement.hash }, /before the plan/);
  const sent = await sender.execute([callOf(deposited)]);
  const swapped = (await done(deposited, sent.hash)).body;
  await refused(swapped, 'CUSTODIAN_PAYOUT', { txHash: oldPayout.hash }, /before the plan/);
});

test('false reports of a deposit to options.sender are refused', async () => {
  const sender = await payments.freshWallet();
  const made = await payments.plan({
    amountIn: String(AMOUNT_IN),
    options: { mode: 'STANDARD', sender: sender.address },
  });
  const payer = await payments.freshWallet();
  await payments.give(payer.address, 'USDC', 4n * AMOUNT_IN);
  const token = payments.token('USDC');
  const little = await payer.transfer(token, sender.address, AMOUNT_IN - 1n);
  await refused(made, 'AWAIT_DEPOSIT', { txHash: little.hash }, /39999999 of the 40000000/);
  const elsewhere = await payer.transfer(token, freshAddress(), AMOUNT_IN);
  await refused(made, 'AWAIT_DEPOSIT', { txHash: elsewhere.hash }, /brings none/);
  await refused(made, 'AWAIT_DEPOSIT', { amount: String(AMOUNT_IN - 1n) }, /39999999 of the 40000000/);
  const deposit = await payer.transfer(token, sender.address, AMOUNT_IN);
  const [txHash, wrong] = [deposit.hash, String(AMOUNT_IN + 1n)];
  await refused(
    made,
    'AWAIT_DEPOSIT',
    { txHash, amount: wrong },
    /brought 40 USDC on .* \(40000000 .*, not 40\.000001 USDC/,
  );
  const { body } = await payments.report(made, 'AWAIT_DEPOSIT', { outcome: 'DONE', txHash });
  // Anybody may name an account that money came to.
  assert.deepEqual(
    [statusesOf(body), stepOf(body, 'AWAIT_DEPOSIT').verification],
    ['DONE READY PENDING', 'REPORTED'],
  );
  const { json } = await payments.ask(`/v1/payments/${made.planId}/movements`);
  const { data } = json as { data: { kind: string; verification: string }[] };
  assert.deepEqual(
    data.map(({ kind, verification }) => [kind, verification]),
    [['DEPOSIT', 'REPORTED']],
  );
});

test('the hash of a deposit that was told without one becomes its evidence, once it is checked', async () => {
  const sender = freshAddress();
  const made = await payments.plan({ amountIn: String(AMOUNT_IN), options: { mode: 'STANDARD', sender } });
  const told = await payments.report(made, 'AWAIT_DEPOSIT', { outcome: 'DONE' });
  assert.equal(statusesOf(told.body), 'DONE READY PENDING', told.text);
  const payer = await payments.freshWallet();
  await payments.give(payer.address, 'USDC', 4n * AMOUNT_IN);
  const token = payments.token('USDC');
  const elsewhere = await payer.transfer(token, freshAddress(), AMOUNT_IN);
  await refused(told.body, 'AWAIT_DEPOSIT', { txHash: elsewhere.hash }, /brings none/);
  const little = await payer.transfer(token, sender, AMOUNT_IN - 1n);
  const less = /recorded with 40000000.* brought 39999999.* settle that with the payer/;
  await refused(told.body, 'AWAIT_DEPOSIT', { txHash: little.hash }, less);
  const { hash: txHash } = await payer.transfer(token, sender, AMOUNT_IN);
  const shown = await payments.report(told.body, 'AWAIT_DEPOSIT', { outcome: 'DONE', txHash });
  assert.equal(statusesOf(shown.body), 'DONE READY PENDING', shown.text);
  const { received, transfers } = stepOf(shown.body, 'AWAIT_DEPOSIT').deposit ?? assert.fail();
  assert.deepEqual([received, transfers.map((each) => each.txHash)], [String(AMOUNT_IN), [txHash]]);
  for (const again of [{ txHash }, {}]) {
    const known = await payments.report(shown.body, 'AWAIT_DEPOSIT', { outcome: 'DONE', ...again });
    assert.deepEqual([known.status, known.body.revision], [200, shown.body.revision], known.text);
  }
  const { hash: second } = await payer.transfer(token, sender, AMOUNT_IN);
  await refused(shown.body, 'AWAIT_DEPOSIT', { txHash: second }, new RegExp(`${txHash}; .* of ${second}`));
});

test('a plan whose sender is the deposit address of an open plan takes no deposit from it', async () => {
  const owner = await payments.freshWallet();
  const naming = await payments.plan({
    amountIn: String(AMOUNT_IN),
    options: { mode: 'STANDARD', sender: owner.address },
  });
  const made = await payments.plan({
    amountIn: String(AMOUNT_IN),
    options: { mode: 'STANDARD', depositAddress: owner.address },
  });
  const payer = await payments.freshWallet();
  await payments.give(payer.address, 'USDC', AMOUNT_IN);
  const { hash: txHash } = await payer.transfer(payments.token('USDC'), owner.address, AMOUNT_IN);
  await refused(naming, 'AWAIT_DEPOSIT', { txHash }, /settles another step/);
  await payments.until(made, 'the deposit is seen', (now) => now.steps[1]?.status === 'READY');
});

test('of a replaced transaction only the hash that was mined is evidence', async () => {
  const { plan, wallet } = await readyPlan();
  const { rpc } = payments.service;
  await rpc('evm_setAutomine', [false]);
  try {
    const call = callOf(plan);
    const nonce = Number(await rpc<string>('eth_getTransactionCount', [wallet.address, 'latest']));
    const first = await wallet.send(call, { nonce });
    const waiting = await done(plan, first.hash);
    assert.equal(waiting.body.next?.why, 'TRANSACTION_PENDING', 'it counts as submitted');
    const second = await wallet.send(call, { nonce, feeWei: 3n * 10n ** 10n });
    assert.notEqual(first.hash, second.hash);
    await rpc('evm_mine');
    assert.equal((await receiptOf(rpc, second.hash)).status, '0x1');
    await refused(plan, 'EXECUTE_SWAP', { txHash: first.hash }, /report that one's hash/);
    const { body } = await done(plan, second.hash);
    assert.equal(statusesOf(body), 'DONE DONE READY');
  } finally {
    await rpc('evm_setAutomine', [true]);
  }
});

test('a true report is not accepted twice, and not before its step is due', async () => {
  const made = await payments.plan({ amountIn: String(AMOUNT_IN) });
  const deposit = stepOf(made, 'AWAIT_DEPOSIT').stepId;
  for (const [type, report] of [
    ['EXECUTE_SWAP', { outcome: 'DONE', txHash: noHash }],
    ['EXECUTE_SWAP', { outcome: 'FAILED', failure: { code: 'OTHER' } }],
    ['CUSTODIAN_PAYOUT', { outcome: 'DONE', providerReference: 'EARLY-1' }],
    ['CUSTODIAN_PAYOUT', { outcome: 'FAILED', failure: { code: 'ACCOUNT_CLOSED' } }],
    ['CUSTODIAN_PAYOUT', { outcome: 'RETURNED', providerReference: 'EARLY-1' }],
  ] as const) {
    const before = await payments.textOf(made.planId);
    assertProblem(await payments.report(made, type, report), 409, 'step-not-ready', new RegExp(deposit));
    assert.equal(await payments.textOf(made.planId), before);
  }
  assertProblem(await payments.again(made), 409, 'step-not-ready', new RegExp(deposit));
  const wallet = await payments.plan({
    corridorId: 'usdc-wallet',
    recipient: { type: 'wallet', chainId: payments.sandbox.chainId, address: freshAddress() },
  });
  const early = await payments.report(wallet, 'CUSTODIAN_PAYOUT', { outcome: 'DONE', txHash: noHash });
  assertProblem(early, 409, 'step-not-ready', /AWAIT_DEPOSIT/);
  const nobody = await payments.ask(`/v1/payments/${made.planId}/steps/step_nobody/reports`, {
    outcome: 'DONE',
  });
  assertProblem(nobody, 404, 'not-found');
  const malformed = await payments.report(made, 'AWAIT_DEPOSIT', {
    outcome: 'OK',
    txHash: '0x12',
    amount: 5,
    memo: 1,
  });
  assertProblem(malformed, 400, 'validation-failed');
  assert.deepEqual(malformed.problem.errors?.map(({ pointer }) => pointer).sort(), [
    '/amount',
    '/memo',
    '/outcome',
    '/txHash',
  ]);
});
