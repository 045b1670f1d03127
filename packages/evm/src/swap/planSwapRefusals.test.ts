import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Address, type Amount, type Quote, toAddress } from '@fairway/engine';
import { encodeFunctionData } from 'viem';
import { freshAddress, quoteAlong, startSwapSandbox, type SwapSandbox } from '../../test/sandboxSwaps.ts';
import { venueOfTest } from '../../test/testVenue.ts';
import { createAgreedRpc } from '../agreement/agreedRpc.ts';
import type { RpcRequest } from '../rpc/endpoint.ts';
import { NodesDisagreeError, RpcAnswerError, RpcUnreachableError } from '../rpc/errors.ts';
import type { SwapOrder, SwapResult } from '../types.ts';
import { createSwapPlanner } from './planSwap.ts';
import { TOKEN_ABI } from '../calls/contractAbis.ts';

let sandbox: SwapSandbox;

before(async () => {
  sandbox = await startSwapSandbox();
});
after(() => sandbox.close());

const recipient = freshAddress('recipient of refusals');
const USD = 10n ** 6n;

function plannerOver(
  request: RpcRequest,
  { timeoutMs = 20_000, allowUnsimulated = false } = {},
): (order: SwapOrder) => Promise<SwapResult> {
  const planner = createSwapPlanner({ ...sandbox.deployment, request, timeoutMs, allowUnsimulated });
  return async (order) => planner(order, await sandbox.head());
}

function orderOf(quote: Quote, more: Partial<SwapOrder> = {}): SwapOrder {
  const base = { nativeIn: false, nativeOut: false, slippageBps: 50, deadlineSeconds: 2n ** 40n };
  return { ...base, subject: { kind: 'ROUTE', quote }, recipient, ...more };
}

function account(index: number): Address {
  return sandbox.accounts[index] ?? recipient;
}

function usdcToWeth(): Promise<Quote> {
  const paths = [{ pools: ['V3 USDC/WETH 500'], amount: 1000n * USD }];
  return quoteAlong(sandbox, 'EXACT_IN', sandbox.token('USDC'), paths);
}

async function refusalOf(order: SwapOrder) {
  const result = await plannerOver(sandbox.request)(order);
  assert.equal(result.ok, false);
  return result.refusal;
}

test('output is never sent to an address where it would be lost or taken', async () => {
  const quote = await usdcToWeth();
  const { router, wrappedNative, multicall3 } = sandbox.deployment;
  const small = ['0', '1', '2', '9', '100'].map((tail) => toAddress(`0x${tail.padStart(40, '0')}`));
  const native = toAddress('0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE');
  const pool = quote.legs[0]?.pool.address ?? router;
  for (const refused of [
    ...small,
    native,
    router,
    wrappedNative,
    multicall3,
    pool,
    quote.tokenIn,
    quote.tokenOut,
  ]) {
    assert.equal(
      (await refusalOf(orderOf(quote, { recipient: refused }))).reason,
      'RECIPIENT_REFUSED',
      refused,
    );
    const { recipient: _, ...toSender } = orderOf(quote, { sender: refused });
    assert.equal((await refusalOf(toSender)).reason, 'RECIPIENT_REFUSED', `sender ${refused}`);
  }
});

test('a swap that the chain would revert is refused with the chain’s reason', async () => {
  const quote = await usdcToWeth();
  const late = await refusalOf(orderOf(quote, { deadlineSeconds: 1n }));
  const pools = quote.legs.map(({ pool }) => pool);
  assert.deepEqual(late, { reason: 'SIMULATION_FAILED', revertReason: 'Transaction too old', pools });
  const [path] = quote.paths;
  assert.ok(path);
  const amountOut = (quote.amountOut * 2n) as Amount;
  const dear = { ...quote, amountOut, paths: [{ ...path, amountOut }] };
  assert.deepEqual(await refusalOf(orderOf(dear)), {
    reason: 'SIMULATION_FAILED',
    revertReason: 'Too little received',
    pools,
  });
  const toContract = orderOf(quote, { nativeOut: true, recipient: sandbox.deployment.v3Factory });
  assert.deepEqual(await refusalOf(toContract), { reason: 'SIMULATION_FAILED', revertReason: 'STE', pools });
});

