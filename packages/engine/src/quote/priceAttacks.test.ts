import assert from 'node:assert/strict';
import { test } from 'node:test';
import { v2At, v3At } from '../../test/absurdPools.ts';
import { addressOf } from '../../test/marketArbitraries.ts';
import { createMarket } from '../market/market.ts';
import type { Address, Amount, FeePips, Pool, Quote, Rate } from '../types.ts';
import { nativeRate } from './nativeRate.ts';
import { quote } from './quote.ts';
import { routerGas } from '../../test/routerGas.ts';

const [WETH, USDC, DAI, COIN] = [1, 2, 3, 4].map(addressOf) as [Address, Address, Address, Address];
const ETHER = 10n ** 18n;
/** About 3,000 USDC of six decimals an ether. */
const MARKET = -196_260;
const PRICE = 1.0001 ** MARKET;

function between(token0: Address, token1: Address, id: number, feePips: number) {
  return { address: addressOf(id), tokens: [token0, token1] as const, feePips: feePips as FeePips };
}

/** Pools of three tiers and a pair, all at the market. */
const HEALTHY: readonly Pool[] = [
  v3At(between(WETH, USDC, 0x10, 500), MARKET, [[-887_200, 887_200, 10n ** 18n]], 10),
  v3At(between(WETH, USDC, 0x11, 3000), MARKET + 5, [[-887_200, 887_200, 10n ** 18n]], 60),
  v2At(between(WETH, USDC, 0x12, 3000), MARKET - 4, 10n ** 18n),
  v3At(between(USDC, DAI, 0x13, 100), 276_324, [[-887_270, 887_270, 10n ** 21n]]),
  v3At(between(WETH, DAI, 0x14, 3000), 80_064, [[-887_220, 887_220, 10n ** 23n]], 60),
];

/** A pool of an unused tier, created at a price of 2e17 times the market's, with one order at the market. */
const ABSURD = v3At(between(WETH, USDC, 0x20, 100), 201_600, [[MARKET, MARKET + 40, 10n ** 17n]]);

function ask(pools: readonly Pool[], ether: bigint, excluded: readonly string[] = []): Quote {
  const result = quote(createMarket(pools), {
    tokenIn: WETH,
    tokenOut: USDC,
    tradeType: 'EXACT_IN',
    amount: (ether * ETHER) as Amount,
    maxHops: 3,
    maxSplits: 16,
    excludeSources: new Set(excluded),
    gasPrice: { weiPerGas: 20_000_000n, wrappedNative: WETH },
    venueGas: routerGas,
  });
  assert.ok(result.ok, result.ok ? '' : result.refusal.reason);
  return result.quote;
}

test('a pool at an absurd price with an order at the market does not make gas dear', () => {
  const [clean, attacked] = [ask(HEALTHY, 2n), ask([...HEALTHY, ABSURD], 2n)];
  const [before, after] = [clean, attacked].map(({ gas }) => Number(gas.costInTokenOut) / Number(gas.units));
  assert.ok(Math.abs((after ?? 0) / (before ?? 1) - 1) < 0.01, `${before} ${after}`);
});

test('the order at the market is used and the rest still split', () => {
  for (const ether of [1n, 20n, 2000n, 5000n]) {
    const [clean, attacked] = [ask(HEALTHY, ether), ask([...HEALTHY, ABSURD], ether)];
    assert.ok(attacked.amountOut >= clean.amountOut, `${ether}: ${clean.amountOut} ${attacked.amountOut}`);
    assert.ok((attacked.optimality?.gapBps ?? 99) < 2);
  }
});

test('a pool at an absurd price does not make the price impact of others', () => {
  for (const ether of [1n, 20n, 2000n, 5000n]) {
    const [clean, attacked] = [ask(HEALTHY, ether), ask([...HEALTHY, ABSURD], ether)];
    assert.ok(attacked.priceImpactBps <= clean.priceImpactBps + 10, `${attacked.priceImpactBps}`);
  }
});

