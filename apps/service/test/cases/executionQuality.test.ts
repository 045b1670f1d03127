// Others trade between a quote and its execution, in the blocks before and in the same block. The report splits the difference into
// these two parts, to the smallest unit. The router itself measures what the market offered, at the block before.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { PaymentPlan } from '@fairway/wire';
import { encodeFunctionData, erc20Abi } from 'viem';
import { type Call, type KeyWallet, receiptOf } from '../keyWallet.ts';
import { postOf } from '../harness.ts';
import { startPaymentsTest, statusesOf, stepOf } from '../paymentsHarness.ts';
import { csvRows, type FileRow, reportsOn } from '../reportsHarness.ts';

const payments = await startPaymentsTest();
after(() => payments.close());

const AMOUNT_IN = 900_000_000n;

/** A plan whose swap may be executed by a wallet that has the deposit and has approved the router. */
async function readyPlan(): Promise<{ plan: PaymentPlan; wallet: KeyWallet; call: Call }> {
  const wallet = await payments.freshWallet();
  const options = { mode: 'STANDARD', depositAddress: wallet.address, slippageBps: 500 };
  const made = await payments.plan({ amountIn: String(AMOUNT_IN), options });
  await payments.give(wallet.address, 'USDC', AMOUNT_IN);
  const plan = await payments.until(made, 'the deposit is seen', (now) => now.steps[1]?.status === 'READY');
  const call = stepOf(plan, 'EXECUTE_SWAP').instructions?.at(-1) ?? assert.fail();
  await wallet.approve(payments.token('USDC'), call.to, AMOUNT_IN);
  return { plan, wallet, call };
}

/** What a call of the plan would bring to the custodian at a block, as the node executes it on that block's state. */
async function broughtAt(blockNumber: number, wallet: KeyWallet, call: Call): Promise<bigint> {
  const custodian = await payments.settlementAddress('usdc-aud-bank');
  const args = [custodian as `0x${string}`] as const;
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args });
  const balance = { from: wallet.address, to: payments.token('tAUD'), data };
  const swap = { from: wallet.address, to: call.to, data: call.data };
  const asked = { blockStateCalls: [{ calls: [balance, swap, balance] }] };
  type Block = { readonly calls: readonly { readonly status: string; readonly returnData: string }[] };
  const [block] = await payments.service.rpc<Block[]>('eth_simulateV1', [asked, hex(blockNumber)]);
  const [held, swapped, holds] = block?.calls ?? [];
  assert.equal(swapped?.status, '0x1');
  return BigInt(holds?.returnData ?? '') - BigInt(held?.returnData ?? '');
}

function hex(number: number): string {
  return `0x${number.toString(16)}`;
}

/** The rows of this plan in a report of all executions until now. */
async function rowsOf({ planId }: PaymentPlan): Promise<readonly FileRow[]> {
  await payments.advance('PT1M');
  const { now } = (await payments.service.request('/v1/sandbox/clock', postOf({ advance: 'PT10S' })))
    .body as {
    now: string;
  };
  const to = new Date(Date.parse(now) - 8_000).toISOString();
  const asked = { type: 'execution-quality', from: '2020-01-01T00:00:00Z', to };
  const { file } = await reportsOn(payments).report(asked);
  return csvRows(file).filter((row) => row.planId === planId);
}

/** A wallet that is ready to sell an amount of a token for tAUD, and its swap. */
async function seller(amount: bigint): Promise<{ wallet: KeyWallet; call: Call }> {
  const wallet = await payments.freshWallet();
  await payments.give(wallet.address, 'USDC', amount);
  await payments.service.recordAtHead();
  const swap = {
    ...{
      chainId: payments.sandbox.chainId,
      tokenIn: payments.token('USDC'),
      tokenOut: payments.token('tAUD'),
    },
    ...{ tradeType: 'EXACT_IN', amount: String(amount), slippageBps: 2_000, sender: wallet.address },
  };
  const { status, body } = await payments.service.request('/v1/swap', postOf(swap));
  assert.equal(status, 200, JSON.stringify(body));
  const { instructions } = body as { instructions: Call[] };
  const call = instructions.at(-1) ?? assert.fail();
  for (const each of instructions.slice(0, -1)) await wallet.execute([each]);
  return { wallet, call };
}

