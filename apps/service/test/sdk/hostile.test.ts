// A service that is taken over answers with calls that do something else. None of them is signed.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Fairway, limitOf, UnsafeAnswerError } from '@fairway/sdk';
import * as withEthers from '@fairway/sdk/ethers';
import type { Instruction } from '@fairway/sdk/swaps';
import * as withViem from '@fairway/sdk/viem';
import { makeHostile } from '@fairway/testing';
import { decodeFunctionData, encodeFunctionData, erc20Abi, type Hex, maxUint256, parseAbi } from 'viem';
import { type SdkTest, type Signers, startSdkTest } from './clients.ts';
import { payDeposit, planPayment, type PlannedPayment } from './plannedPayment.ts';

let sdk: SdkTest;
let signers: Signers;
let payment: PlannedPayment;
before(async () => {
  sdk = await startSdkTest();
  signers = await sdk.signers({ USDC: '5000000000' });
  payment = await planPayment(sdk, signers);
  await payDeposit(sdk, payment.plan);
});
after(() => sdk?.close());

const FAST = { everyMs: 50 };
const EVIL = '0x00000000000000000000000000000000000badd0';
const AMOUNT = 1_000_000_000n;
const ROUTER = parseAbi([
  'function multicall(uint256 deadline, bytes[] data)',
  'function sweepToken(address token, uint256 amountMinimum, address recipient)',
  'function pull(address token, uint256 value)',
]);

/** What a lie is told about: the calls, the least that they pay, and who is paid. */
type Facts = { readonly calls: Instruction[]; readonly least: string; readonly recipient: string };
type Lie = readonly [name: string, reason: string, tell: (facts: Facts) => Instruction[]];

const word = (value: bigint | string) => BigInt(value).toString(16).padStart(64, '0');
const last = (facts: Facts) => facts.calls.at(-1) ?? assert.fail('there are no calls');

/** The calls with another last one. */
function swapped(facts: Facts, change: Partial<Instruction>): Instruction[] {
  return [...facts.calls.slice(0, -1), { ...last(facts), ...change }];
}

/** The calls with something replaced in the calldata of the last one, which must be there. */
function replaced(facts: Facts, from: string, to: string): Instruction[] {
  const { data } = last(facts);
  assert.ok(data.toLowerCase().includes(from.toLowerCase()), `${from} is not in the calldata`);
  return swapped(facts, { data: data.toLowerCase().replaceAll(from.toLowerCase(), to) });
}

/** The calls with another deadline, or with more calls inside of the last one. */
function inside(facts: Facts, change: { deadline?: bigint; more?: readonly Hex[] }): Instruction[] {
  const { data } = last(facts);
  const [deadline, calls] = decodeFunctionData({ abi: ROUTER, data: data as Hex }).args as readonly [
    bigint,
    Hex[],
  ];
  const honest = encodeFunctionData({ abi: ROUTER, functionName: 'multicall', args: [deadline, calls] });
  const tag = data.slice(honest.length);
  const args = [change.deadline ?? deadline, [...calls, ...(change.more ?? [])]] as const;
  return swapped(facts, {
    data: `${encodeFunctionData({ abi: ROUTER, functionName: 'multicall', args })}${tag}`,
  });
}

function approval(facts: Facts, change: { to?: string; spender?: string; amount?: bigint }): Instruction[] {
  const [first = assert.fail('there is no approval'), ...rest] = facts.calls;
  const { args } = decodeFunctionData({ abi: erc20Abi, data: first.data as Hex });
  const [spender, amount] = args as readonly [Hex, bigint];
  const changed = [(change.spender ?? spender) as Hex, change.amount ?? amount] as const;
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: changed });
  return [{ ...first, to: change.to ?? first.to, data }, ...rest];
}

const address = (text: string) => text.slice(2).toLowerCase();
const theft = () => encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [EVIL, 1n] });

