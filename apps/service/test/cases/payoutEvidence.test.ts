// Which transfer pays which plan. One transfer pays one plan, and only the custodian's is VERIFIED. A transfer that is
// only REPORTED takes nothing from another plan.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { MovementList, PaymentPlan } from '@fairway/wire';
import { encodeEventTopics, encodeFunctionData, erc20Abi, multicall3Abi } from 'viem';
import { basic } from '../harness.ts';
import { transferCall } from '../keyWallet.ts';
import { makeLogin } from '../paymentCalls.ts';
import {
  assertProblem,
  freshAddress,
  type PaymentsClient,
  paymentsClient,
  type PaymentsTest,
  type PlanAnswer,
  startPaymentsTest,
  statusesOf,
  stepOf,
} from '../paymentsHarness.ts';
import { endEverything, freshFolder } from '../processHarness.ts';

const CORRIDOR = 'usdc-wallet';
const AMOUNT = 40_000_000n;
/** Multicall3 has this address on every chain. The custodian uses it to pay several wallets from its own account. */
const MULTICALL3 = '0xcA11bde05977b3631167028862bE2a173976CA11';

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

/** A plan to a wallet whose swap is due: its deposit was reported. */
async function plannedTo(
  address: string,
  amount = AMOUNT,
  client: PaymentsClient = payments,
): Promise<PaymentPlan> {
  const recipient = { type: 'wallet', chainId: payments.sandbox.chainId, address };
  const made = await client.plan({ corridorId: CORRIDOR, amountIn: String(amount), recipient });
  return (await client.report(made, 'AWAIT_DEPOSIT', { outcome: 'DONE' })).body;
}

/** Executes the swap of a plan and reports it: the payout is due then. */
async function swapped(plan: PaymentPlan, client: PaymentsClient = payments): Promise<PaymentPlan> {
  const wallet = await payments.freshWallet();
  await payments.give(wallet.address, 'USDC', BigInt(plan.amountIn));
  const sent = await wallet.execute(stepOf(plan, 'EXECUTE_SWAP').instructions ?? []);
  const { body } = await client.report(plan, 'EXECUTE_SWAP', { outcome: 'DONE', txHash: sent.hash });
  assert.equal(statusesOf(body), 'DONE DONE READY');
  return body;
}

/** A plan to a wallet whose payout is due. */
async function due(
  address: string,
  amount = AMOUNT,
  client: PaymentsClient = payments,
): Promise<PaymentPlan> {
  return swapped(await plannedTo(address, amount, client), client);
}

/** The custodian pays wallets, all in one transaction; its hash. */
async function custodianPays(
  ...paid: readonly (readonly [address: string, amount: bigint])[]
): Promise<string> {
  const token = payments.token('USDC') as `0x${string}`;
  const custodian = (await payments.settlementAddress(CORRIDOR)) as `0x${string}`;
  const [[address, amount] = ['', 0n], ...more] = paid;
  if (more.length === 0) return payments.custodianSends(CORRIDOR, transferCall(token, address, amount));
  const approve = encodeFunctionData({
    abi: erc20Abi,
    functionName: 'approve',
    args: [MULTICALL3, paid.reduce((sum, [, units]) => sum + units, 0n)],
  });
  await payments.custodianSends(CORRIDOR, { to: token, data: approve });
  const calls = paid.map(([to, units]) => ({
    target: token,
    allowFailure: false,
    callData: encodeFunctionData({
      abi: erc20Abi,
      functionName: 'transferFrom',
      args: [custodian, to as `0x${string}`, units],
    }),
  }));
  const data = encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args: [calls] });
  return payments.custodianSends(CORRIDOR, { to: MULTICALL3, data });
}

/** The places of the transfers of a transaction. Tokens may write an Approval beside each. */
async function transferLogsOf(txHash: string): Promise<readonly number[]> {
  const { logs } = await payments.service.rpc<{ logs: { logIndex: string; topics: string[] }[] }>(
    'eth_getTransactionReceipt',
    [txHash],
  );
  const [topic] = encodeEventTopics({ abi: erc20Abi, eventName: 'Transfer' });
  return logs.filter(({ topics }) => topics[0] === topic).map(({ logIndex }) => Number(logIndex));
}

