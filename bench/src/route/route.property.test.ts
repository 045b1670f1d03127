import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { answersOf } from '../../test/routeCommand.ts';
import {
  assertReplays,
  type FilePool,
  type MarketFile,
  type Query,
  v3FilePool,
} from '../../test/routeFiles.ts';

const seed = Number(process.env['FC_SEED'] ?? Date.now() % 2 ** 31);
console.log(`FC_SEED=${seed}`);

const IDS = ['a', 2, '2', 'Ünï', 0, '0xnot-an-address'] as const;
const SPACINGS = { 100: 1, 500: 10, 3000: 60, 10_000: 200 } as const;

const pair = fc.tuple(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 1, max: 5 }));
const amounts = fc.integer({ min: 1, max: 72 }).chain((bits) => fc.bigInt(1n, 2n ** BigInt(bits)));

const v2 = fc.tuple(fc.constantFrom(2500, 3000, 0), amounts, amounts);
const v3 = fc.tuple(
  fc.constantFrom<keyof typeof SPACINGS>(100, 500, 3000, 10_000),
  fc.integer({ min: -9000, max: 9000 }),
  fc.array(
    fc.tuple(fc.integer({ min: -40, max: 40 }), fc.integer({ min: 1, max: 30 }), fc.bigInt(1n, 2n ** 70n)),
    {
      minLength: 1,
      maxLength: 6,
    },
  ),
);

/** Pools between any two of six tokens in either order, with independent prices. */
const markets: fc.Arbitrary<MarketFile<FilePool>> = fc
  .array(fc.tuple(pair, fc.oneof(v2, v3)), { minLength: 12, maxLength: 24 })
  .map((shapes) => ({
    name: 'random',
    tokens: IDS.map((id) => ({ id, sym: id === 0 ? 'WETH' : 'T', dec: 18 })),
    pools: shapes.map(([[first, step], shape], index) =>
      poolOf(`pool ${index}`, IDS[first] ?? 'a', IDS[(first + step) % 6] ?? 'a', shape),
    ),
  }));

type Shape = typeof v2 | typeof v3 extends fc.Arbitrary<infer T> ? T : never;

function poolOf(address: string, t0: string | number, t1: string | number, shape: Shape): FilePool {
  const [fee, at, rest] = shape;
  if (!Array.isArray(rest)) return { kind: 'v2', address, t0, t1, fee, r0: String(at), r1: String(rest) };
  const spacing = SPACINGS[fee as keyof typeof SPACINGS];
  const centre = Math.floor(Number(at) / spacing);
  const positions = rest.map(
    ([shift, width, liquidity]) => [centre + shift - width, centre + shift + width, liquidity] as const,
  );
  return v3FilePool({ address, t0, t1, fee }, spacing, Number(at), positions);
}

const queries: fc.Arbitrary<Query[]> = fc.array(
  fc
    .tuple(pair, fc.constantFrom<Query['tradeType']>('EXACT_IN', 'EXACT_OUT'), amounts)
    .map(([[first, step], tradeType, amount]) => ({
      in: IDS[first] ?? 'a',
      out: IDS[(first + step) % 6] ?? 'a',
      tradeType,
      amount: String(amount),
    })),
  { minLength: 80, maxLength: 80 },
);

test('in random markets every answer equals what its legs execute to', async () => {
  let answered = 0;
  let splits = 0;
  const limited = ['--no-gas', '--max-splits', '2', '--max-hops', '3'];
  const options = fc.constantFrom([], ['--no-gas'], ['--no-gas'], ['--no-gas'], limited);
  const property = fc.asyncProperty(markets, queries, options, async (market, asked, given) => {
    const answers = await answersOf(market, asked, given);
    for (const [index, line] of answers.entries()) {
      if (line.error !== undefined) {
        assert.match(line.error, /^(NO_ROUTE|INSUFFICIENT_LIQUIDITY|AMOUNT_TOO_SMALL): /);
        continue;
      }
      assertReplays(market, asked[index]!, line);
      answered += 1;
      if (line.legs.filter((leg) => leg.tokenIn === line.in).length > 1) splits += 1;
    }
  });
  // Each case is a process, so a failing case is not made smaller.
  await fc.assert(property, { seed, numRuns: 12, endOnFailure: true });
  assert.ok(answered > 50 && splits > 5, `only ${answered} answered, ${splits} split`);
});
