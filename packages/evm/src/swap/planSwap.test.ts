import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Address, Amount, TradeType } from '@fairway/engine';
import {
  freshAddress,
  type PathRequest,
  quoteAlong,
  startSwapSandbox,
  type SwapSandbox,
} from '../../test/sandboxSwaps.ts';
import type { Instruction, SwapOrder, SwapPlanner } from '../types.ts';
import { createSwapPlanner } from './planSwap.ts';

let sandbox: SwapSandbox;
let planner: SwapPlanner;
const planSwap = async (order: SwapOrder) => planner(order, await sandbox.head());

before(async () => {
  sandbox = await startSwapSandbox();
  planner = createSwapPlanner({
    ...sandbox.deployment,
    allowUnsimulated: false,
    request: sandbox.request,
    timeoutMs: 20_000,
    onUnavailable: (cause) => console.log(cause),
  });
});
after(() => sandbox.close());

type Case = {
  readonly name: string;
  readonly tradeType: TradeType;
  readonly from: string;
  readonly paths: readonly PathRequest[];
  readonly native?: 'IN' | 'OUT';
  /** SENDER: the order names a sender and no recipient. CALLER: the order names neither. */
  readonly payee?: 'SENDER' | 'CALLER';
};

const USD = 10n ** 6n;
const ETHER = 10n ** 18n;

const CASES: readonly Case[] = [
  {
    name: 'one V3 pool',
    tradeType: 'EXACT_IN',
    from: 'USDC',
    paths: [{ pools: ['V3 USDC/WETH 500'], amount: 5000n * USD }],
  },
  {
    name: 'one V3 pool, to whoever calls',
    tradeType: 'EXACT_IN',
    from: 'USDC',
    payee: 'CALLER',
    paths: [{ pools: ['V3 USDC/WETH 500'], amount: 5000n * USD }],
  },
  {
    name: 'two V3 pools',
    tradeType: 'EXACT_IN',
    from: 'USDC',
    payee: 'SENDER',
    paths: [{ pools: ['V3 USDC/WETH 500', 'V3 WBTC/WETH 500'], amount: 70_000n * USD }],
  },
  {
    name: 'one V2 pair',
    tradeType: 'EXACT_IN',
    from: 'USDT',
    paths: [{ pools: ['V2 WETH/USDT'], amount: 900n * USD }],
  },
  {
    name: 'two V2 pairs, to whoever calls',
    tradeType: 'EXACT_IN',
    from: 'DAI',
    payee: 'CALLER',
    paths: [{ pools: ['V2 WETH/DAI', 'V2 WETH/USDC'], amount: 900n * ETHER }],
  },
  {
    name: 'V3 then V2',
    tradeType: 'EXACT_IN',
    from: 'USDC',
    paths: [{ pools: ['V3 USDC/WETH 500', 'V2 LINK/WETH'], amount: 900n * USD }],
  },
  {
    name: 'V2 then two V3 pools',
    tradeType: 'EXACT_IN',
    from: 'DAI',
    paths: [{ pools: ['V2 WETH/DAI', 'V3 WBTC/WETH 500', 'V3 WBTC/USDC 3000'], amount: 1234n * ETHER }],
  },
  {
    name: 'V3, V2, V3',
    tradeType: 'EXACT_IN',
    from: 'DAI',
    payee: 'CALLER',
    paths: [{ pools: ['V3 USDC/DAI 100', 'V2 WETH/USDC', 'V3 WBTC/WETH 500'], amount: 1234n * ETHER }],
  },
  {
    name: 'three paths under one minimum',
    tradeType: 'EXACT_IN',
    from: 'USDC',
    paths: [
      { pools: ['V3 USDC/WETH 500'], amount: 500_000n * USD },
      { pools: ['V2 WETH/USDC'], amount: 100_000n * USD },
      { pools: ['V3 WBTC/USDC 3000', 'V2 WBTC/WETH'], amount: 7777n * USD },
    ],
  },
  {
    name: 'two paths, to whoever calls',
    tradeType: 'EXACT_IN',
    from: 'USDC',
    payee: 'CALLER',
    paths: [
      { pools: ['V3 USDC/WETH 500'], amount: 500n * USD },
      { pools: ['V3 USDC/WETH 3000'], amount: 100n * USD },
    ],
  },
  {
    name: 'native in, V3',
    tradeType: 'EXACT_IN',
    from: 'WETH',
    native: 'IN',
    paths: [{ pools: ['V3 USDC/WETH 500'], amount: 3n * ETHER }],
  },
  {
    name: 'native in, two paths, one over V2',
    tradeType: 'EXACT_IN',
    from: 'WETH',
    native: 'IN',
    payee: 'CALLER',
    paths: [
      { pools: ['V2 WETH/USDC'], amount: ETHER },
      { pools: ['V3 USDC/WETH 500'], amount: 3n * ETHER },
    ],
  },
  {
    name: 'native out, V2',
    tradeType: 'EXACT_IN',
    from: 'USDC',
    native: 'OUT',
    paths: [{ pools: ['V2 WETH/USDC'], amount: 300n * USD }],
  },
  {
    name: 'native out, two paths, to whoever calls',
    tradeType: 'EXACT_IN',
    from: 'USDC',
    native: 'OUT',
    payee: 'CALLER',
    paths: [
      { pools: ['V2 WETH/USDC'], amount: 300n * USD },
      { pools: ['V3 USDC/WETH 500'], amount: 300n * USD },
    ],
  },
  {
    name: 'one V3 pool',
    tradeType: 'EXACT_OUT',
    from: 'USDC',
    paths: [{ pools: ['V3 USDC/WETH 500'], amount: 2n * ETHER }],
  },
  {
    name: 'two V3 pools, to whoever calls',
    tradeType: 'EXACT_OUT',
    from: 'USDC',
    payee: 'CALLER',
    paths: [{ pools: ['V3 USDC/WETH 500', 'V3 WBTC/WETH 500'], amount: 10n ** 7n }],
  },
  {
    name: 'two V2 pairs with a surplus',
    tradeType: 'EXACT_OUT',
    from: 'USDC',
    paths: [{ pools: ['V2 WETH/USDC', 'V2 WETH/DAI'], amount: 123_456_789n * 10n ** 12n }],
  },
  {
    name: 'three paths of both versions',
    tradeType: 'EXACT_OUT',
    from: 'USDC',
    payee: 'SENDER',
    paths: [
      { pools: ['V3 USDC/WETH 500'], amount: 2n * ETHER },
      { pools: ['V2 WETH/USDC'], amount: ETHER },
      { pools: ['V3 WBTC/USDC 3000', 'V3 WBTC/WETH 500'], amount: ETHER / 3n },
    ],
  },
  {
    name: 'native in, two paths, the rest refunded',
    tradeType: 'EXACT_OUT',
    from: 'WETH',
    native: 'IN',
    paths: [
      { pools: ['V3 USDC/WETH 500'], amount: 2000n * USD },
      { pools: ['V2 WETH/USDC'], amount: 1000n * USD },
    ],
  },
  {
    name: 'native out, two paths',
    tradeType: 'EXACT_OUT',
    from: 'USDC',
    native: 'OUT',
    payee: 'CALLER',
    paths: [
      { pools: ['V3 USDC/WETH 500'], amount: ETHER },
      { pools: ['V2 WETH/USDC'], amount: ETHER },
    ],
  },
];

