import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runs, seed } from '@fairway/testing/properties';
import fc from 'fast-check';
import { absurdPools } from '../../test/absurdPools.ts';
import { consistentMarkets, marketTick } from '../../test/consistentMarkets.ts';
import { assertExecutes } from '../../test/executedQuote.ts';
import { otherToken, paying, selling } from '../../test/hops.ts';
import { addressOf } from '../../test/marketArbitraries.ts';
import { createMarket } from '../market/market.ts';
import { exactInput, exactOutput } from '../pools/poolSwap.ts';
import type { Address, Amount, Pool, Quote, QuoteRequest, TradeType } from '../types.ts';
import { nativeRate } from './nativeRate.ts';
import { quote } from './quote.ts';
import { routerGas } from '../../test/routerGas.ts';

const [TOKEN_IN, TOKEN_OUT, NATIVE] = [1, 2, 3].map(addressOf) as [Address, Address, Address];
const ETHER = 10n ** 18n;

/** A market whose prices agree, and one pool that an attacker adds, between any two of its tokens. */
const attacked = fc
  .tuple(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 5 }))
  .chain(([first, step]) => {
    const second = ((first + step - 1) % 6) + 1;
    const [low, high] = [Math.min(first, second), Math.max(first, second)];
    const tokens = [addressOf(low), addressOf(high)] as const;
    return fc.record({
      pools: consistentMarkets('BOTH', 16),
      absurd: absurdPools(addressOf(0xabad), tokens, marketTick(low, high)),
    });
  });

/** Every path of at most three pools that visits no token twice. */
function* pathsBetween(pools: readonly Pool[], from: Address, to: Address, seen = [from]): Generator<Pool[]> {
  for (const pool of pools) {
    if (pool.tokens[0] !== from && pool.tokens[1] !== from) continue;
    const next = otherToken(pool, from);
    if (next === to) yield [pool];
    else if (seen.length < 3 && !seen.includes(next))
      for (const path of pathsBetween(pools, next, to, [...seen, next])) yield [pool, ...path];
  }
}

/** What the best path pays for an amount sold; 0 where none takes it. */
function paid(pools: readonly Pool[], from: Address, to: Address, amount: bigint): number {
  let best = 0n;
  for (const path of pathsBetween(pools, from, to)) {
    let [token, carried]: [Address, bigint | undefined] = [from, amount];
    for (const pool of path) {
      carried = carried && exactInput(selling(pool, token), carried);
      token = otherToken(pool, token);
    }
    if (carried !== undefined && carried > best) best = carried;
  }
  return Number(best);
}

/** What the cheapest path of one kind of pools asks for an amount bought, over up to two hops if there is one. */
function asked(pools: readonly Pool[], from: Address, to: Address, amount: bigint): number {
  let [short, long] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (const path of pathsBetween(pools, from, to)) {
    if (new Set(path.map(({ kind }) => kind)).size > 1) continue;
    let [token, carried]: [Address, bigint | undefined] = [to, amount];
    for (const pool of path.toReversed()) {
      carried = carried && exactOutput(paying(pool, token), carried);
      token = otherToken(pool, token);
    }
    if (!carried) continue;
    if (path.length < 3) short = Math.min(short, Number(carried));
    else long = Math.min(long, Number(carried));
  }
  return Number.isFinite(short) ? short : long;
}

/** The best price of native currency in a market where no one pool decides it and a round trip costs little. */
function healthyRate(pools: readonly Pool[], token: Address): number | undefined {
  if (token === NATIVE) return 1;
  const best = paid(pools, NATIVE, token, ETHER);
  const rest = Math.min(
    ...pools.map((gone) =>
      paid(
        pools.filter((pool) => pool !== gone),
        NATIVE,
        token,
        ETHER,
      ),
    ),
  );
  const back = asked(pools, token, NATIVE, ETHER);
  // Without any one pool it still pays seven eighths, and a round trip returns four fifths.
  const isHealthy = best >= 1000 && rest >= (7 / 8) * best && back <= (5 / 4) * best;
  return isHealthy ? best / Number(ETHER) : undefined;
}

test('no single pool moves the native rate of a healthy market by more than a quarter', () => {
  let healthy = 0;
  const property = fc.property(attacked, fc.constantFrom(TOKEN_OUT, TOKEN_IN), ({ pools, absurd }, token) => {
    const before = healthyRate(pools, token);
    if (before === undefined) return;
    healthy += 1;
    const rate = nativeRate(createMarket([...pools, absurd]), NATIVE, token);
    assert.ok(rate !== undefined);
    const factor = Number(rate.numerator) / Number(rate.denominator) / before;
    assert.ok(factor >= 7 / 8 - 1e-9 && factor <= 5 / 4 + 1e-9, `by ${factor}`);
  });
  fc.assert(property, { seed, numRuns: runs(1500) });
  assert.ok(healthy >= runs(1500) / 20, `only ${healthy} healthy markets`);
});

