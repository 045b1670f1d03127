/// <reference types="node" />
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { selling } from '../../test/hops.ts';
import { addressOf } from '../../test/marketArbitraries.ts';
import { sqrtPriceAtTick } from '../exact/tickMath.ts';
import { createMarket } from '../market/market.ts';
import { exactInput } from '../pools/poolSwap.ts';
import type { Address, Amount, FeePips, Pool, Quote, QuoteRequest, QuoteResult } from '../types.ts';
import { quote } from './quote.ts';
import { routerGas } from '../../test/routerGas.ts';

const WETH = addressOf(1);
const USDC = addressOf(2);
const DAI = addressOf(3);
const WBTC = addressOf(4);
const EUR = addressOf(5);
const GWEI = 10n ** 9n;

function v2(id: number, [token0, reserve0]: [Address, bigint], [token1, reserve1]: [Address, bigint]): Pool {
  const feePips = 3000 as FeePips;
  return {
    kind: 'UNISWAP_V2',
    address: addressOf(id),
    source: 'v2',
    tokens: [token0, token1],
    feePips,
    reserve0,
    reserve1,
  };
}

/** A pool at price 1 with one wide position. */
function v3(id: number, token0: Address, token1: Address, liquidity: bigint): Pool {
  return {
    kind: 'UNISWAP_V3',
    address: addressOf(id),
    source: 'v3',
    tokens: [token0, token1],
    feePips: 500 as FeePips,
    tickSpacing: 10,
    sqrtPriceX96: sqrtPriceAtTick(0),
    tick: 0,
    liquidity,
    ticks: { indexes: [-887270, 887270], liquidityNet: [liquidity, -liquidity] },
  };
}

type Asked = Partial<Omit<QuoteRequest, 'amount'>> & { readonly amount: bigint };

function ask(pools: readonly Pool[], asked: Asked): QuoteResult {
  const defaults: QuoteRequest = {
    tokenIn: WETH,
    tokenOut: USDC,
    tradeType: 'EXACT_IN',
    amount: asked.amount as Amount,
    maxHops: 3,
    maxSplits: 1,
    excludeSources: new Set(),
    gasPrice: { weiPerGas: 0n, wrappedNative: WETH },
    venueGas: routerGas,
  };
  return quote(createMarket(pools), { ...defaults, ...asked, amount: asked.amount as Amount });
}

function answer(result: QuoteResult): Quote {
  assert.ok(result.ok, result.ok ? '' : result.refusal.reason);
  return result.quote;
}

function refusal(result: QuoteResult): string {
  return result.ok ? 'none' : result.refusal.reason;
}

const ETHER = 10n ** 18n;
const DEEP = v2(10, [WETH, 1000n * ETHER], [USDC, 3_000_000n * 10n ** 6n]);

test('tokens that no pools connect within the hops allowed have no route', () => {
  const chain = [
    v2(10, [WETH, ETHER], [DAI, ETHER]),
    v2(11, [DAI, ETHER], [WBTC, ETHER]),
    v2(12, [WBTC, ETHER], [EUR, ETHER]),
    v2(13, [USDC, ETHER], [EUR, ETHER]),
  ];
  assert.equal(refusal(ask(chain, { amount: 1000n })), 'NO_ROUTE');
  assert.equal(refusal(ask(chain, { amount: 1000n, tokenOut: EUR, maxHops: 2 })), 'NO_ROUTE');
  assert.equal(answer(ask(chain, { amount: 10n ** 15n, tokenOut: EUR })).legs.length, 3);
  assert.equal(refusal(ask(chain, { amount: 1000n, tokenOut: WETH })), 'NO_ROUTE');
  assert.equal(refusal(ask(chain, { amount: 1000n, maxHops: 0 })), 'NO_ROUTE');
});

test('a source that is excluded is not used', () => {
  assert.equal(refusal(ask([DEEP], { amount: ETHER, excludeSources: new Set(['v2']) })), 'NO_ROUTE');
});

