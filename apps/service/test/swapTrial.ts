import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '@fairway/testing';
import type { Quote, Route, Sandbox, SwapPlan } from '@fairway/wire';
import { readSwap, routeHops } from './calldataReading.ts';
import { postOf, type TestService } from './harness.ts';
import { NATIVE_TOKEN, type Wallet, walletOn } from './wallet.ts';

/** A trade that the API is asked for. */
export type Trade = {
  readonly tokenIn: string;
  readonly tokenOut: string;
  readonly tradeType: 'EXACT_IN' | 'EXACT_OUT';
  readonly amount: bigint;
  readonly slippageBps: number;
  readonly maxHops: number;
  readonly maxSplits: number;
  readonly excludeSources: readonly string[];
};

/** A trade with its quote and instructions, its sender and its recipient. */
export type PlannedTrade = {
  readonly trade: Trade;
  readonly plan: SwapPlan;
  readonly sender: string;
  readonly recipient: string;
};

/** The API's answer to a trade: its quote, or the code of its refusal. */
export type Quoted =
  | { readonly ok: true; readonly quote: Quote }
  | { readonly ok: false; readonly code: string };

/** Quotes, plans and executes trades, and asserts that all figures agree. */
export type SwapTrials = {
  readonly sandbox: Omit<Sandbox, 'routers'> & { routers: { swapRouter02: string; quoterV2: string } };
  /** Mines empty blocks and waits until quotes count no priority fee, so that two quotes at a block are equal. */
  withoutTips(): Promise<void>;
  /** Quotes a trade at the chain's latest block. */
  quote(trade: Trade): Promise<Quoted>;
  /**
   * Plans a trade for a random sender and recipient at the block of the quote; undefined when quote and swap are
   * refused alike.
   */
  plan(trade: Trade, quoted: Quoted): Promise<PlannedTrade | undefined>;
  /** Executes what was planned. */
  execute(planned: PlannedTrade): Promise<void>;
};

/** Trials on the sandbox chain of a service. */
export async function createSwapTrials(service: TestService, random: Random): Promise<SwapTrials> {
  const sandbox = await service.ask<SwapTrials['sandbox']>('/v1/sandbox');
  const site: Site = { service, random, sandbox, wallet: walletOn(service) };
  return {
    sandbox,
    withoutTips: () => waitWithoutTips(site),
    quote: (trade) => quoteTrade(site, trade),
    plan: (trade, quoted) => planTrade(site, trade, quoted),
    execute: (planned) => executePlan(site, planned),
  };
}

type Site = {
  readonly service: TestService;
  readonly random: Random;
  readonly sandbox: SwapTrials['sandbox'];
  readonly wallet: Wallet;
};

async function waitWithoutTips({ service, sandbox }: Site): Promise<void> {
  const [tokenIn, tokenOut] = sandbox.tokens;
  assert.ok(tokenIn && tokenOut);
  await service.rpc('anvil_mine', ['0x14']);
  await service.recordAtHead();
  const amount = 10n ** BigInt(tokenIn.decimals);
  const query = `tokenIn=${tokenIn.address}&tokenOut=${tokenOut.address}&amount=${amount}&tradeType=EXACT_IN`;
  for (;;) {
    const quote = await service.ask<Quote>(`/v1/quote?chainId=${service.chainId}&${query}`);
    if (quote.fees?.gas.priorityFeePerGas === '0') return;
    await sleep(100);
  }
}

async function quoteTrade({ service }: Site, trade: Trade): Promise<Quoted> {
  await service.recordAtHead();
  const { amount, slippageBps, maxHops, maxSplits, excludeSources, ...texts } = trade;
  const query = new URLSearchParams({
    ...texts,
    chainId: String(service.chainId),
    amount: String(amount),
    slippageBps: String(slippageBps),
    maxHops: String(maxHops),
    maxSplits: String(maxSplits),
    ...(excludeSources.length === 0 ? {} : { excludeSources: excludeSources.join(',') }),
  });
  const { status, body } = await service.requestWithinLimit(`/v1/quote?${query}`);
  if (status === 200) {
    checkRoute(trade, body as Quote);
    return { ok: true, quote: body as Quote };
  }
  assert.equal(status, 400, JSON.stringify(body));
  return { ok: false, code: (body as { code: string }).code };
}

