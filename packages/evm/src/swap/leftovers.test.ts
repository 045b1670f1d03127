// A pool may not take all of the input when a swap is mined. The rest goes back to the payer, and never stays in the
// router for anybody to take.
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { type Address, type Amount, quote } from '@fairway/engine';
import { decodeFunctionData, encodeFunctionData } from 'viem';
import { makeOwnPools, type OwnPool, type OwnPools, type Withdraw } from '../../test/ownPools.ts';
import { freshAddress, startSwapSandbox, type SwapSandbox } from '../../test/sandboxSwaps.ts';
import type { SwapOrder } from '../types.ts';
import { buildSwap } from './buildSwap.ts';
import { createSwapPlanner } from './planSwap.ts';
import { TOKEN_ABI } from '../calls/contractAbis.ts';
import { venueGas } from '../venues/venueKinds.ts';
import { MULTICALL_ABI, ROUTER_ABI } from '../venues/swapRouter02/abi.ts';
import { createSwapSimulator } from './simulate.ts';

let sandbox: SwapSandbox;
let pools: OwnPools;
let snapshot: unknown;

before(async () => {
  sandbox = await startSwapSandbox();
});
after(() => sandbox.close());
beforeEach(async () => {
  snapshot = await sandbox.request({ method: 'evm_snapshot', params: [] });
  pools = makeOwnPools(sandbox);
});
afterEach(() => sandbox.request({ method: 'evm_revert', params: [snapshot] }));

const ETHER = 10n ** 18n;
const recipient = freshAddress('recipient of partial fills');

/** 200 of each token up to 3.05 % away from the price, and 200 of the second token beyond, which can be withdrawn. */
async function shallowPool(tokens: readonly [Address, Address]): Promise<Withdraw> {
  const [, first, second] = sandbox.accounts;
  assert.ok(first && second);
  const pool: OwnPool = { tokens, fee: 3000 };
  await pools.create(pool);
  await pools.provide(pool, { provider: first, range: [-600, 600], amount: 200n * ETHER });
  return pools.provide(pool, { provider: second, range: [600, 1200], amount: 200n * ETHER });
}

type Trade = {
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  readonly amount: bigint;
  readonly slippageBps: number;
  readonly nativeIn: boolean;
};

/** Quotes one path over the own pools. */
async function quoteOver({ tokenIn, tokenOut, amount }: Omit<Trade, 'slippageBps' | 'nativeIn'>) {
  const quoted = quote(await pools.market(), {
    ...{ tokenIn, tokenOut, tradeType: 'EXACT_IN', amount: amount as Amount, maxHops: 2, maxSplits: 1 },
    excludeSources: new Set(),
    gasPrice: { weiPerGas: 0n, wrappedNative: sandbox.deployment.wrappedNative },
    venueGas: venueGas('SWAP_ROUTER_02'),
  });
  assert.ok(quoted.ok);
  return quoted.quote;
}

/**
 * Plans a swap over the own pools, lets a provider withdraw, and executes it. Returns the router's balances of the
 * tokens afterwards.
 */
async function heldAfter(trade: Trade, withdraw: Withdraw, tokens: readonly (Address | undefined)[]) {
  const { tokenOut, slippageBps, nativeIn } = trade;
  const { request, deployment, accounts } = sandbox;
  const [payer] = accounts;
  assert.ok(payer);
  const quoted = await quoteOver(trade);
  const order: SwapOrder = {
    ...{ subject: { kind: 'ROUTE', quote: quoted }, nativeIn, nativeOut: false, slippageBps },
    ...{ recipient, sender: payer, deadlineSeconds: 2n ** 40n },
  };
  const plan = createSwapPlanner({ ...deployment, request, allowUnsimulated: false, timeoutMs: 20_000 });
  const planned = await plan(order, await sandbox.head());
  assert.ok(planned.ok, planned.ok ? '' : JSON.stringify(planned.refusal));
  await withdraw();
  const balances = () => Promise.all(tokens.map((token) => sandbox.balance(token, payer)));
  const before = await balances();
  let gas = 0n;
  for (const instruction of planned.instructions) gas += await sandbox.execute(payer, instruction);
  const spent = (await balances()).map(
    (balance, index) => (before[index] ?? 0n) - balance - (tokens[index] === undefined ? gas : 0n),
  );
  const held = await Promise.all(tokens.map((token) => sandbox.balance(token, deployment.router)));
  assert.ok((await sandbox.balance(tokenOut, recipient)) > 0n);
  return { held, spent };
}

/** What the lasting liquidity of a shallow pool takes until it runs out. */
const TAKEN = 206_710_729_864_776_882_080n;