const LIES: readonly Lie[] = [
  ['another chain', 'CHAIN', (facts) => swapped(facts, { chainId: 1 })],
  [
    'another chain for an approval',
    'CHAIN',
    ({ calls: [first, ...rest] }) => [{ ...first!, chainId: 1 }, ...rest],
  ],
  ['another router', 'ROUTER', (facts) => swapped(facts, { to: EVIL })],
  ['another spender', 'SPENDER', (facts) => approval(facts, { spender: EVIL })],
  ['an approval of one unit more', 'APPROVAL', (facts) => approval(facts, { amount: AMOUNT + 1n })],
  ['an approval without an end', 'APPROVAL', (facts) => approval(facts, { amount: maxUint256 })],
  ['an approval of another token', 'TOKEN', (facts) => approval(facts, { to: sdk.token('WETH') })],
  ['a lower minimum', 'LIMIT', (facts) => replaced(facts, word(facts.least), word(1n))],
  ['another recipient', 'RECIPIENT', (facts) => replaced(facts, address(facts.recipient), address(EVIL))],
  [
    'another token to take',
    'TOKEN',
    (facts) => replaced(facts, address(sdk.token('USDC')), address(sdk.token('DAI'))),
  ],
  ['a larger amount', 'AMOUNT', (facts) => replaced(facts, word(AMOUNT), word(AMOUNT + 1n))],
  ['native currency to send along', 'AMOUNT', (facts) => swapped(facts, { value: '1' })],
  ['a deadline in the past', 'EXPIRED', (facts) => inside(facts, { deadline: 1n })],
  ['a deadline in a year', 'DEADLINE', (facts) => inside(facts, { deadline: 4_000_000_000n })],
  ['a theft before the swap', 'CALLS', ({ calls }) => [{ ...calls[0]!, data: theft() }, ...calls.slice(1)]],
  ['a theft beside the approval', 'CALLS', ({ calls }) => [{ ...calls[0]!, data: theft() }, ...calls]],
  ['a theft after the swap', 'ROUTER', ({ calls }) => [...calls, { ...calls[0]!, data: theft() }]],
  ['two more approvals', 'CALLS', ({ calls }) => [calls[0]!, calls[0]!, ...calls]],
  [
    'a sweep inside of the swap',
    'RECIPIENT',
    (facts) =>
      inside(facts, {
        more: [
          encodeFunctionData({
            abi: ROUTER,
            functionName: 'sweepToken',
            args: [sdk.token('USDC') as Hex, 0n, EVIL],
          }),
        ],
      }),
  ],
  [
    'another token taken inside of the swap',
    'TOKEN',
    (facts) =>
      inside(facts, {
        more: [
          encodeFunctionData({ abi: ROUTER, functionName: 'pull', args: [sdk.token('WETH') as Hex, 1n] }),
        ],
      }),
  ],
  ['a call that is unknown inside of the swap', 'CALLDATA', (facts) => inside(facts, { more: [theft()] })],
  ['dirt after the calldata', 'CALLDATA', (facts) => swapped(facts, { data: `${last(facts).data}00` })],
  [
    'another function of the router',
    'CALLDATA',
    (facts) => swapped(facts, { data: `${theft()}${'0'.repeat(32)}` }),
  ],
  ['no calls', 'CALLS', () => []],
];

function refused(reason: string): (error: unknown) => boolean {
  return (error) => {
    if (!(error instanceof UnsafeAnswerError)) throw error;
    assert.equal(error.reason, reason, error.message);
    return true;
  };
}

async function assertNothingSigned(): Promise<void> {
  assert.equal(await signers.node.getTransactionCount({ address: signers.address }), 0);
}

type SwapBody = {
  quote: { expiresAt: string; route: { limits: { minAmountOut: string } } };
  instructions: Instruction[];
};

