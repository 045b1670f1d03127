// Transfers of the custodian to a wallet that no plan takes by itself: a second payment, and a transfer that may be a
// refund.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { StrayTransfer } from '@fairway/store';
import type { PaymentPlan } from '@fairway/wire';
import { encodeFunctionData, erc20Abi } from 'viem';
import { auditLedger } from '../../src/cli/auditLedger.ts';
import type { KeyWallet } from '../keyWallet.ts';
import { assertProblem, freshAddress, startPaymentsTest, statusesOf, stepOf } from '../paymentsHarness.ts';
import { testTerminal } from '../commandHarness.ts';

const data = mkdtempSync(join(tmpdir(), 'fairway-stray-'));
const payments = await startPaymentsTest(undefined, ['--data', data]);
after(async () => {
  await payments?.close();
  rmSync(data, { recursive: true });
});

const AMOUNT_IN = 60_000_000n;

/** A plan that pays a wallet, and whose swap is done. */
async function payable(address: string, amount = AMOUNT_IN): Promise<PaymentPlan> {
  const own = await payments.freshWallet();
  const recipient = { type: 'wallet', chainId: payments.sandbox.chainId, address };
  const options = { mode: 'STANDARD', depositAddress: own.address };
  const amountIn = String(amount);
  const made = await payments.plan({ amountIn, options, corridorId: 'usdc-wallet', recipient });
  await payments.give(own.address, 'USDC', amount);
  const ready = await payments.until(made, 'the swap is due', (now) => now.steps[1]?.status === 'READY');
  await own.execute(stepOf(ready, 'EXECUTE_SWAP').instructions ?? []);
  return payments.until(ready, 'the swap is found', (now) => now.steps[1]?.status === 'DONE');
}

function custodianPays(to: string, amount: bigint): Promise<string> {
  const args = [to as `0x${string}`, amount] as const;
  const call = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args });
  return payments.custodianSends('usdc-wallet', { to: payments.token('USDC'), data: call });
}

async function strays(): Promise<readonly StrayTransfer[]> {
  return (
    JSON.parse(await auditLedger(data, testTerminal().terminal, true)) as { stray: readonly StrayTransfer[] }
  ).stray;
}

test('a second payment of the custodian to the wallet of a plan is listed with its plan', async () => {
  const [address, custodian] = [freshAddress(), await payments.settlementAddress('usdc-wallet')];
  const plan = await payable(address);
  await payments.give(custodian, 'USDC', 2n * AMOUNT_IN);
  const first = await custodianPays(address, AMOUNT_IN);
  const paid = await payments.until(plan, 'it is paid', ({ status }) => status === 'COMPLETED');
  assert.equal(stepOf(paid, 'CUSTODIAN_PAYOUT').evidence?.txHash, first);
  assert.deepEqual(await strays(), []);
  const second = await custodianPays(address, AMOUNT_IN);
  // Blocks are recorded in their order: when this new plan is ready, everything before it is recorded.
  await payable(freshAddress());
  const [stray, ...more] = await strays();
  assert.deepEqual(more, []);
  assert.equal(stray?.kind, 'PAYOUT');
  assert.deepEqual([stray.txHash, stray.amount, stray.plans], [second, String(AMOUNT_IN), [plan.planId]]);
  assert.deepEqual(
    [stray.from, stray.to, stray.token],
    [custodian, address, payments.token('USDC')].map((each) => each.toLowerCase()),
  );
  assert.match(
    await auditLedger(data, testTerminal().terminal, false),
    new RegExp(`${second} log \\d+ .* to the wallet of ${plan.planId}`),
  );

  await payments.service.rpc('anvil_mine', ['0x3']);
  const told = { outcome: 'DONE', txHash: second };
  const other = await payable(address, 2n * AMOUNT_IN);
  assertProblem(
    await payments.report(paid, 'CUSTODIAN_PAYOUT', told),
    409,
    'evidence-mismatch',
    /that another plan owes to the same wallet/,
  );
  await payments.simulate(other, 'CUSTODIAN_PAYOUT', 'payout.done');
  const twice = await payments.report(paid, 'CUSTODIAN_PAYOUT', told);
  assert.equal(twice.status, 200, twice.text);
  const [funds] = twice.body.funds;
  assert.deepEqual(
    funds?.unallocated.map(({ reason, amount, direction }) => [reason, amount, direction]),
    [['PAID_ABOVE_DUE', String(AMOUNT_IN), 'OUT']],
  );
  assert.deepEqual(
    [twice.body.status, twice.body.steps, twice.body.next?.why],
    ['COMPLETED', paid.steps, 'MONEY_UNEXPLAINED'],
  );
  assert.equal((await payments.report(paid, 'CUSTODIAN_PAYOUT', told)).text, twice.text, 'it is known');
  assert.deepEqual(await strays(), []);
});

/** A plan whose payer has paid a second time after the swap, so that the custodian is to send that back. */
async function paidTwice(payer: KeyWallet): Promise<PaymentPlan> {
  const own = await payments.freshWallet();
  const recipient = { type: 'wallet', chainId: payments.sandbox.chainId, address: freshAddress() };
  const options = { mode: 'STANDARD', depositAddress: own.address };
  const amountIn = String(AMOUNT_IN);
  const made = await payments.plan({ amountIn, options, corridorId: 'usdc-wallet', recipient });
  await payments.give(payer.address, 'USDC', 2n * AMOUNT_IN);
  await payer.transfer(payments.token('USDC'), own.address, AMOUNT_IN);
  const ready = await payments.until(made, 'the swap is due', (now) => now.steps[1]?.status === 'READY');
  await own.execute(stepOf(ready, 'EXECUTE_SWAP').instructions ?? []);
  await payments.until(ready, 'the swap is found', (now) => now.steps[1]?.status === 'DONE');
  await payer.transfer(payments.token('USDC'), own.address, AMOUNT_IN);
  return payments.until(made, 'the late deposit is found', ({ funds }) => funds[0]?.unallocated.length === 1);
}

test('what may be the refund of a plan to the same wallet is taken as no payout by itself', async () => {
  const payer = await payments.freshWallet();
  const refunded = await paidTwice(payer);
  const due = await payable(payer.address);
  const back = await custodianPays(payer.address, AMOUNT_IN);
  // Blocks are recorded in their order: when this new plan is ready, everything before it is recorded.
  await payable(freshAddress());
  assert.equal(statusesOf(await payments.get(due.planId)), 'DONE DONE READY');
  const asset = { chainId: payments.sandbox.chainId, address: payments.token('USDC') };
  const told = { amount: String(AMOUNT_IN), asset, txHash: back };
  const { status, text } = await payments.ask(`/v1/payments/${refunded.planId}/refunds`, told);
  assert.equal(status, 200, text);
  assert.equal(statusesOf(await payments.get(due.planId)), 'DONE DONE READY');
  // The custodian sent back what the swap had brought. The late deposit can still go back until the integrator ends
  // the plan, who knows of it then.
  const closed = await payments.end(refunded, { reason: 'OTHER' });
  assert.equal(closed.status, 200, closed.text);
  const paid = await custodianPays(payer.address, AMOUNT_IN);
  const now = await payments.until(due, 'it is paid', ({ status: is }) => is === 'COMPLETED');
  assert.equal(stepOf(now, 'CUSTODIAN_PAYOUT').evidence?.txHash, paid);
});