async function planTrade(
  { service, random, sandbox }: Site,
  trade: Trade,
  quoted: Quoted,
): Promise<PlannedTrade | undefined> {
  const sender = random.pick(sandbox.accounts).address;
  const fresh = `0x${random.integer(0x10000, 0x7fffffff).toString(16).padStart(40, '0')}`;
  const recipient = random.pick([undefined, sender, fresh]);
  const { chainId } = service;
  const asked = { ...trade, amount: String(trade.amount), chainId, sender, recipient };
  const { status, body } = await service.requestWithinLimit('/v1/swap', postOf(asked));
  assert.equal(status, quoted.ok ? 200 : 400, JSON.stringify([quoted, body]));
  if (!quoted.ok) {
    assert.equal((body as { code: string }).code, quoted.code);
    return undefined;
  }
  const plan = body as SwapPlan;
  assert.deepEqual(withoutTimes(plan.quote), withoutTimes(quoted.quote));
  return { trade, plan, sender, recipient: recipient ?? sender };
}

async function executePlan({ sandbox, wallet, random }: Site, planned: PlannedTrade): Promise<void> {
  const { trade, plan, sender, recipient } = planned;
  const { tokenIn, tokenOut } = trade;
  const { instructions = [] } = plan;
  const router = sandbox.routers.swapRouter02;
  const usesRouter = instructions.at(-1)?.to === router;
  if (usesRouter) checkCalldata(planned);
  const holdings = () =>
    Promise.all([
      wallet.balanceOf(sender, tokenIn),
      wallet.balanceOf(recipient, tokenOut),
      tokenIn === NATIVE_TOKEN ? 0n : wallet.allowanceOf(sender, tokenIn, router),
    ]);
  const [inBefore, outBefore, allowanceBefore] = await holdings();
  const gasCost = await wallet.execute(sender, instructions);
  const [inAfter, outAfter, allowanceAfter] = await holdings();
  const gasOf = (token: string, holder: string) =>
    token === NATIVE_TOKEN && holder === sender ? gasCost : 0n;
  const spent = inBefore - inAfter - gasOf(tokenIn, sender);
  const received = outAfter - outBefore + gasOf(tokenOut, recipient);
  checkAmounts(plan, { spent, received });
  if (usesRouter && tokenIn !== NATIVE_TOKEN) {
    checkAllowance(plan, { spent, before: allowanceBefore, after: allowanceAfter });
    // Sometimes clears the allowance that is left, so that trades start with and without one.
    const clears = allowanceAfter > 0n && random.integer(0, 1) === 0;
    if (clears) await wallet.approve(sender, tokenIn, router, 0n);
  }
  const tokens = [NATIVE_TOKEN, ...sandbox.tokens.map(({ address }) => address)];
  const kept = await Promise.all(tokens.map((token) => wallet.balanceOf(router, token)));
  assert.deepEqual(new Set(kept), new Set([0n]), 'the router keeps nothing');
}

/** A quote without its times: everything else is the same for the same block. */
function withoutTimes({ asOf, expiresAt, ...quote }: Quote): Partial<Quote> & { blockNumber: unknown } {
  return { ...quote, blockNumber: asOf.blockNumber };
}

function sum(amounts: readonly string[]): bigint {
  return amounts.reduce((total, amount) => total + BigInt(amount), 0n);
}