/** Executes a swap whose answer was changed, with both libraries. */
async function executeChanged(change: (body: SwapBody) => unknown, reason: string): Promise<void> {
  const { facts, router, fairway } = sdk;
  const tokens = { tokenIn: sdk.token('USDC'), tokenOut: sdk.token('WETH') };
  const trade = { chainId: facts.chainId, ...tokens, tradeType: 'EXACT_IN', amount: String(AMOUNT) } as const;
  const limit = limitOf(await fairway.quotes.get(trade), 100);
  const hostile = sdk.tampered((path, body: SwapBody) => (path === '/v1/swap' ? change(body) : body));
  const swap = { trade: { ...trade, recipient: RECIPIENT }, limit, router };
  await assert.rejects(withViem.executeSwap(hostile, { ...swap, ...signers }), refused(reason));
  await assert.rejects(withEthers.executeSwap(hostile, { ...swap, ...signers }), refused(reason));
  await assertNothingSigned();
}

const RECIPIENT = '0x00000000000000000000000000000000000d00d5';

for (const [name, reason, tell] of LIES) {
  test(`a swap is not signed with ${name}`, () =>
    executeChanged(({ quote, instructions: calls, ...body }) => {
      const least = quote.route.limits.minAmountOut;
      return { ...body, quote, instructions: tell({ calls, least, recipient: RECIPIENT }) };
    }, reason));

  test(`a plan is not signed with ${name}`, async () => {
    const { request, corridor, plan } = payment;
    const recipient = corridor.target.settlementAddress;
    type PlanBody = {
      next?: { do: string; calls?: Instruction[] };
      steps: { attempts?: { minAmountOut?: string }[] }[];
    };
    const hostile = sdk.tampered((_path, body: PlanBody) => {
      const least = body.steps[1]?.attempts?.at(-1)?.minAmountOut ?? assert.fail('no minimum');
      const calls = body.next?.calls;
      return calls === undefined
        ? body
        : { ...body, next: { ...body.next, calls: tell({ calls, least, recipient }) } };
    });
    const options = { everyMs: 50, expand: ['executions'] } as const;
    const known = { planId: plan.planId, request, corridor, router: sdk.router, ...signers };
    await assert.rejects(withViem.executePlan(hostile, known, options), refused(reason));
    await assert.rejects(withEthers.executePlan(hostile, known, options), refused(reason));
    await assertNothingSigned();
  });
}

test('a swap is not signed when its quote has expired', () =>
  executeChanged(
    ({ quote, ...body }) => ({ ...body, quote: { ...quote, expiresAt: '2020-01-01T00:00:00Z' } }),
    'EXPIRED',
  ));

test('a swap is not signed when it pays in another token', () =>
  executeChanged(({ instructions: calls, quote, ...body }) => {
    const facts = { calls, least: quote.route.limits.minAmountOut, recipient: RECIPIENT };
    const instructions = replaced(facts, address(sdk.token('WETH')), address(sdk.token('DAI')));
    return { ...body, quote, instructions };
  }, 'LIMIT'));

test('the wallet has to be on the chain of the request', async () => {
  const { router } = sdk;
  const tokens = { tokenIn: sdk.token('USDC'), tokenOut: sdk.token('WETH') };
  const trade = { chainId: 1, ...tokens, tradeType: 'EXACT_IN', amount: '1' } as const;
  const swap = { trade, limit: { minAmountOut: '1' }, router };
  await assert.rejects(withViem.executeSwap(sdk.fairway, { ...swap, ...signers }), refused('CHAIN'));
});

test('the same plan, told truthfully, is executed after all', async () => {
  const { request, corridor, plan } = payment;
  const known = { planId: plan.planId, request, corridor, router: sdk.router, ...signers };
  const ready = await withViem.executePlan(sdk.fairway, known, { everyMs: 50 });
  assert.equal(ready.next?.do, 'PAY');
});

/** A plan once its calls can be executed. */
async function executable(planId: string) {
  for await (const plan of sdk.fairway.payments.follow(planId, { ...FAST, expand: ['executions'] }))
    if (plan.next?.calls !== undefined) return { ...plan, next: plan.next };
  throw new Error('the plan cannot be executed');
}