const sizes = fc
  .tuple(fc.integer({ min: 30, max: 62 }), fc.bigInt({ min: 0n, max: 2n ** 30n }))
  .map(([bits, part]) => (1n << BigInt(bits)) + ((part << BigInt(bits)) >> 30n));

function requestOf(amount: bigint, tradeType: TradeType, weiPerGas: bigint): QuoteRequest {
  return {
    tokenIn: TOKEN_IN,
    tokenOut: TOKEN_OUT,
    tradeType,
    amount: amount as Amount,
    maxHops: 3,
    maxSplits: 16,
    excludeSources: new Set(),
    gasPrice: { weiPerGas, wrappedNative: NATIVE },
    venueGas: routerGas,
  };
}

function ask(pools: readonly Pool[], request: QuoteRequest): Quote | undefined {
  const result = quote(createMarket(pools), request);
  if (!result.ok) return undefined;
  assertExecutes(pools, request, result.quote);
  return result.quote;
}

const questions = fc.record({
  amount: sizes,
  tradeType: fc.constantFrom<TradeType>('EXACT_IN', 'EXACT_OUT'),
  weiPerGas: fc.constantFrom(0n, 1n, 1000n, 10n ** 6n, 10n ** 9n),
});

/** Trades with a higher price impact are refused by default. */
const MOST_IMPACT_BPS = 5000;

test('no single pool turns a price impact that is allowed into one that is too high', () => {
  let compared = 0;
  const property = fc.property(attacked, questions, ({ pools, absurd }, { amount, tradeType, weiPerGas }) => {
    const request = requestOf(amount, tradeType, weiPerGas);
    const before = ask(pools, request);
    if (before === undefined || before.priceImpactBps > 0.9 * MOST_IMPACT_BPS) return;
    // Where gas costs more than the trade brings, a path of less gas is best at any price.
    if ((before.gas.costInTokenOut ?? 0n) > before.amountOut) return;
    const after = ask([...pools, absurd], request);
    assert.ok(after !== undefined, 'a quote is gone');
    compared += 1;
    assert.ok(after.priceImpactBps <= MOST_IMPACT_BPS, `${before.priceImpactBps} -> ${after.priceImpactBps}`);
  });
  fc.assert(property, { seed, numRuns: runs(1000) });
  assert.ok(compared >= runs(1000) / 4);
});

test('no single pool makes a quote worse net of gas, within the gap to the bound', () => {
  let [compared, far] = [0, 0];
  const property = fc.property(attacked, questions, ({ pools, absurd }, { amount, tradeType, weiPerGas }) => {
    const request = requestOf(amount, tradeType, weiPerGas);
    const rate = weiPerGas === 0n ? 0 : healthyRate(pools, tradeType === 'EXACT_IN' ? TOKEN_OUT : TOKEN_IN);
    const before = rate === undefined ? undefined : ask(pools, request);
    if (before === undefined || rate === undefined || before.priceImpactBps > MOST_IMPACT_BPS) return;
    const after = ask([...pools, absurd], request);
    assert.ok(after !== undefined, 'a quote is gone');
    const net = ({ amountIn, amountOut, surplus, gas }: Quote): number =>
      Number(tradeType === 'EXACT_IN' ? amountOut + surplus : 0n - amountIn) - Number(gas.cost) * rate;
    const whole = Number(tradeType === 'EXACT_IN' ? before.amountOut : before.amountIn);
    // Where gas costs more than the trade brings, nobody trades.
    if (Number(before.gas.cost) * rate > whole) return;
    compared += 1;
    const worse = net(before) - net(after);
    // Rates from 7/8 to 5/4 of one another can make a choice that costs the difference of its gas.
    const doubt = 0.43 * Math.max(Number(before.gas.cost), Number(after.gas.cost)) * rate;
    if (worse <= whole * 1e-4 + doubt + 4) return;
    far += 1;
    const full = tradeType === 'EXACT_IN' ? after.optimality?.upperBound : after.amountIn;
    const open = (Number(full) * (after.optimality?.gapBps ?? 0)) / 10_000;
    assert.ok(worse <= open + doubt + 4, `${worse} of ${whole}, gap ${after.optimality?.gapBps}`);
  });
  fc.assert(property, { seed, numRuns: runs(1500) });
  assert.ok(compared >= runs(1500) / 10, `only ${compared}`);
  // A flow over a range that ends at once can fail to execute; its certificate shows what it missed.
  assert.ok(far <= 1 + compared / 500, `${far} of ${compared} are more than a Bps worse`);
});