/** The place of the first transfer of a transaction in its block. */
async function firstLogOf(txHash: string): Promise<number> {
  return (await transferLogsOf(txHash))[0] ?? -1;
}

/** Reports the payout of a plan by a transaction, or by one transfer of it. */
function paid(plan: PaymentPlan, told: object, client: PaymentsClient = payments): Promise<PlanAnswer> {
  return client.report(plan, 'CUSTODIAN_PAYOUT', { outcome: 'DONE', ...told });
}

/** Asserts that a report is refused with this sentence and changes nothing. */
async function refused(plan: PaymentPlan, told: object, detail: RegExp, client = payments as PaymentsClient) {
  const textBefore = await client.textOf(plan.planId);
  assertProblem(await paid(plan, told, client), 409, 'evidence-mismatch', detail);
  assert.equal(await client.textOf(plan.planId), textBefore);
}

/** Asserts that a plan is completed by one transfer: its place in the transaction, its amount and how far it is verified. */
function assertPaid(
  { status, text, body }: PlanAnswer,
  expected: { amount: bigint; verification: string },
): number {
  assert.equal(status, 200, text);
  const { evidence, paidAmount, verification } = stepOf(body, 'CUSTODIAN_PAYOUT');
  assert.deepEqual(
    [body.status, paidAmount, verification, evidence?.transfers.length],
    ['COMPLETED', String(expected.amount), expected.verification, 1],
  );
  return evidence?.transfers[0]?.logIndex ?? -1;
}

test('a small plan of a stranger does not take the payout of another organisation', async () => {
  const wallet = freshAddress();
  const mine = await due(wallet);
  const small = await due(wallet, 1_000_000n, stranger);
  const txHash = await custodianPays([wallet, AMOUNT]);
  await refused(small, { txHash }, /pays the recipient 40000000 in one transfer, 1000000 is due/, stranger);
  const logIndex = await firstLogOf(txHash);
  // Once the service has found the payout by itself, the transfer is taken.
  const others = /another plan may owe the same wallet|settles another step already/;
  await refused(small, { txHash, logIndex }, others, stranger);
  assert.equal(
    assertPaid(await paid(mine, { txHash }), { amount: AMOUNT, verification: 'VERIFIED' }),
    logIndex,
  );
  // Nobody else waits for money at that wallet now, but the transfer has paid a plan.
  await refused(small, { txHash, logIndex }, /settles another step already/, stranger);
});

test('a larger plan of a stranger takes no payout of another organisation as a part', async () => {
  const wallet = freshAddress();
  const mine = await due(wallet);
  const large = await due(wallet, 4n * AMOUNT, stranger);
  const txHash = await custodianPays([wallet, AMOUNT]);
  const logIndex = await firstLogOf(txHash);
  const reason = /another plan may owe the same wallet this much|settles another step already/;
  await refused(large, { txHash, logIndex }, reason, stranger);
  assertPaid(await paid(mine, { txHash }), { amount: AMOUNT, verification: 'VERIFIED' });
  await refused(large, { txHash, logIndex }, /settles another step already/, stranger);
});

test('a small plan of a stranger does not take the refund of another organisation', async () => {
  const payer = await payments.freshWallet();
  const depositAddress = freshAddress();
  const mine = await payments.plan({ options: { mode: 'STANDARD', depositAddress } });
  const paidIn = BigInt(mine.amountIn) + AMOUNT;
  await payments.give(payer.address, 'USDC', paidIn);
  await payer.transfer(payments.token('USDC'), depositAddress, paidIn);
  await payments.until(
    mine,
    'too much has come',
    (now) => now.funds[0]?.unallocated[0]?.amount === String(AMOUNT),
  );
  const small = await due(payer.address, 1_000_000n, stranger);
  const txHash = await custodianPays([payer.address, AMOUNT]);
  const logIndex = await firstLogOf(txHash);
  await refused(small, { txHash, logIndex }, /another plan may owe the same wallet this much/, stranger);
  const asset = { chainId: payments.sandbox.chainId, address: payments.token('USDC') };
  const refund = { amount: String(AMOUNT), asset, txHash, logIndex };
  const back = await payments.ask(`/v1/payments/${mine.planId}/refunds`, refund);
  assert.equal(back.status, 200, back.text);
});