test('an amount that no route can take is refused for lack of liquidity', () => {
  const pools = [DEEP, v3(11, WETH, USDC, 0n)];
  assert.equal(refusal(ask(pools, { amount: 2n ** 112n })), 'INSUFFICIENT_LIQUIDITY');
  const tooMuch = { amount: 3_000_000n * 10n ** 6n, tradeType: 'EXACT_OUT' } as const;
  assert.equal(refusal(ask(pools, tooMuch)), 'INSUFFICIENT_LIQUIDITY');
});

test('an input that buys nothing is refused as too small', () => {
  assert.equal(refusal(ask([DEEP], { amount: 1000n })), 'AMOUNT_TOO_SMALL');
  assert.equal(refusal(ask([DEEP, v3(11, WETH, USDC, 0n)], { amount: 1000n })), 'AMOUNT_TOO_SMALL');
  assert.equal(refusal(ask([DEEP], { amount: 0n })), 'AMOUNT_TOO_SMALL');
});

test('an EXACT_OUT path uses pools of one version', () => {
  const mixed = [v2(10, [WETH, 1000n * ETHER], [DAI, 1000n * ETHER]), v3(11, USDC, DAI, 1000n * ETHER)];
  assert.equal(answer(ask(mixed, { amount: ETHER })).legs.length, 2);
  assert.equal(refusal(ask(mixed, { amount: ETHER, tradeType: 'EXACT_OUT' })), 'NO_ROUTE');
});

test('the surplus of an EXACT_OUT over V2 pairs is what the forward swap pays on top', () => {
  // One USDC unit is 3e8 wei: rounding the wei up buys whole units of the cheaper token further on.
  const first = v2(10, [WETH, 1000n * ETHER], [WBTC, 50n * 10n ** 8n]);
  const second = v2(11, [USDC, 3_000_000n * 10n ** 6n], [WBTC, 50n * 10n ** 8n]);
  const asked = 1_000_000n;
  const given = answer(ask([first, second], { amount: asked, tradeType: 'EXACT_OUT' }));
  const bought = exactInput(selling(first, WETH), given.amountIn) ?? 0n;
  assert.equal(given.amountOut, asked);
  assert.ok(given.surplus > 0n);
  assert.equal(given.legs[0]?.amountOut, bought);
  assert.equal(given.legs[1]?.amountIn, bought);
  assert.equal(given.legs[1]?.amountOut, asked + given.surplus);
  assert.equal(given.legs[1]?.amountOut, exactInput(selling(second, WBTC), bought));
  assert.equal(given.paths[0]?.amountOut, asked + given.surplus);
});

test('gas decides between routes that pay almost the same', () => {
  const direct = v3(10, WETH, USDC, 1000n * ETHER);
  const over = [v3(11, WETH, DAI, 10_000n * ETHER), v3(12, USDC, DAI, 10_000n * ETHER)];
  const free = { weiPerGas: 0n, wrappedNative: WETH };
  const dear = { weiPerGas: 100_000n * GWEI, wrappedNative: WETH };
  const asked = { amount: 5n * ETHER };
  assert.equal(answer(ask([direct, ...over], { ...asked, gasPrice: free })).legs.length, 2);
  assert.equal(answer(ask([direct, ...over], { ...asked, gasPrice: dear })).legs.length, 1);
  const exactOut = { ...asked, tradeType: 'EXACT_OUT' } as const;
  assert.equal(answer(ask([direct, ...over], { ...exactOut, gasPrice: free })).legs.length, 2);
  assert.equal(answer(ask([direct, ...over], { ...exactOut, gasPrice: dear })).legs.length, 1);
});

