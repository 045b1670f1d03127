import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { answersOf, runCommand, runRoute, runThroughNpm } from '../../test/routeCommand.ts';
import {
  assertReplays,
  type FilePool,
  type Query,
  type QueryLine,
  v3FilePool,
} from '../../test/routeFiles.ts';

const UNIT = 10n ** 18n;

const TOKENS = [
  { id: 'dollar', sym: 'USDC', dec: 6 },
  { id: 7, sym: 'WETH', dec: 18 },
  { id: '7', sym: 'SEVEN', dec: 18 },
  { id: 'lonely', sym: 'LONE', dec: 18 },
];

/** Three routes from ether to sevens: two pairs whose prices differ by less than their fees, and one over dollars. */
const pools: readonly FilePool[] = [
  {
    kind: 'v2',
    address: 'ether/sevens',
    t0: 7,
    t1: '7',
    fee: 3000,
    r0: `${1000n * UNIT}`,
    r1: `${2000n * UNIT}`,
  },
  v3FilePool({ address: '0xNarrow', t0: 7, t1: '7', fee: 500 }, 10, 6935, [
    [-80_000, 80_000, 500n * UNIT],
    [680, 710, 20_000n * UNIT],
    [690, 694, 70_000n * UNIT],
  ]),
  {
    kind: 'v2',
    address: 'ether/dollars',
    t0: 7,
    t1: 'dollar',
    fee: 3000,
    r0: `${900n * UNIT}`,
    r1: '2700000000000',
  },
  {
    kind: 'v2',
    address: 'sevens/dollars',
    t0: '7',
    t1: 'dollar',
    fee: 2500,
    r0: `${700n * UNIT}`,
    r1: '1050000000000',
  },
];

const market = { name: 'four pools', tokens: TOKENS, pools };

const QUERIES: readonly Query[] = [
  { in: 7, out: '7', tradeType: 'EXACT_IN', amount: `${3n * UNIT}` },
  { in: 7, out: '7', tradeType: 'EXACT_IN', amount: `${700n * UNIT}` },
  { in: 'dollar', out: '7', tradeType: 'EXACT_OUT', amount: `${300n * UNIT}` },
  { in: '7', out: 7, tradeType: 'EXACT_OUT', amount: `${200n * UNIT}` },
];

test('the first line describes the market, and every answer equals what its legs execute to', async () => {
  const { exitCode, lines, errors } = await runRoute(
    market,
    QUERIES,
    ['--repeat', '5', '--no-gas'],
    runThroughNpm,
  );
  assert.deepEqual([exitCode, errors], [0, '']);
  const [loaded, ...answers] = lines.map((line) => JSON.parse(line));
  assert.deepEqual(Object.keys(loaded), ['loadMs', 'pools', 'tokens', 'heapBytes']);
  assert.deepEqual([loaded.pools, loaded.tokens], [4, 4]);
  assert.ok(loaded.loadMs > 0 && Number.isInteger(loaded.heapBytes) && loaded.heapBytes > 0);
  assert.equal(answers.length, QUERIES.length);
  for (const [index, line] of answers.entries()) {
    const names = ['in', 'out', 'tradeType', 'amountIn', 'amountOut', 'legs', 'bound', 'gapBps', 'medianMs'];
    assert.deepEqual(Object.keys(line), names);
    assert.equal(typeof line.medianMs, 'number');
    assertReplays(market, QUERIES[index]!, line);
  }
});

/** How many legs of an answer take the input token. */
function waysOf(line: QueryLine | undefined): number {
  return line?.legs.filter((leg) => leg.tokenIn === line.in).length ?? 0;
}

test('answers keep the limits on hops and paths', async () => {
  const [, wide] = await answersOf(market, QUERIES, ['--no-gas']);
  assert.equal(waysOf(wide), 3);
  const [, two] = await answersOf(market, QUERIES, ['--no-gas', '--max-splits', '2']);
  assert.equal(waysOf(two), 2);
  const direct = await answersOf(market, QUERIES, ['--no-gas', '--max-hops', '1']);
  for (const [index, line] of direct.entries())
    assert.ok(line.legs.every((leg) => leg.tokenOut === QUERIES[index]!.out));
  for (const line of await answersOf(market, QUERIES, ['--no-gas', '--max-splits', '1']))
    assert.equal(waysOf(line), 1);
});