test('the refund of a plan that is still open completes no plan of a stranger', async () => {
  const payer = await payments.freshWallet();
  const depositAddress = freshAddress();
  const wallet = { type: 'wallet', chainId: payments.sandbox.chainId, address: freshAddress() };
  const options = { mode: 'STANDARD', depositAddress };
  const asked = { corridorId: CORRIDOR, amountIn: String(AMOUNT), recipient: wallet, options };
  const mine = await payments.plan(asked);
  await payments.give(payer.address, 'USDC', AMOUNT);
  await payer.transfer(payments.token('USDC'), depositAddress, AMOUNT);
  await payments.until(mine, 'the deposit has come', ({ steps }) => steps[0]?.status === 'DONE');
  const small = await due(payer.address, AMOUNT, stranger);
  const later = freshAddress();
  const other = await due(later, AMOUNT, stranger);
  const txHash = await custodianPays([payer.address, AMOUNT]);
  await custodianPays([later, AMOUNT]);
  // Payments are found in their order, so the refund has been looked at by then.
  await stranger.until(other, 'a later payment is found', ({ status }) => status === 'COMPLETED');
  const asset = { chainId: payments.sandbox.chainId, address: payments.token('USDC') };
  const back = await payments.ask(`/v1/payments/${mine.planId}/refunds`, {
    ...{ amount: String(AMOUNT), asset, txHash },
  });
  assert.equal(back.status, 200, back.text);
  assert.notEqual((await stranger.get(small.planId)).status, 'COMPLETED');
});

test('another organisation’s payout is no proven refund of a plan that its recipient paid into', async () => {
  const recipient = await payments.freshWallet();
  const depositAddress = freshAddress();
  const options = { mode: 'STANDARD', depositAddress };
  const small = await stranger.plan({ amountIn: '1000000', options });
  const paidIn = 1_000_000n + AMOUNT;
  await payments.give(recipient.address, 'USDC', paidIn);
  await recipient.transfer(payments.token('USDC'), depositAddress, paidIn);
  await stranger.until(
    small,
    'too much has come',
    (now) => now.funds[0]?.unallocated[0]?.amount === String(AMOUNT),
  );
  const mine = await due(recipient.address);
  const txHash = await custodianPays([recipient.address, AMOUNT]);
  const asset = { chainId: payments.sandbox.chainId, address: payments.token('USDC') };
  const refund = { amount: String(AMOUNT), asset, txHash };
  const back = await stranger.ask(`/v1/payments/${small.planId}/refunds`, refund);
  assert.equal(back.status, 200, back.text);
  const { json } = await stranger.ask(`/v1/payments/${small.planId}/movements`);
  const { data } = json as { data: { kind: string; verification: string }[] };
  const told = data.filter(({ kind }) => kind === 'REFUND').map(({ verification }) => verification);
  assert.deepEqual(told, ['REPORTED']);
  // A stranger's report takes nothing from the plan whose payout it is. The service takes the transfer by itself only
  // after the refund was reported: until then two plans may owe the wallet the same amount.
  assertPaid(await paid(mine, { txHash }), { amount: AMOUNT, verification: 'VERIFIED' });
});

test('a transfer from before the swap completes no plan', async () => {
  const wallet = freshAddress();
  // The custodian pays the same wallet for something else, after the plan was made and before its swap.
  await due(freshAddress());
  const plan = await plannedTo(wallet);
  const txHash = await custodianPays([wallet, AMOUNT]);
  const paying = await swapped(plan);
  await refused(paying, { txHash }, /is in block \d+, before the swap in block \d+/);
  const payout = await custodianPays([wallet, AMOUNT]);
  assertPaid(await paid(paying, { txHash: payout }), { amount: AMOUNT, verification: 'VERIFIED' });
});

test('a payment to a wallet is what the chain shows, and no report corrects it or takes it back', async () => {
  const wallet = freshAddress();
  const plan = await due(wallet);
  const txHash = await custodianPays([wallet, AMOUNT]);
  assertPaid(await paid(plan, { txHash }), { amount: AMOUNT, verification: 'VERIFIED' });
  const textBefore = await payments.textOf(plan.planId);
  const { data } = (await payments.ask(`/v1/payments/${plan.planId}/movements`)).json as MovementList;
  const corrects = data.find(({ kind }) => kind === 'PAYOUT')?.movementId;
  for (const told of [{ amount: '0' }, { amount: '39000000' }, { txHash }])
    assertProblem(
      await paid(plan, { ...told, corrects }),
      400,
      'validation-failed',
      /corrects says nothing|2 invalid fields/,
    );
  assert.equal(await payments.textOf(plan.planId), textBefore);
});