/** Balances before and after a plan's execution, by its recipient and its executor. */
async function executePlan(
  order: SwapOrder,
  executor: Address,
): Promise<{ spent: bigint; received: bigint; allowanceLeft: bigint }> {
  const { subject, nativeIn, nativeOut } = order;
  const wrapped = sandbox.deployment.wrappedNative;
  const [tokenIn, tokenOut] =
    subject.kind === 'WRAP' ? [wrapped, wrapped] : [subject.quote.tokenIn, subject.quote.tokenOut];
  const [paid, earned] = [nativeIn ? undefined : tokenIn, nativeOut ? undefined : tokenOut];
  const payee = order.recipient ?? executor;
  const plan = await planSwap({ ...order, sender: executor });
  assert.ok(plan.ok, plan.ok ? '' : JSON.stringify(plan.refusal));
  const instructions =
    order.sender === undefined ? await withoutSender(order, plan.instructions) : plan.instructions;
  const [paidBefore, earnedBefore] = [
    await sandbox.balance(paid, executor),
    await sandbox.balance(earned, payee),
  ];
  let gas = 0n;
  for (const instruction of instructions) gas += await sandbox.execute(executor, instruction);
  const [paidAfter, earnedAfter] = [
    await sandbox.balance(paid, executor),
    await sandbox.balance(earned, payee),
  ];
  return {
    spent: paidBefore - paidAfter - (paid === undefined ? gas : 0n),
    received: earnedAfter - earnedBefore + (earned === undefined && payee === executor ? gas : 0n),
    allowanceLeft: await sandbox.allowance(tokenIn, executor),
  };
}

