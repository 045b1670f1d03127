// Payouts to a wallet that no plan counts: a second payment is found by the audit of ledgers.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { StrayTransfer } from '@fairway/store';
import type { PaymentPlan } from '@fairway/wire';
import { encodeFunctionData, erc20Abi } from 'viem';
import { auditLedger } from '../../src/cli/auditLedger.ts';
import { freshAddress, type PaymentsTest, startPaymentsTest, stepOf } from '../paymentsHarness.ts';

const data = mkdtempSync(join(tmpdir(), 'fairway-stray-'));
let payments: PaymentsTest;
before(async () => {
  payments = await startPaymentsTest(undefined, ['--data', data]);
});
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
  return (JSON.parse(await auditLedger(data, true)) as { stray: readonly StrayTransfer[] }).stray;
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
  // Whatever comes after it is recorded after it.
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
    await auditLedger(data, false),
    new RegExp(`${second} log \\d+ .* to the wallet of ${plan.planId}`),
  );
});