test('two transfers of one transaction settle two plans, one each, and no third', async () => {
  const wallet = freshAddress();
  const [first, second] = [await due(wallet), await due(wallet)];
  const third = await due(wallet, AMOUNT, stranger);
  const txHash = await custodianPays([wallet, AMOUNT], [freshAddress(), 5n], [wallet, AMOUNT]);
  const expected = { amount: AMOUNT, verification: 'VERIFIED' };
  const one = assertPaid(await paid(first, { txHash }), expected);
  const two = assertPaid(await paid(second, { txHash }), expected);
  assert.equal(two - one, 2, 'the first and the third transfer of the batch');
  await refused(third, { txHash }, /settles another step already/, stranger);

  // The same report again is known; one that names the other plan's transfer is not the same.
  for (const told of [{ txHash }, { txHash, logIndex: one }]) {
    const textBefore = await payments.textOf(first.planId);
    const again = await paid(first, told);
    assert.deepEqual([again.status, again.text], [200, textBefore]);
  }
  await refused(first, { txHash, logIndex: two }, /settles another step already/);
});

test('a stranger’s second payment takes no payout of another organisation', async () => {
  const wallet = freshAddress();
  const small = await due(wallet, 1_000_000n, stranger);
  assertPaid(await paid(small, { txHash: await custodianPays([wallet, 1_000_000n]) }, stranger), {
    amount: 1_000_000n,
    verification: 'VERIFIED',
  });
  await payments.service.rpc('anvil_mine', ['0x3']);
  await payments.service.recordAtHead();
  const mine = await due(wallet);
  // No plan takes a transfer by itself that pays more than is due.
  await payments.give(await payments.settlementAddress(CORRIDOR), 'USDC', 7n);
  const txHash = await custodianPays([wallet, AMOUNT + 7n]);
  await payments.service.rpc('anvil_mine', ['0x3']);
  await payments.service.recordAtHead();
  const told = { txHash, logIndex: await firstLogOf(txHash) };
  const taken = await paid(small, told, stranger);
  assert.equal(taken.status, 200, taken.text);
  const { json } = await stranger.ask(`/v1/payments/${small.planId}/movements`);
  assert.equal((json as MovementList).data.at(-1)?.verification, 'REPORTED');
  assertPaid(await paid(mine, told), { amount: AMOUNT + 7n, verification: 'VERIFIED' });
});

test('a report may name the transfer of a batch that is meant', async () => {
  const wallet = freshAddress();
  const plan = await due(wallet);
  await due(freshAddress());
  // Neither amount is exactly what is due: the service would have taken such a transfer by itself.
  const txHash = await custodianPays([wallet, AMOUNT + 1n], [wallet, AMOUNT + 3n]);
  await refused(plan, { txHash, logIndex: 900 }, /The log 900 of the transaction 0x[0-9a-f]+ is no transfer/);
  assertProblem(await paid(plan, { logIndex: 1 }), 400, 'validation-failed');
  assertProblem(await paid(plan, { txHash, logIndex: -1 }), 400, 'validation-failed');
  const [, logIndex] = await transferLogsOf(txHash);
  const last = await paid(plan, { txHash, logIndex });
  assertPaid(last, { amount: AMOUNT + 3n, verification: 'VERIFIED' });
});