/** Asserts that the route keeps the limits of the trade, and that the amounts of legs, paths and quote add up. */
function checkRoute(trade: Trade, { amountIn, amountOut, route }: Quote): void {
  assert.ok(route);
  const { legs, paths, surplus = '0', sources, optimality } = route;
  assert.equal(trade.tradeType === 'EXACT_IN' ? amountIn : amountOut, String(trade.amount));
  assert.deepEqual([...new Set(legs.map(({ source }) => source))].sort(), [...sources].sort());
  for (const source of trade.excludeSources) assert.ok(!sources.includes(source), `${source} was excluded`);
  assert.ok(paths.length <= trade.maxSplits, 'more paths than asked');
  if (paths.length === 0) return;
  checkPaths(route, trade.maxHops);
  assert.equal(sum(paths.map((path) => path.amountIn)), BigInt(amountIn));
  const returned = BigInt(amountOut) + BigInt(surplus);
  assert.equal(sum(paths.map((path) => path.amountOut)), returned);
  if (trade.tradeType === 'EXACT_IN') assert.equal(surplus, '0');
  if (optimality === undefined) assert.equal(paths.length, 1, 'a split has a proof');
  else checkBound(trade, { bound: BigInt(optimality.upperBound), amountIn: BigInt(amountIn), returned });
}

function checkBound(
  { tradeType }: Trade,
  { bound, amountIn, returned }: { bound: bigint; amountIn: bigint; returned: bigint },
): void {
  if (tradeType === 'EXACT_IN') assert.ok(bound >= returned, `${returned} is more than the bound ${bound}`);
  else assert.ok(bound <= amountIn, `${amountIn} is less than the bound ${bound}`);
}

/** Asserts that the legs follow the paths in order, and that each leg passes its output on. */
function checkPaths({ legs, paths }: Route, maxHops: number): void {
  const [first] = paths;
  let leg = 0;
  for (const { assets, pools, amountIn, amountOut } of paths) {
    const tokens = assets.map(({ address }) => address);
    assert.ok(pools.length >= 1 && pools.length <= maxHops, 'more hops than asked');
    assert.equal(new Set(tokens).size, pools.length + 1, 'no token twice');
    assert.deepEqual([tokens[0], tokens.at(-1)], [first?.assets[0]?.address, first?.assets.at(-1)?.address]);
    let carried = amountIn;
    for (const [hop, pool] of pools.entries()) {
      const { assetIn, assetOut, ...passed } = legs[leg++] ?? assert.fail('a path without its legs');
      assert.deepEqual(
        [passed.pool, assetIn.address, assetOut.address],
        [pool, tokens[hop], tokens[hop + 1]],
      );
      assert.equal(passed.amountIn, carried);
      carried = passed.amountOut;
    }
    assert.equal(carried, amountOut);
  }
  assert.equal(leg, legs.length, 'every leg belongs to a path');
}

/** Asserts one multicall over the route's pools, with one limit for all paths together: the limit of the quote. */
function checkCalldata({ trade, plan }: PlannedTrade): void {
  const { quote, instructions = [] } = plan;
  const [swap, route] = [instructions.at(-1), quote.route];
  assert.ok(swap && route);
  if (route.paths.length === 0) return;
  const { paysIn, paysOut, paths } = readSwap(trade, swap);
  assert.deepEqual(paths, routeHops(route));
  const { maxAmountIn = quote.amountIn, minAmountOut = quote.amountOut } = route.limits;
  assert.deepEqual([paysIn, paysOut], [BigInt(maxAmountIn), BigInt(minAmountOut)]);
}

/** Asserts that chain, simulation and quote agree to the wei, and that the quote states any surplus. */
function checkAmounts(
  { quote, simulation }: SwapPlan,
  { spent, received }: { spent: bigint; received: bigint },
): void {
  const surplus = BigInt(quote.route?.surplus ?? 0);
  const executed = { amountIn: String(spent), amountOut: String(received) };
  assert.deepEqual(executed, {
    amountIn: quote.amountIn,
    amountOut: String(BigInt(quote.amountOut) + surplus),
  });
  assert.equal(simulation?.status, 'PASSED');
  assert.deepEqual({ amountIn: simulation.amountIn, amountOut: simulation.amountOut }, executed);
}

/** Asserts that an approval is for the input or its limit and no more: only the unused part of the limit is left. */
function checkAllowance(
  { quote, instructions = [] }: SwapPlan,
  allowance: { spent: bigint; before: bigint; after: bigint },
): void {
  const maxAmountIn = BigInt(quote.route?.limits.maxAmountIn ?? quote.amountIn);
  const granted = instructions.length > 1 ? maxAmountIn : allowance.before;
  assert.equal(allowance.after, granted - allowance.spent);
}