/** Mines these transactions in one block, in this order. */
async function mineTogether(...sent: readonly [KeyWallet, Call][]): Promise<readonly string[]> {
  const { rpc } = payments.service;
  await rpc('evm_setAutomine', [false]);
  try {
    const hashes: string[] = [];
    for (const [index, [wallet, call]] of sent.entries())
      hashes.push((await wallet.send(call, { feeWei: 10n ** 11n / BigInt(index + 1) })).hash);
    await rpc('anvil_mine', ['0x1']);
    return hashes;
  } finally {
    await rpc('evm_setAutomine', [true]);
  }
}

test('the difference is split into what the market moved and what came in the same block', async () => {
  const { plan, wallet, call } = await readyPlan();
  const expected = BigInt(plan.quote?.amountOut ?? '');
  await payments.trade('USDC', 'tAUD', 40_000_000_000n);
  const other = await seller(20_000_000_000n);
  const [first, txHash = ''] = await mineTogether([other.wallet, other.call], [wallet, call]);
  const receipts = [
    await receiptOf(payments.service.rpc, first ?? ''),
    await receiptOf(payments.service.rpc, txHash),
  ];
  assert.deepEqual(
    receipts.map(({ status, blockNumber }) => [status, blockNumber]),
    receipts.map(() => ['0x1', receipts[0]?.blockNumber]),
  );
  const block = Number(receipts[0]?.blockNumber);
  const market = await broughtAt(block - 1, wallet, call);
  const done = await payments.report(plan, 'EXECUTE_SWAP', { outcome: 'DONE', txHash });
  assert.equal(statusesOf(done.body), 'DONE DONE READY', done.text);
  const received = BigInt(stepOf(done.body, 'EXECUTE_SWAP').evidence?.amount ?? '');
  assert.ok(expected > market && market > received, `${expected} ${market} ${received}`);

  const [row, ...others] = await rowsOf(plan);
  assert.ok(row !== undefined && others.length === 0);
  const bps = (difference: bigint) => String((difference * 10_000n) / expected);
  assert.deepEqual(
    [row.expectedAmount, row.marketAmount, row.receivedAmount, row.settledBlock],
    [String(expected), String(market), String(received), String(block)],
  );
  assert.equal(
    row.marketAmountDecimal,
    `${market / 1_000_000n}.${String(market % 1_000_000n).padStart(6, '0')}`,
  );
  assert.deepEqual(
    [row.differenceBps, row.marketMovedBps, row.restBps],
    [bps(received - expected), bps(market - expected), bps(received - market)],
  );
});

test('an execution that is found, and mined again elsewhere, has the market of each block', async () => {
  const { plan, wallet, call } = await readyPlan();
  const swap = await wallet.execute([call]);
  const found = await payments.until(
    plan,
    'the swap is found',
    (now) => statusesOf(now) === 'DONE DONE READY',
  );
  const { blockNumber } = await receiptOf(payments.service.rpc, swap.hash);
  const first = await broughtAt(Number(blockNumber) - 1, wallet, call);
  assert.equal(
    stepOf(found, 'EXECUTE_SWAP').evidence?.amount,
    String(first),
    'nobody else traded in its block',
  );

  await payments.service.rpc('anvil_reorg', [1, []]);
  await payments.until(plan, 'the swap is taken back', (now) => now.steps[1]?.status === 'READY');
  await payments.trade('USDC', 'tAUD', 15_000_000_000n);
  await payments.service.rpc('eth_sendRawTransaction', [swap.raw]);
  await payments.until(plan, 'it is found again', (now) => statusesOf(now) === 'DONE DONE READY');
  const again = await receiptOf(payments.service.rpc, swap.hash);
  const second = await broughtAt(Number(again.blockNumber) - 1, wallet, call);
  assert.ok(second < first);
  const rows = await rowsOf(plan);
  assert.deepEqual(
    rows.map(({ status, marketAmount, restBps }) => [status, marketAmount, restBps]),
    [
      ['RECORDED', String(first), '0'],
      ['REVERSAL', String(-first), ''],
      ['RECORDED', String(second), '0'],
    ],
  );
  const sum = (column: 'marketAmount' | 'gasUsed') =>
    rows.reduce((total, row) => total + BigInt(row[column] ?? ''), 0n);
  assert.equal(sum('marketAmount'), second);
  assert.equal(sum('gasUsed'), BigInt((again as unknown as { gasUsed: string }).gasUsed));
});