test('a wallet that is paid less than is due is paid the rest, and never the whole once more', async () => {
  const wallet = freshAddress();
  const plan = await due(wallet);
  const part = AMOUNT - 5_000_000n;
  const txHash = await custodianPays([wallet, part]);
  const told = { outcome: 'DONE', txHash };
  const short = (await payments.report(plan, 'CUSTODIAN_PAYOUT', told)).body;
  assert.deepEqual(
    [short.status, statusesOf(short), short.next?.why],
    ['ACTION_REQUIRED', 'DONE DONE READY', 'PAYMENT_UNCLEAR'],
  );
  assert.match(short.next?.detail ?? '', /paid 35 USDC .* of 40 USDC .* pay the rest, 5 USDC/);
  const { amount } = stepOf(short, 'CUSTODIAN_PAYOUT').custodianAction ?? assert.fail();
  const { pay } = short.next ?? assert.fail();
  assert.deepEqual([amount, pay?.amount, pay?.target.currency], ['5000000', '5000000', 'USDC']);
  assert.deepEqual([pay?.to?.toLowerCase(), pay?.endToEndId], [wallet.toLowerCase(), short.endToEndId]);
  const textBefore = await payments.textOf(plan.planId);
  const again = await paid(plan, { txHash });
  assert.deepEqual([again.status, await payments.textOf(plan.planId)], [200, textBefore], again.text);
  const done = (await payments.simulate(short, 'CUSTODIAN_PAYOUT', 'payout.done')).body;
  assert.equal(done.status, 'COMPLETED');
  const { paidOut, outstanding } = done.funds.at(-1) ?? assert.fail();
  assert.deepEqual([paidOut, outstanding], [String(AMOUNT), '0']);
  assert.equal(stepOf(done, 'CUSTODIAN_PAYOUT').paidAmount, String(AMOUNT));
});

/** The payments of a plan as its movements have them, also those that were taken back. */
async function paymentsOf({ planId }: PaymentPlan): Promise<readonly string[]> {
  const { data } = (await payments.ask(`/v1/payments/${planId}/movements`)).json as MovementList;
  return data
    .filter(({ kind }) => kind === 'PAYOUT')
    .map(({ actual, reverses }) => `${reverses === undefined ? '' : 'less '}${actual}`);
}

test('parts by one transaction, each told by its logIndex and told again, are all that was due', async () => {
  const wallet = freshAddress();
  const plan = await due(wallet);
  const parts = [24_000_000n, 12_000_000n, 4_000_000n];
  const txHash = await custodianPays(...parts.map((units) => [wallet, units] as const));
  const logIndexes = await transferLogsOf(txHash);
  const left = ['16000000', '4000000', '0'];
  for (const [index, logIndex] of logIndexes.entries()) {
    const { status, text, body } = await paid(plan, { txHash, logIndex });
    assert.equal(status, 200, text);
    assert.equal(body.funds.at(-1)?.outstanding, left[index]);
    // The last part is exactly what is left after the second one. The service may find it by itself meanwhile.
    if (index === 1) continue;
    const textBefore = await payments.textOf(plan.planId);
    const known = logIndexes.slice(0, index + 1).map((each) => ({ txHash, logIndex: each }));
    for (const told of [{ txHash }, ...known]) assert.equal((await paid(plan, told)).text, textBefore);
  }
  await payments.service.rpc('anvil_mine', ['0x3']);
  await payments.service.recordAtHead();
  const done = await payments.get(plan.planId);
  const { paidOut, unallocated } = done.funds.at(-1) ?? assert.fail();
  assert.deepEqual([done.status, paidOut, unallocated], ['COMPLETED', String(AMOUNT), []]);
  assert.deepEqual(await paymentsOf(plan), parts.map(String));
});

test('a part that is told again takes no other transfer of its transaction', async () => {
  const wallet = freshAddress();
  const plan = await due(wallet);
  await payments.give(await payments.settlementAddress(CORRIDOR), 'USDC', 2_000_000n);
  const txHash = await custodianPays([wallet, 24_000_000n], [wallet, 2_000_000n]);
  const short = (await paid(plan, { txHash })).body;
  for (const told of [{ txHash }, { txHash }, { txHash, amount: '24000000' }])
    assert.deepEqual((await paid(plan, told)).body, short);
  await payments.service.rpc('anvil_mine', ['0x3']);
  await payments.service.recordAtHead();
  assert.deepEqual(await payments.get(plan.planId), short);
  await refused(plan, { txHash, amount: '2000000' }, /paid 24 USDC on .* not 2 USDC on .* by logIndex/);

  await custodianPays([wallet, 16_000_000n]);
  const done = await payments.until(plan, 'the rest is found', ({ status }) => status === 'COMPLETED');
  assert.deepEqual((await paid(plan, { txHash })).body, done);
  assert.deepEqual(await paymentsOf(plan), ['24000000', '16000000']);
  const [, other] = await transferLogsOf(txHash);
  const above = (await paid(plan, { txHash, logIndex: other })).body.funds.at(-1)?.unallocated;
  assert.deepEqual(
    above?.map(({ reason, amount }) => [reason, amount]),
    [['PAID_ABOVE_DUE', '2000000']],
  );
});