test('a swap that a node cannot simulate is refused, unless the operator allows it', async () => {
  const old: RpcRequest = (call) =>
    call.method === 'eth_simulateV1'
      ? Promise.reject(new RpcAnswerError(-32601, 'Method not found', undefined))
      : sandbox.request(call);
  const paths = [
    { pools: ['V3 USDC/WETH 500', 'V2 WETH/DAI'], amount: 1000n * USD },
    { pools: ['V3 USDC/DAI 100'], amount: 777n * USD },
  ];
  const order = orderOf(await quoteAlong(sandbox, 'EXACT_IN', sandbox.token('USDC'), paths));
  const refused = await plannerOver(old)(order);
  assert.deepEqual(refused, { ok: false, refusal: { reason: 'SIMULATION_UNAVAILABLE' } });
  const allowing = plannerOver(old, { allowUnsimulated: true });
  const allowed = await allowing(order);
  assert.deepEqual(allowed.ok && allowed.simulation, { status: 'UNAVAILABLE' });
  assert.partialDeepStrictEqual(await allowing({ ...order, deadlineSeconds: 1n }), {
    ok: false,
    refusal: { reason: 'SIMULATION_FAILED', revertReason: 'Transaction too old' },
  });
});

test('a node that refuses to read a token does not make the token a bad one', async () => {
  const refusing: RpcRequest = (call) =>
    ['eth_simulateV1', 'eth_call'].includes(call.method)
      ? Promise.reject(new RpcAnswerError(-32000, 'header not found', undefined))
      : sandbox.request(call);
  const refused = await plannerOver(refusing)(orderOf(await usdcToWeth()));
  assert.deepEqual(refused, { ok: false, refusal: { reason: 'SIMULATION_UNAVAILABLE' } });
});

test('a node that is silent, down, talks nonsense or ignores overrides simulates nothing', async () => {
  const quote = await usdcToWeth();
  const requests: Record<string, [RpcRequest, number]> = {
    silent: [() => new Promise(() => undefined), 50],
    down: [() => Promise.reject(new RpcUnreachableError('connection refused')), 20_000],
    nonsense: [
      (call) => (call.method === 'eth_simulateV1' ? Promise.resolve('nonsense') : sandbox.request(call)),
      20_000,
    ],
    overrides: [
      (call) => {
        const [block, at] = (call.params ?? []) as [{ blockStateCalls: { calls: unknown }[] }, object];
        if (call.method !== 'eth_simulateV1') return sandbox.request(call);
        const blockStateCalls = block.blockStateCalls.map(({ calls }) => ({ calls }));
        return sandbox.request({ ...call, params: [{ ...block, blockStateCalls }, at] });
      },
      20_000,
    ],
  };
  for (const [name, [request, timeoutMs]] of Object.entries(requests)) {
    const order = orderOf(quote, name === 'overrides' ? {} : { sender: account(0) });
    const refusal = { ok: false, refusal: { reason: 'SIMULATION_UNAVAILABLE' } };
    assert.deepEqual(await plannerOver(request, { timeoutMs })(order), refusal, name);
    const plan = await plannerOver(request, { timeoutMs, allowUnsimulated: true })(order);
    if (name === 'nonsense') {
      assert.deepEqual(plan, refusal, 'what a node says without sense is never allowed');
      continue;
    }
    assert.ok(plan.ok, name);
    assert.deepEqual(plan.simulation, { status: 'UNAVAILABLE' }, name);
    assert.equal(plan.issues, undefined, name);
    assert.equal(plan.instructions.length, 1, name);
  }
});

test('one of several nodes that answers nonsense keeps a swap back, whatever the operator allows', async () => {
  const order = orderOf(await usdcToWeth());
  const nonsense: RpcRequest = (call) =>
    call.method === 'eth_simulateV1' ? Promise.resolve('nonsense') : sandbox.request(call);
  const nodes = [nonsense, sandbox.request].map((request, index) => ({
    name: `node-${index}`,
    rpc: { request, subscribeHeads: async () => ({ state: 'IMPOSSIBLE' }) as const, close() {} },
  }));
  const { request } = createAgreedRpc({ nodes, agreement: 2, onEvent() {} });
  assert.deepEqual(await plannerOver(request, { allowUnsimulated: true })(order), {
    ok: false,
    refusal: { reason: 'SIMULATION_UNAVAILABLE' },
  });
});

test('nodes that contradict each other about a swap keep it back, whatever the operator allows', async () => {
  const order = orderOf(await usdcToWeth());
  const torn: RpcRequest = (call) =>
    call.method === 'eth_simulateV1'
      ? Promise.reject(new NodesDisagreeError(call.method, []))
      : sandbox.request(call);
  const refusal = { ok: false, refusal: { reason: 'NODES_DISAGREE' } };
  for (const allowUnsimulated of [false, true])
    assert.deepEqual(await plannerOver(torn, { allowUnsimulated })(order), refusal);
});

test('nodes that contradict each other about a sender’s allowance keep the swap back', async () => {
  const { multicall3 } = sandbox.deployment;
  const divided: RpcRequest = (call) => {
    const [{ to } = {}] = (call.params ?? []) as readonly { readonly to?: string }[];
    return call.method === 'eth_call' && to === multicall3
      ? Promise.reject(new NodesDisagreeError(call.method, []))
      : sandbox.request(call);
  };
  const order = orderOf(await usdcToWeth(), { sender: account(4) });
  const result = await plannerOver(divided)(order);
  assert.deepEqual(result, { ok: false, refusal: { reason: 'NODES_DISAGREE' } });
});