test('gas is priced in the output token at what a trade pays, or not if there is no route', () => {
  const gasPrice = { weiPerGas: 10n * GWEI, wrappedNative: WETH };
  const { gas } = answer(ask([DEEP], { amount: ETHER, gasPrice }));
  assert.equal(gas.cost, gas.units * 10n * GWEI);
  // One WETH is sold for a little less than 3000 USDC: the fee and the pool's depth are taken off.
  const paid = exactInput(selling(DEEP, WETH), ETHER) ?? 0n;
  assert.ok(paid > 2980n * 10n ** 6n && paid < 2990n * 10n ** 6n);
  assert.equal(gas.costInTokenOut, (gas.cost * paid + ETHER - 1n) / ETHER);
  const elsewhere = { weiPerGas: GWEI, wrappedNative: EUR };
  assert.ok(!('costInTokenOut' in answer(ask([DEEP], { amount: ETHER, gasPrice: elsewhere })).gas));
});

test('a mispriced pool without depth does not price gas', () => {
  const dust = v2(11, [WETH, 1n], [USDC, 10n ** 6n]);
  const gasPrice = { weiPerGas: 10n * GWEI, wrappedNative: WETH };
  const clean = answer(ask([DEEP], { amount: ETHER, gasPrice }));
  const dirty = answer(ask([DEEP, dust], { amount: ETHER, gasPrice }));
  assert.equal(dirty.gas.costInTokenOut, clean.gas.costInTokenOut);
});

test('mispriced pools without depth do not price gas, however many there are', () => {
  const dust = Array.from({ length: 120 }, (_, index) =>
    v2(0x100 + index, [WETH, 1n + BigInt(index)], [USDC, 10n ** 6n]),
  );
  const gasPrice = { weiPerGas: 10n * GWEI, wrappedNative: WETH };
  const clean = answer(ask([DEEP], { amount: ETHER, gasPrice }));
  const dirty = answer(ask([DEEP, ...dust], { amount: ETHER, gasPrice }));
  assert.equal(dirty.gas.costInTokenOut, clean.gas.costInTokenOut);
});

test('price impact is the cost of the pool’s depth without fees, rounded up', () => {
  // A tenth of the reserve in, at 0.3 %: 1 - 1 / (1 + 0.0997) = 9.066 %, less 0.9 because a small part moves the
  // price, too.
  const given = answer(ask([DEEP], { amount: 100n * ETHER }));
  assert.equal(given.priceImpactBps, 906);
  const tiny = answer(ask([DEEP], { amount: ETHER / 10n ** 6n }));
  assert.equal(tiny.priceImpactBps, 4);
  const flat = answer(ask([v3(10, WETH, USDC, 10n ** 36n)], { amount: ETHER }));
  assert.equal(flat.priceImpactBps, 0);
});

test('pool fees are each leg’s fee in its input token, rounded up', () => {
  const given = answer(ask([DEEP], { amount: ETHER + 1n }));
  assert.deepEqual(given.poolFees, [{ pool: DEEP.address, token: WETH, amount: 3n * 10n ** 15n + 1n }]);
});

test('of routes that differ only in addresses, the one with the lowest address is taken', () => {
  const twin = { ...DEEP, address: addressOf(9) };
  const onward = v2(20, [USDC, 10n ** 13n], [DAI, 10n ** 25n]);
  for (const pools of [
    [DEEP, twin, onward],
    [twin, DEEP, onward],
  ]) {
    for (const tradeType of ['EXACT_IN', 'EXACT_OUT'] as const) {
      const direct = answer(ask(pools, { amount: 10n ** 12n, tradeType }));
      assert.equal(direct.legs[0]?.pool.address, twin.address);
      const there = answer(ask(pools, { amount: ETHER, tradeType, tokenOut: DAI }));
      assert.equal(there.legs[0]?.pool.address, twin.address);
      const back = answer(ask(pools, { amount: ETHER, tradeType, tokenIn: DAI, tokenOut: WETH }));
      assert.equal(back.legs[1]?.pool.address, twin.address);
    }
  }
});
