import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seed } from '@fairway/testing/properties';
import fc from 'fast-check';
import { otherToken, paying, selling } from '../../test/hops.ts';
import { addressOf, amounts, markets } from '../../test/marketArbitraries.ts';
import { replaySwap } from '../pools/uniswapV3/replay.ts';
import { createMarket } from '../market/market.ts';
import { exactInput, exactOutput } from '../pools/poolSwap.ts';
import type { Address, Amount, Leg, Pool, Quote, QuoteRequest, TradeType } from '../types.ts';
import { bestPathQuote } from './bestPath.ts';
import { routerGas } from '../../test/routerGas.ts';

const TOKEN_IN = addressOf(1);
const TOKEN_OUT = addressOf(2);
const BOTH: readonly Pool['kind'][] = ['UNISWAP_V2', 'UNISWAP_V3'];
const NUM_RUNS = 400;

type Asked = { amount: bigint; tradeType?: TradeType; maxHops?: number; weiPerGas?: bigint };

function request({ amount, tradeType = 'EXACT_IN', maxHops = 3, weiPerGas = 0n }: Asked): QuoteRequest {
  return {
    tokenIn: TOKEN_IN,
    tokenOut: TOKEN_OUT,
    tradeType,
    amount: amount as Amount,
    maxHops,
    maxSplits: 1,
    excludeSources: new Set(),
    gasPrice: { weiPerGas, wrappedNative: addressOf(3) },
    venueGas: routerGas,
  };
}

function ask(pools: readonly Pool[], asked: Asked): Quote | undefined {
  const result = bestPathQuote(createMarket(pools), request(asked));
  return result.ok ? result.quote : undefined;
}

/** Every path from `from` to `to` that visits no token twice. */
function* allPaths(pools: readonly Pool[], from: Address, to: Address, hops: number): Generator<Pool[]> {
  yield* pathsFrom(from, [], new Set([from]));

  function* pathsFrom(token: Address, path: Pool[], seen: ReadonlySet<Address>): Generator<Pool[]> {
    if (token === to) yield path;
    if (token === to || path.length === hops) return;
    for (const pool of pools) {
      if (pool.tokens[0] !== token && pool.tokens[1] !== token) continue;
      const next = otherToken(pool, token);
      if (!seen.has(next)) yield* pathsFrom(next, [...path, pool], new Set([...seen, next]));
    }
  }
}

/** The output along a path; undefined where a pool refuses the amount, 0 where it buys nothing. */
function along(path: readonly Pool[], amountIn: bigint): bigint | undefined {
  let [token, amount]: [Address, bigint | undefined] = [TOKEN_IN, amountIn];
  for (const pool of path) {
    amount = exactInput(selling(pool, token), amount);
    if (amount === undefined || amount === 0n) return amount;
    token = otherToken(pool, token);
  }
  return amount;
}

/** The best output of all paths, and whether none of them was refused. */
function bestOf(pools: readonly Pool[], amount: bigint, hops: number): { best: bigint; allTaken: boolean } {
  const outputs = [...allPaths(pools, TOKEN_IN, TOKEN_OUT, hops)].map((path) => along(path, amount));
  const best = outputs.reduce<bigint>((most, out) => (out !== undefined && out > most ? out : most), 0n);
  return { best, allTaken: !outputs.includes(undefined) };
}

function alongBackward(path: readonly Pool[], amountOut: bigint): bigint | undefined {
  let [token, amount]: [Address, bigint | undefined] = [TOKEN_OUT, amountOut];
  for (const pool of [...path].reverse()) {
    amount = exactOutput(paying(pool, token), amount);
    if (amount === undefined) return undefined;
    token = otherToken(pool, token);
  }
  return amount;
}