test('legs that bring less than their gas are not used', async () => {
  const asked = QUERIES.slice(1, 2);
  const ways = async (...options: string[]): Promise<number> =>
    waysOf((await answersOf(market, asked, options))[0]);
  assert.equal(await ways(), 3);
  assert.equal(await ways('--gas-price-wei', `${UNIT / 100n}`), 1);
  // Without a pool to ether, gas has no price in ether.
  assert.equal(await ways('--gas-price-wei', `${UNIT / 100n}`, '--native', 'lonely'), 3);
});

test('the example of the documentation gives the answer that is printed there', async () => {
  const [exampleMarket, exampleQueries] = ['market', 'queries'].map((name) =>
    JSON.parse(readFileSync(join(import.meta.dirname, `../../../examples/routing/${name}.json`), 'utf8')),
  );
  const [sold, bought, unknown] = await answersOf(exampleMarket, exampleQueries);
  assertReplays(exampleMarket, exampleQueries[0], sold!);
  assertReplays(exampleMarket, exampleQueries[1], bought!);
  assert.equal(waysOf(sold), 3);
  assert.match(unknown?.error ?? '', /^INVALID_QUERY: out must be the id of a token of the market/);
});

test('a faulty query gets a line with its fault, and the other queries are answered', async () => {
  const [good] = QUERIES as [Query];
  const asked: [unknown, RegExp][] = [
    [{ ...good, in: 'nobody' }, /^INVALID_QUERY: in must be the id of a token .* "nobody"\.$/],
    [{ ...good, out: 8 }, /^INVALID_QUERY: out must be the id .* is 8\.$/],
    [{ ...good, out: 7 }, /^INVALID_QUERY: in and out are the same token, 7\.$/],
    [{ ...good, amount: '0' }, /^INVALID_QUERY: amount must be a decimal string .* is "0"\.$/],
    [{ ...good, amount: 5 }, /^INVALID_QUERY: amount .* is 5\.$/],
    [{ ...good, amount: String(2n ** 256n) }, /^INVALID_QUERY: amount /],
    [{ ...good, tradeType: 'BUY' }, /^INVALID_QUERY: tradeType .* is "BUY"\.$/],
    [null, /^INVALID_QUERY: A query must be an object, and is null\.$/],
    [{ ...good, out: 'lonely' }, /^NO_ROUTE: /],
    [{ ...good, tradeType: 'EXACT_OUT', amount: `${10n ** 6n * UNIT}` }, /^INSUFFICIENT_LIQUIDITY: /],
    [{ ...good, out: 'dollar', amount: '1' }, /^AMOUNT_TOO_SMALL: /],
  ];
  const { exitCode, lines } = await runRoute(market, [...asked.map(([query]) => query), good]);
  assert.equal(exitCode, 0);
  assert.equal(lines.length, asked.length + 2);
  for (const [index, [query, error]] of asked.entries()) {
    const line = JSON.parse(lines[index + 1]!);
    assert.match(line.error, error);
    assert.deepEqual([line.amountIn, line.amountOut, line.legs], [null, null, []]);
    assert.equal(line.in, (query as Query | null)?.in ?? null);
  }
  assertReplays(market, good, JSON.parse(lines.at(-1)!));
});