test('a part is not taken from a plan that pays the same wallet, unless the report names it', async () => {
  const wallet = freshAddress();
  const [small, large] = [await due(wallet), await due(wallet, 2n * AMOUNT)];
  const txHash = await custodianPays([wallet, AMOUNT - 1n], [wallet, AMOUNT - 3n]);
  await refused(
    large,
    { txHash },
    /something else is due to the same wallet, .* Name the transfer by logIndex/,
  );
  await refused(small, { txHash }, /something else is due to the same wallet/);
});

test('one transfer for two plans is recorded on one after the other was ended', async () => {
  const wallet = freshAddress();
  const [first, second] = [await due(wallet), await due(wallet)];
  const txHash = await custodianPays([wallet, 2n * AMOUNT]);
  const told = { txHash, logIndex: await firstLogOf(txHash) };
  await refused(first, told, /end the others as SETTLED_ELSEWHERE first; then name the transfer/);
  const closed = await payments.end(second, { reason: 'SETTLED_ELSEWHERE' });
  assert.equal(closed.status, 200, closed.text);
  const { body } = await paid(first, told);
  const { paidAmount, verification } = stepOf(body, 'CUSTODIAN_PAYOUT');
  assert.deepEqual([paidAmount, verification], [String(2n * AMOUNT), 'VERIFIED']);
});

test('what is not the custodian’s is REPORTED, and other organisations can still use it', async () => {
  const wallet = freshAddress();
  const payer = await payments.freshWallet();
  const [mine, mySecond] = [await due(wallet), await due(wallet)];
  const theirs = await due(wallet, AMOUNT, stranger);
  await payments.give(payer.address, 'USDC', AMOUNT);
  const { hash: txHash } = await payer.transfer(payments.token('USDC'), wallet, AMOUNT);
  const expected = { amount: AMOUNT, verification: 'REPORTED' };
  assertPaid(await paid(theirs, { txHash }, stranger), expected);
  const answer = await paid(mine, { txHash });
  assertPaid(answer, expected);
  assert.equal(stepOf(answer.body, 'CUSTODIAN_PAYOUT').evidence?.transfers[0]?.from, payer.address);
  await refused(mySecond, { txHash }, /settles another step already/);
});

test('what an account sends to itself, and a transfer of nothing, is neither deposit nor payout', async () => {
  const token = payments.token('USDC');
  const wallet = await payments.freshWallet();
  await payments.give(wallet.address, 'USDC', AMOUNT);
  await payments.service.recordAtHead();
  const options = { mode: 'STANDARD', depositAddress: wallet.address };
  const watched = await payments.plan({ amountIn: String(AMOUNT), options });
  const itself = await wallet.transfer(token, wallet.address, AMOUNT);
  const nothing = await (await payments.freshWallet()).transfer(token, wallet.address, 0n);
  for (const { hash } of [itself, nothing])
    assertProblem(
      await payments.report(watched, 'AWAIT_DEPOSIT', { outcome: 'DONE', txHash: hash }),
      409,
      'evidence-mismatch',
      /brought nothing to the deposit address/,
    );
  assert.equal(stepOf(await payments.get(watched.planId), 'AWAIT_DEPOSIT').deposit?.received, '0');

  assert.equal((await payments.end(watched)).status, 200);
  const named = await payments.plan({
    amountIn: String(AMOUNT),
    options: { mode: 'STANDARD', sender: wallet.address },
  });
  const again = await wallet.transfer(token, wallet.address, AMOUNT);
  const unnamed = await payments.plan({ amountIn: String(AMOUNT) });
  const last = await wallet.transfer(token, wallet.address, AMOUNT);
  for (const [plan, { hash }, detail] of [
    [named, again, /brings none of the source token/],
    [unnamed, last, /moves 0 USDC on /],
  ] as const)
    assertProblem(
      await payments.report(plan, 'AWAIT_DEPOSIT', { outcome: 'DONE', txHash: hash }),
      409,
      'evidence-mismatch',
      detail,
    );

  const paying = await due(wallet.address);
  const own = await wallet.transfer(token, wallet.address, AMOUNT);
  await refused(paying, { txHash: own.hash }, /pays the recipient nothing/);
});