/** Executes a leg as its contract would, independently of the quoting path. */
function executesAsQuoted(leg: Leg, tradeType: TradeType): boolean {
  const { pool, tokenIn, amountIn, amountOut } = leg;
  if (pool.kind === 'UNISWAP_V3') {
    const amount = tradeType === 'EXACT_IN' ? amountIn : amountOut;
    const replay = replaySwap(pool, { tokenIn, tradeType, amount });
    return replay?.amountLeft === 0n && replay.amountIn === amountIn && replay.amountOut === amountOut;
  }
  const [reserveIn, reserveOut] =
    tokenIn === pool.tokens[0] ? [pool.reserve0, pool.reserve1] : [pool.reserve1, pool.reserve0];
  const adjusted = (reserveIn + amountIn) * 1_000_000n - amountIn * BigInt(pool.feePips);
  const accepts = (out: bigint): boolean =>
    adjusted * (reserveOut - out) >= reserveIn * reserveOut * 1_000_000n;
  return accepts(amountOut) && !accepts(amountOut + 1n);
}

function checkShape(answer: Quote, amount: bigint): void {
  const { legs, paths, tradeType } = answer;
  assert.deepEqual(
    paths.map((path) => path.legs),
    [legs],
  );
  assert.equal(tradeType === 'EXACT_IN' ? answer.amountIn : answer.amountOut, amount);
  assert.equal(legs[0]?.amountIn, answer.amountIn);
  assert.equal(legs.at(-1)?.amountOut, answer.amountOut + answer.surplus);
  const visited = [legs[0]?.tokenIn, ...legs.map((leg) => leg.tokenOut)];
  assert.deepEqual([visited[0], visited.at(-1)], [TOKEN_IN, TOKEN_OUT]);
  assert.equal(new Set(visited).size, visited.length);
  for (const [index, leg] of legs.entries()) {
    assert.ok(executesAsQuoted(leg, tradeType), `leg ${index} does not execute as quoted`);
    if (index > 0) {
      assert.equal(leg.tokenIn, legs[index - 1]?.tokenOut);
      assert.equal(leg.amountIn, legs[index - 1]?.amountOut);
    }
  }
  assert.ok(answer.priceImpactBps >= 0 && answer.priceImpactBps <= 10_000);
  assert.equal(answer.poolFees.length, legs.length);
}

test('an EXACT_IN quote is the best of all paths, and every leg executes as quoted', () => {
  const hops = fc.integer({ min: 1, max: 3 });
  const property = fc.property(markets(BOTH), amounts(90), hops, (pools, amount, maxHops) => {
    const { best, allTaken } = bestOf(pools, amount, maxHops);
    const answer = ask(pools, { amount, maxHops });
    const output = answer?.amountOut ?? 0n;
    if (allTaken || maxHops < 3) assert.equal(output, best);
    else assert.ok(output <= best && output >= bestOf(pools, amount, 2).best);
    if (answer !== undefined) checkShape(answer, amount);
  });
  fc.assert(property, { seed, numRuns: NUM_RUNS });
});

test('an EXACT_OUT quote is the cheapest path of one pool version, and executes as quoted', () => {
  const property = fc.property(
    markets(BOTH),
    amounts(60),
    fc.integer({ min: 1, max: 3 }),
    (pools, amount, maxHops) => {
      const paths = BOTH.flatMap((kind) => [
        ...allPaths(
          pools.filter((pool) => pool.kind === kind),
          TOKEN_IN,
          TOKEN_OUT,
          maxHops,
        ),
      ]);
      const inputs = paths.map((path) => alongBackward(path, amount)).filter((input) => input !== undefined);
      const best = inputs.reduce<bigint | undefined>(
        (least, input) => (least === undefined || input < least ? input : least),
        undefined,
      );
      const answer = ask(pools, { amount, maxHops, tradeType: 'EXACT_OUT' });
      assert.equal(answer?.amountIn, best);
      if (answer === undefined) return;
      checkShape(answer, amount);
      assert.equal(new Set(answer.legs.map((leg) => leg.pool.kind)).size, 1);
      assert.ok(answer.surplus === 0n || (answer.surplus > 0n && answer.legs[0]?.pool.kind === 'UNISWAP_V2'));
    },
  );
  fc.assert(property, { seed, numRuns: NUM_RUNS });
});

