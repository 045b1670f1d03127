import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { createMarket } from '@fairway/engine';
import { measureRouters } from './measure.ts';
import { powerLawMarket } from './powerLawMarket.ts';
import { type Claim, engineRouters, type Router } from './routers.ts';
import { routingQueries } from './queries.ts';

const root = join(import.meta.dirname, '..', '..', '..');

function bench(...args: string[]) {
  return spawnSync(process.execPath, ['--expose-gc', 'bench/src/routing/main.ts', ...args], {
    cwd: root,
    encoding: 'utf8',
    timeout: 120_000,
  });
}

/** The second column of a router's rows: how many queries it answered. */
function answeredBy(router: string, printed: string): string[] {
  const rows = printed.split('\n').filter((line) => line.startsWith(`| ${router}`));
  return rows.map((row) => row.split('|')[2]!.trim());
}

test('every market has a table for each trade type, and no answer of the engine is refuted', () => {
  const { status, stdout, stderr } = bench(
    '60',
    'examples/routing/market.json',
    '--queries',
    '6',
    '--seed',
    '3',
  );
  assert.equal(status, 0, stderr);
  assert.match(stdout, /^## 60 pools, seed 3$/m);
  assert.match(stdout, /^## 60 pools with arbitrage, seed 3$/m);
  for (const router of ['quote, full width', 'quote, 3 hops 16 paths', 'bestPathQuote']) {
    const answered = answeredBy(router, stdout);
    assert.equal(answered.length, 4);
    assert.ok(
      answered.every((text) => /^[1-6]\/6$/.test(text)),
      `${router}: ${answered.join()}`,
    );
  }
  const sdk = answeredBy('@uniswap/v3-sdk', stdout);
  assert.ok(sdk.length === 4 && sdk.some((text) => /^[1-6]\/6/.test(text)), sdk.join());
  assert.equal(stdout.match(/first quote after a block/g)?.length, 2);
  assert.match(stdout, /^No two of its tokens have a price/m);
});

test('the message about a wrong argument says what is expected', () => {
  const cases: [string[], RegExp][] = [
    [['nowhere.json'], /nowhere\.json cannot be read: ENOENT/],
    [['--queries', '0'], /^--queries must be a whole number from 1 to 999999, and is 0\./],
    [['--fast'], /'--fast'[\s\S]*npm run bench:routing -- \[SIZE \| MARKET-FILE\]/],
  ];
  for (const [args, message] of cases) {
    const { status, stderr } = bench(...args);
    assert.match(stderr, message);
    assert.equal(status, 2);
  }
});

test('an answer that does not execute as claimed is not counted', async () => {
  const shape = powerLawMarket({ poolCount: 60, seed: 1, arbitrage: false });
  const market = createMarket(shape.pools);
  const queries = routingQueries(shape, 6, 1);
  const [honest] = engineRouters(market) as [Router];
  const boastful = (boast: (claim: Claim) => Claim): Router => ({
    ...honest,
    prepare(query, tradeType) {
      const ask = honest.prepare(query, tradeType);
      return async () => {
        const claim = await ask();
        return claim && boast(claim);
      };
    },
  });
  const routers = [
    honest,
    boastful((claim) => ({ ...claim, amountOut: claim.amountOut + 1n })),
    boastful((claim) => ({ ...claim, legs: claim.legs.slice(1) })),
    boastful(({ legs, ...claim }) => ({
      ...claim,
      legs: legs.map((leg) => ({ ...leg, amountIn: (leg.amountIn - 1n) as typeof leg.amountIn })),
    })),
  ];
  const [answers, ...boasts] = await measureRouters(market, routers, queries, 'EXACT_IN');
  for (const { refuted, legs, behindBps, gapBps } of answers!) {
    assert.deepEqual([refuted, behindBps], [false, 0]);
    assert.ok(legs! > 0 && gapBps! >= 0);
  }
  for (const measured of boasts.flat())
    assert.deepEqual([measured.refuted, measured.legs, measured.gapBps], [true, undefined, undefined]);
});