/** Sells a token to the shallow pool for another, as somebody else. */
async function sellTo(tokenOut: Address, tokenIn: Address, amountIn: bigint): Promise<void> {
  const [, , , seller] = sandbox.accounts;
  const { router } = sandbox.deployment;
  assert.ok(seller);
  const approval = encodeFunctionData({ abi: TOKEN_ABI, functionName: 'approve', args: [router, amountIn] });
  await sandbox.execute(seller, { to: tokenIn, data: approval, value: 0n });
  const terms = { recipient: seller, amountIn, amountOutMinimum: 0n, sqrtPriceLimitX96: 0n };
  const args = [{ tokenIn, tokenOut, fee: 3000, ...terms }] as const;
  const data = encodeFunctionData({ abi: ROUTER_ABI, functionName: 'exactInputSingle', args });
  await sandbox.execute(seller, { to: router, data, value: 0n });
}

for (const [amount, slippageBps] of [
  [260n, 5000],
  [207n, 50],
] as const)
  test(`native currency that a pool does not take is refunded: ${amount} within ${slippageBps} Bps`, async () => {
    const [weth, other] = [sandbox.token('WETH'), sandbox.token('tEUR')];
    const withdraw = await shallowPool([weth, other]);
    const trade = { tokenIn: weth, tokenOut: other, amount: amount * ETHER, slippageBps, nativeIn: true };
    const { held, spent } = await heldAfter(trade, withdraw, [undefined, weth, other]);
    assert.deepEqual(held, [0n, 0n, 0n]);
    assert.equal(spent[0], TAKEN);
  });

test('native currency is refunded even where nothing less than the quote may be paid', async () => {
  const [weth, other] = [sandbox.token('WETH'), sandbox.token('tEUR')];
  const withdraw = await shallowPool([weth, other]);
  const trade = { tokenIn: weth, tokenOut: other, amount: 307n * ETHER, slippageBps: 0, nativeIn: true };
  // Somebody else's trade the other way makes the price better than the quote.
  const improved = async () => {
    await sellTo(weth, other, (955n * ETHER) / 10n);
    await withdraw();
  };
  const { held, spent } = await heldAfter(trade, improved, [undefined, weth, other]);
  assert.deepEqual(held, [0n, 0n, 0n]);
  assert.equal(spent[0], 300_885_759_894_747_069_695n);
});

test('a swap that leaves something in the router when it is simulated is not given out', async () => {
  const [weth, other] = [sandbox.token('WETH'), sandbox.token('tEUR')];
  const withdraw = await shallowPool([weth, other]);
  const { request, deployment, accounts } = sandbox;
  const quoted = await quoteOver({ tokenIn: weth, tokenOut: other, amount: 260n * ETHER });
  await withdraw();
  const paid = 199_999_999_999_999_999_999n as Amount;
  const order: SwapOrder = {
    ...{
      subject: { kind: 'ROUTE', quote: { ...quoted, amountOut: paid } },
      nativeIn: true,
      nativeOut: false,
    },
    ...{ slippageBps: 50, recipient, sender: accounts[0] ?? recipient, deadlineSeconds: 2n ** 40n },
  };
  const built = buildSwap(deployment, order);
  assert.ok(built.ok);
  const { args } = decodeFunctionData({ abi: MULTICALL_ABI, data: built.instruction.data });
  const [deadline, [swap = '0x', refund]] = args;
  assert.equal(refund, encodeFunctionData({ abi: ROUTER_ABI, functionName: 'refundETH' }));
  const simulate = createSwapSimulator({ ...deployment, request, timeoutMs: 20_000 });
  const kept = encodeFunctionData({
    abi: MULTICALL_ABI,
    functionName: 'multicall',
    args: [deadline, [swap]],
  });
  const result = await simulate(order, { ...built.instruction, data: kept }, await sandbox.head(), undefined);
  assert.deepEqual(result, {
    status: 'DIFFERS',
    amountIn: 260n * ETHER,
    amountOut: paid,
    leftInRouter: [{ holder: deployment.router, token: undefined, amount: 260n * ETHER - TAKEN }],
  });
});

test('the token between two pools is returned where the second does not take it', async () => {
  const [from, middle, to] = [sandbox.token('tEUR'), sandbox.token('UNI'), sandbox.token('DAI')] as const;
  const [, provider] = sandbox.accounts;
  assert.ok(provider);
  const deep: OwnPool = { tokens: [from, middle], fee: 3000 };
  await pools.create(deep);
  await pools.provide(deep, { provider, range: [-60_000, 60_000], amount: 100_000n * ETHER });
  const withdraw = await shallowPool([middle, to]);
  const trade = { tokenIn: from, tokenOut: to, amount: 260n * ETHER, slippageBps: 5000, nativeIn: false };
  const { held, spent } = await heldAfter(trade, withdraw, [undefined, from, middle, to]);
  assert.deepEqual(held, [0n, 0n, 0n, 0n]);
  assert.equal(spent[1], 260n * ETHER);
  assert.equal(spent[2], -51_872_348_310_742_455_438n);
});