test('without gas, more input never gives less output if the same path can take it', () => {
  const property = fc.property(markets(BOTH), amounts(90), amounts(90), (pools, one, other) => {
    const [less, more] = one < other ? [one, other] : [other, one];
    const small = ask(pools, { amount: less, maxHops: 2 });
    if (small === undefined) return;
    const path = small.legs.map((leg) => leg.pool);
    if (along(path, more) === undefined) return;
    assert.ok((ask(pools, { amount: more, maxHops: 2 })?.amountOut ?? 0n) >= small.amountOut);
  });
  fc.assert(property, { seed, numRuns: NUM_RUNS });
});

test('a pool added never makes a quote without gas worse', () => {
  const property = fc.property(markets(BOTH), amounts(90), fc.nat(), (pools, amount, pick) => {
    const without = pools.filter((_, index) => index !== pick % pools.length);
    const before = ask(without, { amount, maxHops: 2 });
    if (before !== undefined) {
      assert.ok((ask(pools, { amount, maxHops: 2 })?.amountOut ?? 0n) >= before.amountOut);
    }
    const dear = ask(without, { amount, tradeType: 'EXACT_OUT' });
    if (dear === undefined) return;
    const cheap = ask(pools, { amount, tradeType: 'EXACT_OUT' });
    assert.ok(cheap !== undefined && cheap.amountIn <= dear.amountIn);
  });
  fc.assert(property, { seed, numRuns: NUM_RUNS });
});

test('over one pool, asking for a unit less than an input gave costs at most that input', () => {
  // Asking for exactly that output may cost more: a V2 pair adds a unit, and a V3 step may be full to the unit.
  const property = fc.property(markets(BOTH), amounts(90), (pools, amount) => {
    const forward = ask(pools, { amount, maxHops: 1 });
    if (forward === undefined || forward.amountOut === 1n) return;
    const asked = { amount: forward.amountOut - 1n, tradeType: 'EXACT_OUT', maxHops: 1 } as const;
    const back = ask(pools, asked);
    assert.ok(back !== undefined && back.amountIn <= amount);
  });
  fc.assert(property, { seed, numRuns: NUM_RUNS });
});

test('the input of an EXACT_OUT quote buys at least the amount asked and the surplus', () => {
  const property = fc.property(markets(BOTH), amounts(60), (pools, amount) => {
    const back = ask(pools, { amount, tradeType: 'EXACT_OUT', maxHops: 2 });
    if (back === undefined) return;
    // By rounding, the first pool may pay more than the next pool can take.
    if (
      along(
        back.legs.map((leg) => leg.pool),
        back.amountIn,
      ) === undefined
    )
      return;
    const forward = ask(pools, { amount: back.amountIn, maxHops: 2 });
    assert.ok(forward !== undefined && forward.amountOut >= amount + back.surplus);
  });
  fc.assert(property, { seed, numRuns: NUM_RUNS });
});

test('the best path depends on the pools alone, not on their order or on earlier pools', () => {
  const scenario = fc.record({
    pools: markets(BOTH),
    shuffle: fc.array(fc.nat(), { minLength: 10, maxLength: 10 }),
    amount: amounts(80),
    weiPerGas: fc.constantFrom(0n, 1n, 10n ** 3n, 10n ** 9n),
    tradeType: fc.constantFrom<TradeType>('EXACT_IN', 'EXACT_OUT'),
  });
  const property = fc.property(scenario, ({ pools, shuffle, ...asked }) => {
    const shuffled = pools
      .map((pool, index) => ({ pool, rank: shuffle[index] ?? 0 }))
      .sort((a, b) => a.rank - b.rank)
      .map(({ pool }) => pool);
    const expected = bestPathQuote(createMarket(pools), request(asked));
    assert.deepEqual(bestPathQuote(createMarket(shuffled), request(asked)), expected);
    const grown = createMarket(shuffled.slice(1));
    bestPathQuote(grown, request(asked));
    for (const pool of shuffled.slice(0, 1)) grown.put(pool);
    assert.deepEqual(bestPathQuote(grown, request(asked)), expected);
  });
  fc.assert(property, { seed, numRuns: NUM_RUNS });
});