test('dust for sale at an absurd price before the order makes no price impact', () => {
  for (const bits of [1n, 10n, 20n, 30n]) {
    const dusty = v3At(between(WETH, USDC, 0x20, 100), 201_600, [
      [MARKET, MARKET + 40, 10n ** 17n],
      [0, 201_000, 1n << bits],
    ]);
    for (const ether of [1n, 20n, 2000n]) {
      const { priceImpactBps } = ask([...HEALTHY, dusty], ether);
      assert.ok(
        priceImpactBps <= ask(HEALTHY, ether).priceImpactBps + 40,
        `${bits} ${ether} ${priceImpactBps}`,
      );
    }
  }
});

test('what one pool gives away beside a deep market changes neither gas nor impact', () => {
  // Ten and a hundred thousand ether are bought for five times the market, or DAI given for USDC at the hub.
  for (const depth of [10n ** 13n, 10n ** 17n, 10n ** 20n])
    for (const gift of [
      v2At(between(WETH, USDC, 0x20, 3000), MARKET + 16_000, depth),
      v3At(between(WETH, USDC, 0x20, 100), 201_600, [[MARKET + 16_000, MARKET + 16_010, depth]]),
      v2At(between(USDC, DAI, 0x20, 3000), 276_324 + 16_000, depth * 1000n),
    ]) {
      const market = createMarket([...HEALTHY, gift]);
      for (const [token, worth] of [
        [USDC, PRICE],
        [DAI, PRICE * 1e12],
      ] as const) {
        const rate = nativeRate(market, WETH, token);
        const factor = Number(rate?.numerator) / Number(rate?.denominator) / worth;
        assert.ok(factor > 0.8 && factor < 1.25, `${gift.kind} ${token} ${factor}`);
      }
      for (const ether of [1n, 20n, 2000n]) assert.ok(ask([...HEALTHY, gift], ether).priceImpactBps < 2500);
    }
});

test('the only deep pool of a token is believed beside worthless ones', () => {
  const only = v2At(between(WETH, COIN, 0x10, 3000), 10_000, 10n ** 21n);
  const alone: Rate | undefined = nativeRate(createMarket([only]), WETH, COIN);
  assert.ok(alone !== undefined);
  for (const worthless of [
    // Asks a thousand times the price, in any depth.
    v3At(between(WETH, COIN, 0x20, 100), -59_000, [[-60_000, -59_001, 10n ** 25n]]),
    v2At(between(WETH, COIN, 0x20, 3000), 79_000, 1000n),
    v2At(between(WETH, COIN, 0x20, 3000), -79_000, 1000n),
    v3At(between(WETH, COIN, 0x20, 100), 800_000, [[10_000, 10_040, 10n ** 17n]]),
  ]) {
    const rate: Rate | undefined = nativeRate(createMarket([only, worthless]), WETH, COIN);
    const factor: number = Number(rate?.numerator) / Number(alone.numerator);
    assert.ok(Math.abs(factor - 1) < 0.02, `${factor}`);
  }
});

test('a token of few units has a native rate still', () => {
  // One unit of the token is worth a hundred ether.
  const dear = v2At(between(WETH, COIN, 0x10, 3000), -460_517, 10n ** 13n);
  const rate = nativeRate(createMarket([dear]), WETH, COIN);
  assert.ok(rate !== undefined && rate.numerator > 0n);
});

test('where several pools make gas dear, a gap in the certificate makes the search think again', () => {
  // Two pools that the request excludes give 5e8 times the market for an ether: no one pool decides that.
  const gifts = [0x20, 0x21].map((id) => {
    const position = [MARKET + 200_000, MARKET + 200_010, 10n ** 22n] as const;
    return { ...v3At(between(WETH, USDC, id, 100), 201_600, [position]), source: 'odd' };
  });
  const market = createMarket([...HEALTHY, ...gifts]);
  const rate = nativeRate(market, WETH, USDC);
  assert.ok(Number(rate?.numerator) / Number(rate?.denominator) > 100_000 * PRICE);
  const [clean, attacked] = [ask(HEALTHY, 5000n), ask([...HEALTHY, ...gifts], 5000n, ['odd'])];
  assert.ok(attacked.paths.length > 1);
  assert.ok(attacked.amountOut >= (clean.amountOut * 9999n) / 10_000n);
});