test('a sender without funds or approval learns what is missing, and the swap is simulated', async () => {
  const quote = await usdcToWeth();
  const sender = freshAddress('poor sender');
  const plan = await plannerOver(sandbox.request)(orderOf(quote, { sender }));
  assert.ok(plan.ok);
  const { router } = sandbox.deployment;
  const required = 1000n * USD;
  assert.deepEqual(plan.issues?.balance, { actual: 0n, required });
  const { spender, ...short } = plan.issues?.allowance ?? { spender: '' };
  assert.deepEqual(short, { actual: 0n, required });
  assert.equal(spender.toLowerCase(), router);
  assert.equal(plan.simulation.status, 'PASSED');
  assert.equal(plan.instructions.length, 2);
  const paid = await plannerOver(sandbox.request)({
    ...orderOf(await usdcToWeth(), { sender }),
    subject: { kind: 'WRAP', amount: 5n as Amount },
    nativeIn: true,
  });
  assert.deepEqual(paid.ok && paid.issues, { balance: { actual: 0n, required: 5n }, allowance: null });
});

for (const [symbol, approvals] of [
  ['USDT', [0n, 500n * USD]],
  ['USDC', [500n * USD]],
] as const)
  test(`a short allowance of ${symbol} is raised exactly in ${approvals.length} step(s)`, async () => {
    const sender = account(5);
    const token = sandbox.token(symbol);
    const { router } = sandbox.deployment;
    const approve = (amount: bigint) => ({
      to: token,
      data: encodeFunctionData({ abi: TOKEN_ABI, functionName: 'approve', args: [router, amount] }),
      value: 0n,
    });
    await sandbox.execute(sender, approve(7n));
    const pools = [symbol === 'USDT' ? 'V2 WETH/USDT' : 'V2 WETH/USDC'];
    const quote = await quoteAlong(sandbox, 'EXACT_IN', token, [{ pools, amount: 500n * USD }]);
    const plan = await plannerOver(sandbox.request)(orderOf(quote, { sender }));
    assert.ok(plan.ok);
    assert.deepEqual(
      plan.instructions.slice(0, -1).map(({ to, data }) => [to.toLowerCase(), data]),
      approvals.map((amount) => [token, approve(amount).data]),
    );
    const before = await sandbox.balance(quote.tokenOut, recipient);
    for (const instruction of plan.instructions) await sandbox.execute(sender, instruction);
    assert.equal((await sandbox.balance(quote.tokenOut, recipient)) - before, quote.amountOut);
    assert.equal(await sandbox.allowance(token, sender), 0n);
    await sandbox.execute(sender, approve(500n * USD));
    const fresh = await quoteAlong(sandbox, 'EXACT_IN', token, [{ pools, amount: 500n * USD }]);
    const ready = await plannerOver(sandbox.request)(orderOf(fresh, { sender }));
    assert.deepEqual(ready.ok && ready.issues, { balance: null, allowance: null });
    assert.equal(ready.ok && ready.instructions.length, 1);
    await sandbox.execute(sender, approve(0n));
  });

test('a token that no longer answers is refused, with a sender and without', async () => {
  const quote = await usdcToWeth();
  const code = await sandbox.request({ method: 'eth_getCode', params: [quote.tokenIn, 'latest'] });
  await sandbox.request({ method: 'anvil_setCode', params: [quote.tokenIn, '0x60006000fd'] });
  try {
    for (const more of [{}, { sender: account(0) }]) {
      const refusal = await refusalOf(orderOf(quote, more));
      assert.equal(refusal.reason, 'SIMULATION_FAILED');
    }
  } finally {
    await sandbox.request({ method: 'anvil_setCode', params: [quote.tokenIn, code] });
  }
});

test('only a router that was built with the configured contracts is accepted', async () => {
  const { request, deployment } = sandbox;
  assert.deepEqual(await venueOfTest(deployment).checkDeployed(request), { ok: true });
  const wrong: readonly [Partial<typeof deployment>, RegExp][] = [
    [{ router: recipient }, /no contract/],
    [{ router: deployment.wrappedNative }, /factory\(\)/],
    [{ v3Factory: deployment.multicall3 }, /factory\(\)/],
    [{ v2Factory: deployment.v3Factory }, /factoryV2\(\)/],
    [{ wrappedNative: deployment.v3Factory }, /WETH9\(\)/],
  ];
  for (const [change, detail] of wrong) {
    const check = await venueOfTest({ ...deployment, ...change }).checkDeployed(request);
    assert.equal(check.ok, false);
    assert.match(check.detail, detail);
  }
});
