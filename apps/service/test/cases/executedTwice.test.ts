// By mistake, a contract wallet makes the call of the instructions twice in one transaction. The first call is the swap, and each
// further one is a second execution. The plan pays out what the first brought.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { encodeFunctionData, erc20Abi, multicall3Abi } from 'viem';
import { auditLedger } from '../../src/cli/auditLedger.ts';
import type { KeyWallet, Sent } from '../keyWallet.ts';
import { freshAddress, startPaymentsTest, statusesOf, stepOf, type WholePlan } from '../paymentsHarness.ts';
import { testTerminal } from '../commandHarness.ts';

const data = mkdtempSync(join(tmpdir(), 'fairway-twice-'));
const payments = await startPaymentsTest(undefined, ['--data', data]);
after(async () => {
  await payments?.close();
  rmSync(data, { recursive: true });
});

const AMOUNT_IN = 60_000_000n;
/** Multicall3 has this address on every chain. It makes the calls that it is given from its own account. */
const MULTICALL3 = '0xcA11bde05977b3631167028862bE2a173976CA11';

type Ready = { readonly plan: WholePlan; readonly wallet: KeyWallet };

/** A plan whose deposit has come to its wallet. */
async function readyPlan(corridorId: string): Promise<Ready> {
  const wallet = await payments.freshWallet();
  const options = { mode: 'STANDARD', depositAddress: wallet.address };
  const chainId = payments.sandbox.chainId;
  const recipient = { type: 'wallet', chainId, address: freshAddress() };
  const fields = corridorId === 'usdc-wallet' ? { recipient } : {};
  const made = await payments.plan({ amountIn: String(AMOUNT_IN), corridorId, options, ...fields });
  await payments.give(wallet.address, 'USDC', AMOUNT_IN);
  const plan = await payments.until(made, 'the deposit is seen', (now) => now.steps[1]?.status === 'READY');
  return { plan, wallet };
}

function callOf(plan: WholePlan) {
  return stepOf(plan, 'EXECUTE_SWAP').instructions?.at(-1) ?? assert.fail();
}

/** A transaction that makes the call of a plan twice. */
async function executedTwice({ plan, wallet }: Ready): Promise<Sent> {
  const { to, data: callData } = callOf(plan);
  const token = payments.token('USDC') as `0x${string}`;
  await payments.give(MULTICALL3, 'USDC', 2n * AMOUNT_IN);
  const args = [to as `0x${string}`, 2n * AMOUNT_IN] as const;
  const approve = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args });
  const swap = [to as `0x${string}`, callData as `0x${string}`] as const;
  const calls = [[token, approve] as const, swap, swap].map(([target, call]) => ({
    ...{ target, allowFailure: false, callData: call },
  }));
  const batch = encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args: [calls] });
  return wallet.execute([{ to: MULTICALL3, data: batch, value: '0' }]);
}

/** The unallocated money of a plan in all its assets, in words. */
function unallocatedOf({ funds }: WholePlan): readonly string[] {
  return funds.flatMap(({ unallocated }) =>
    unallocated.map(({ direction, reason, amount }) => `${direction} ${reason} ${amount}`),
  );
}

/**
 * Asserts that a plan pays out what its swap brought, and lists further executions. Returns what each of them brought.
 */
function assertApart(plan: WholePlan, executions: number): readonly string[] {
  assert.equal(statusesOf(plan), 'DONE DONE READY');
  const { evidence } = stepOf(plan, 'EXECUTE_SWAP');
  const { custodianAction } = stepOf(plan, 'CUSTODIAN_PAYOUT');
  assert.equal(evidence?.transfers.length, 1);
  assert.deepEqual([custodianAction?.amount, plan.next?.pay?.amount], [evidence?.amount, evidence?.amount]);
  assert.equal(plan.funds.at(-1)?.outstanding, evidence?.amount);
  assert.equal(plan.funds[0]?.swapped.in, String(BigInt(executions + 1) * AMOUNT_IN));
  const words = unallocatedOf(plan);
  const spent = words.filter((word) => word === `OUT SECOND_EXECUTION ${AMOUNT_IN}`);
  const brought = words.filter((word) => word.startsWith('IN SECOND_EXECUTION'));
  assert.deepEqual([spent.length, brought.length, words.length], [executions, executions, 2 * executions]);
  return brought.map((word) => word.split(' ')[2] ?? '');
}

async function assertSound(): Promise<void> {
  const { faults } = JSON.parse(await auditLedger(data, testTerminal().terminal, true)) as {
    faults: readonly unknown[];
  };
  assert.deepEqual(faults, []);
}

test('what one transaction executes twice is paid out once, and the second refunded', async () => {
  for (const corridorId of ['usdc-aud-bank', 'usdc-wallet']) {
    const ready = await readyPlan(corridorId);
    const { hash, raw } = await executedTwice(ready);
    const found = await payments.until(ready.plan, 'it is found', ({ steps }) => steps[1]?.status === 'DONE');
    assertApart(found, 1);
    const textBefore = await payments.textOf(found.planId);
    const told = { outcome: 'DONE', txHash: hash };
    assert.equal((await payments.report(found, 'EXECUTE_SWAP', told)).text, textBefore, 'it is known');

    const { blockHash } = stepOf(found, 'EXECUTE_SWAP').evidence ?? assert.fail();
    await payments.service.rpc('anvil_reorg', [1, [[raw, 0]]]);
    const isMoved = (now: WholePlan) => stepOf(now, 'EXECUTE_SWAP').evidence?.blockHash !== blockHash;
    const moved = await payments.until(found, 'the new block is known', isMoved);
    const [amount = ''] = assertApart(moved, 1);
    await assertSound();

    const { asset } = moved.funds.at(-1) ?? assert.fail();
    const refund = { amount, asset, providerReference: `BACK-${moved.planId}` };
    const back = await payments.ask(`/v1/payments/${moved.planId}/refunds`, refund);
    assert.equal(back.status, 200, back.text);
    const paid = (await payments.simulate(moved, 'CUSTODIAN_PAYOUT', 'payout.done')).body;
    assert.equal(paid.status, 'COMPLETED');
    assert.deepEqual(unallocatedOf(paid), [`OUT SECOND_EXECUTION ${AMOUNT_IN}`]);
    await assertSound();
  }
});

test('a later transaction with two calls is two executions that nobody asked for', async () => {
  const ready = await readyPlan('usdc-wallet');
  await ready.wallet.execute([callOf(ready.plan)]);
  const own = await payments.until(ready.plan, 'it is found', ({ steps }) => steps[1]?.status === 'DONE');
  await executedTwice(ready);
  const twice = await payments.until(own, 'both are found', (now) => unallocatedOf(now).length > 0);
  assertApart(twice, 2);
  await assertSound();
  const { data: rows } = (await payments.ask(`/v1/payments/${own.planId}/movements`)).json as {
    data: readonly { kind: string; transfer?: { logIndex?: number } }[];
  };
  const places = rows
    .filter(({ kind }) => kind.startsWith('SWAP'))
    .map(({ kind, transfer }) => {
      return `${kind} ${transfer?.logIndex === undefined ? 'call' : 'log'}`;
    });
  const call = ['SWAP_IN call', 'SWAP_OUT log'];
  assert.deepEqual(places, [...call, ...call, 'SWAP_IN log', 'SWAP_OUT log']);
});