for (const library of ['viem', 'ethers'] as const)
  test(`a plan that was executed with ${library} is not executed again, whatever the service says`, async () => {
    const rich = await sdk.signers({ USDC: '5000000000' });
    const { request, corridor, plan } = await planPayment(sdk, rich);
    await payDeposit(sdk, plan);
    const { payments } = sdk.fairway;
    const ready = await executable(plan.planId);
    let asked = 0;
    const insisting: Pick<Fairway, 'payments'> = {
      payments: {
        ...payments,
        get: async () => ({ ...ready, next: { ...ready.next, attemptId: `attempt_${++asked}` } }),
        steps: { ...payments.steps, report: async () => plan },
      },
    };
    const known = { planId: plan.planId, request, corridor, router: sdk.router };
    const execution =
      library === 'viem'
        ? withViem.executePlan(insisting, { ...known, wallet: rich.wallet, node: rich.node }, FAST)
        : withEthers.executePlan(insisting, { ...known, signer: rich.signer }, FAST);
    await assert.rejects(execution, refused('CALLS'));
    // An approval and a swap.
    assert.equal(await rich.node.getTransactionCount({ address: rich.address }), 2);
  });

/** The calls by which the router buys an exact output over V2 pairs, and looks at nothing but the input. */
function unchecked(path: readonly Hex[], amountOut: bigint, maxAmountIn: bigint): Instruction[] {
  const { facts, router } = sdk;
  const abi = parseAbi([
    'function multicall(uint256 deadline, bytes[] data)',
    'function swapTokensForExactTokens(uint256 amountOut, uint256 amountInMax, address[] path, address to)',
  ]);
  const spender = [router as Hex, maxAmountIn] as const;
  const approve = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: spender });
  const swap = encodeFunctionData({
    abi,
    functionName: 'swapTokensForExactTokens',
    args: [amountOut, maxAmountIn, path, signers.address],
  });
  const args = [BigInt(Math.floor(Date.now() / 1000)) + 600n, [swap]] as const;
  const data = encodeFunctionData({ abi, functionName: 'multicall', args });
  const call = { kind: 'EVM_CALL', chainId: facts.chainId, value: '0', constraints: {} } as const;
  return [
    { ...call, to: path[0] ?? '', data: approve },
    { ...call, to: router, data },
  ];
}

test('an exact output that a token on the way can take is not signed', async () => {
  const { facts, router, fairway, balances, service } = sdk;
  const path = ['USDC', 'WETH', 'LINK'].map((symbol) => sdk.token(symbol) as Hex);
  const [tokenIn = '', , tokenOut = ''] = path;
  const amount = 10n ** 18n;
  const bought = { tradeType: 'EXACT_OUT', amount: String(amount) } as const;
  const trade = { chainId: facts.chainId, tokenIn, tokenOut, ...bought };
  const limit = limitOf(await fairway.quotes.get(trade), 2000);
  assert.ok('maxAmountIn' in limit);
  const instructions = unchecked(path, amount, BigInt(limit.maxAmountIn));
  const hostile = sdk.tampered((_path, body: SwapBody) => ({ ...body, instructions }));
  const swap = { trade, limit, router };
  const signed = await signers.node.getTransactionCount({ address: signers.address });
  await assert.rejects(withViem.executeSwap(hostile, { ...swap, ...signers }), refused('AMOUNT'));
  await assert.rejects(withEthers.executeSwap(hostile, { ...swap, ...signers }), refused('AMOUNT'));
  assert.equal(await signers.node.getTransactionCount({ address: signers.address }), signed);

  // Somebody who signs without a check pays, and gets nearly nothing.
  await makeHostile(service.rpc, sdk.token('WETH'), 'keeps a part of all transfers', 9999);
  const before = await balances.balanceOf(signers.address, tokenIn);
  for (const { to, data } of instructions) {
    const hash = await signers.wallet.sendTransaction({ to: to as Hex, data: data as Hex });
    assert.equal((await signers.node.waitForTransactionReceipt({ hash })).status, 'success');
  }
  assert.ok(before - (await balances.balanceOf(signers.address, tokenIn)) > 0n);
  assert.ok((await balances.balanceOf(signers.address, tokenOut)) < amount / 100n);
});