test('a file that cannot be used ends the run, and the message names the place and the fault', async () => {
  const [v2, v3] = pools as [FilePool & { kind: 'v2' }, FilePool & { kind: 'v3' }];
  const withPool = (pool: object): object => ({ ...market, pools: [v2, pool] });
  const cases: [unknown, unknown, RegExp][] = [
    ['{"tokens": [', [], /market\.json is not JSON: /],
    [[], [], /market\.json must hold an object \{name, tokens, pools\}, and holds \[\]\./],
    [{ tokens: TOKENS }, [], /pools must be an array, and is missing\./],
    [market, {}, /queries\.json must hold an array/],
    [{ ...market, tokens: [...TOKENS, TOKENS[0]] }, [], /tokens\[4\]: another token has the id "dollar"/],
    [{ ...market, tokens: [{ id: 1.5 }] }, [], /tokens\[0\]: id must be a string or a whole number/],
    [withPool(v2), [], /pools\[1\] \("ether\/sevens"\): another pool has this address/],
    [withPool({ ...v3, t1: 8 }), [], /pools\[1\] \("0xNarrow"\): t1 must be the id of a token .* is 8\./],
    [withPool({ ...v3, t1: 7 }), [], /t0 and t1 are the same token, 7\./],
    [withPool({ ...v3, kind: 'v4' }), [], /kind must be "v2" or "v3", and is "v4"\./],
    [withPool({ ...v3, address: undefined }), [], /address must be a string that names the pool/],
    [withPool({ ...v3, fee: 1e6 }), [], /fee must be a whole number from 0 to 999999/],
    [withPool({ ...v3, sqrtP: '0' }), [], /sqrtP must be a decimal string from "4295128739"/],
    [withPool({ ...v3, tick: v3.tick + 2 }), [], /tick must be that of sqrtP, 6935, and is 6937\./],
    [withPool({ ...v3, ticks: v3.ticks.toReversed() }), [], /ticks must ascend/],
    [withPool({ ...v3, ticks: [[5, '1']] }), [], /ticks\[0\] must be a multiple of sp 10/],
    [withPool({ ...v3, ticks: [[10, 1]] }), [], /ticks\[0\] must be \[a whole number, a decimal string\]/],
    [withPool({ ...v3, L: '5' }), [], /liquidity would be -.*: L and the ticks contradict each other\./],
    [withPool({ ...v2, address: 'b', r0: 1000 }), [], /r0 must be a decimal string .* is 1000\./],
    [withPool({ ...v2, address: 'b', r0: '-1' }), [], /r0 must be a decimal string/],
  ];
  for (const [marketFile, queryFile, message] of cases) {
    const { exitCode, lines, errors } = await runRoute(marketFile, queryFile);
    assert.match(errors, message);
    assert.equal(exitCode, 2, errors);
    assert.deepEqual(lines, []);
    assert.ok(errors.split('\n').length <= 2, `a message, not a stack: ${errors}`);
  }
});

test('the message about a wrong command line says what to type', async () => {
  const missing = ['--market', 'nowhere.json', '--queries', 'nowhere.json'];
  const cases: [readonly string[], RegExp][] = [
    [[], /^Give --market FILE and --queries FILE\.\n\n[\s\S]*--max-splits N/],
    [['--speed'], /'--speed'[\s\S]*--max-splits N/],
    [missing, /nowhere\.json cannot be read: ENOENT/],
    [[...missing, '--repeat', '0'], /^--repeat must be a whole number from 1 to 999999, and is "0"\./],
    [[...missing, '--max-splits', 'all'], /^--max-splits must be/],
    [[...missing, '--gas-price-wei', '1.5'], /^--gas-price-wei must be a whole number/],
    [[...missing, '--no-gas', '--native', '7'], /^--no-gas contradicts/],
  ];
  for (const [args, message] of cases) {
    const { exitCode, lines, errors } = await runCommand(args);
    assert.match(errors, message);
    assert.deepEqual([exitCode, lines], [2, []]);
  }
  const help = await runCommand(['--help']);
  assert.equal(help.exitCode, 0);
  assert.match(help.lines.join('\n'), /--queries FILE/);
});

test('gas is left out where its token is unknown, and the output says so', async () => {
  const bare = { ...market, tokens: TOKENS.map(({ id }) => ({ id })) };
  const silent = await runRoute(bare, QUERIES.slice(0, 1));
  assert.equal(silent.exitCode, 0);
  assert.match(silent.errors, /^No token has the sym WETH, so gas does not count: see --native\.\n$/);
  const asked = await runRoute(bare, [], ['--gas-price-wei', '5']);
  assert.deepEqual([asked.exitCode, asked.lines], [2, []]);
  const ambiguous = await runRoute(market, [], ['--native', '7']);
  assert.match(ambiguous.errors, /^--native must be .* more than one has the id 7\./);
  const twice = { ...market, tokens: TOKENS.map((token) => ({ ...token, sym: 'WETH' })) };
  assert.match((await runRoute(twice, [])).errors, /^Tokens "dollar" and 7 both have the sym WETH/);
});