/** The approvals of a plan that names its sender, then the swap of the same plan without a sender. */
async function withoutSender(order: SwapOrder, prepared: readonly Instruction[]) {
  const plan = await planSwap(order);
  assert.ok(plan.ok);
  assert.equal(plan.instructions.length, 1);
  assert.equal('issues' in plan, false);
  return [...prepared.slice(0, -1), ...plan.instructions];
}

async function assertRouterEmpty(): Promise<void> {
  const { router } = sandbox.deployment;
  assert.equal(await sandbox.balance(undefined, router), 0n);
  for (const symbol of ['WETH', 'USDC', 'USDT', 'DAI', 'WBTC', 'LINK', 'tAUD'])
    assert.equal(await sandbox.balance(sandbox.token(symbol), router), 0n, `the router holds ${symbol}`);
}

for (const [index, item] of CASES.entries())
  test(`the swap executes as simulated and quoted: ${item.tradeType}, ${item.name}`, async () => {
    const executor = sandbox.accounts[index % 10];
    assert.ok(executor);
    const quote = await quoteAlong(sandbox, item.tradeType, sandbox.token(item.from), item.paths);
    const order: SwapOrder = {
      subject: { kind: 'ROUTE', quote },
      nativeIn: item.native === 'IN',
      nativeOut: item.native === 'OUT',
      slippageBps: 50,
      deadlineSeconds: 2n ** 40n,
      ...(item.payee === undefined ? { recipient: freshAddress(`${index} ${item.name}`) } : {}),
      ...(item.payee === 'CALLER' ? {} : { sender: executor }),
    };
    const plan = await planSwap(order);
    assert.ok(plan.ok, plan.ok ? '' : JSON.stringify(plan.refusal));
    assert.equal(plan.simulation.status, 'PASSED');
    assert.ok(plan.simulation.status === 'PASSED');
    const { amountIn, amountOut } = plan.simulation;
    const { spent, received, allowanceLeft } = await executePlan(order, executor);
    assert.deepEqual({ spent, received }, { spent: amountIn, received: amountOut });
    assert.deepEqual(
      { amountIn, amountOut },
      { amountIn: quote.amountIn, amountOut: quote.amountOut + quote.surplus },
    );
    const taken = 'maxAmountIn' in plan.limit ? plan.limit.maxAmountIn : quote.amountIn;
    assert.equal(allowanceLeft, item.native === 'IN' ? 0n : taken - spent);
    await assertRouterEmpty();
    await revokeAllowance(quote.tokenIn, executor);
  });

/** Leaves the account as the next test expects it. */
async function revokeAllowance(token: Address, owner: Address): Promise<void> {
  const { router } = sandbox.deployment;
  const data = `0x095ea7b3${router.slice(2).padStart(64, '0')}${'0'.repeat(64)}` as const;
  await sandbox.execute(owner, { to: token, data, value: 0n });
}

for (const direction of ['IN', 'OUT'] as const)
  for (const payee of ['OTHER', 'SENDER', 'CALLER'] as const)
    test(`a 1:1 exchange is executed as simulated: native ${direction}, paid to ${payee}`, async () => {
      const executor = sandbox.accounts[3];
      assert.ok(executor);
      const amount = (ETHER / 7n) as Amount;
      const order: SwapOrder = {
        subject: { kind: 'WRAP', amount },
        nativeIn: direction === 'IN',
        nativeOut: direction === 'OUT',
        slippageBps: 50,
        deadlineSeconds: 2n ** 40n,
        ...(payee === 'OTHER' ? { recipient: freshAddress(`wrap ${direction}`) } : {}),
        ...(payee === 'CALLER' ? {} : { sender: executor }),
      };
      const plan = await planSwap(order);
      assert.ok(plan.ok, plan.ok ? '' : JSON.stringify(plan.refusal));
      assert.ok(plan.simulation.status === 'PASSED');
      assert.deepEqual([plan.simulation.amountIn, plan.simulation.amountOut], [amount, amount]);
      assert.deepEqual(plan.limit, { minAmountOut: amount });
      const { spent, received, allowanceLeft } = await executePlan(order, executor);
      assert.deepEqual(
        { spent, received, allowanceLeft },
        { spent: amount, received: amount, allowanceLeft: 0n },
      );
      await assertRouterEmpty();
    });
