import { parseArgs } from 'node:util';
import { createMarket } from '@fairway/engine';
import { machineFacts } from '../measuring/machine.ts';
import { InputError } from '../route/inputError.ts';
import { messageOf } from '../route/jsonFile.ts';
import { short } from '../measuring/statistics.ts';
import { collectGarbage } from '../measuring/timing.ts';
import { timeBlocks } from './blocks.ts';
import { measureRouters } from './measure.ts';
import { powerLawMarket } from './powerLawMarket.ts';
import { blocksTable, routersTable } from './report.ts';
import { engineRouters } from './routers.ts';
import { type RoutingMarket, snapshotMarket } from './market.ts';
import { routingQueries } from './queries.ts';
import { V3_SDK_NOTE, v3SdkRouter } from './v3SdkRouter.ts';

const DEFAULT_SIZES = ['200', '1000', '5000', '20000'];
const DEFAULT_QUERIES = 36;
const DEFAULT_SEED = 1;

const usage = `npm run bench:routing -- [SIZE | MARKET-FILE]... [--queries N] [--seed N]

SIZE makes up a market of as many pools, once without and once with arbitrage (default ${DEFAULT_SIZES.join(', ')}).
A market file is read as npm run route reads it; its tokens need usd and dec.`;

const NOTES = `Gas is left out, so that what is measured is the search. Small, medium and large amounts take turns. An answer counts
once a step-by-step replay of its legs gave what it claims; one that the replay refutes does not.

- ms, p95: of a query answered, the median of some calls after a warm-up; the median and 95th percentile of the queries.
- time: a query's time as a multiple of the first row's, the median.
- gap, p90, max: to a bound over every pool of the market. With arbitrage no route reaches it.
- proven p90: the gap that answers carry, to the best over the pools that the engine chose for the pair.
- behind: the most that an answer is behind the best answer of any row, in Bps.
- ${V3_SDK_NOTE}`;

type Plan = {
  readonly markets: readonly (() => RoutingMarket)[];
  readonly queries: number;
  readonly seed: number;
};

/** Prints figures to stdout and progress to stderr. */
async function runRoutingBench({ markets, queries, seed }: Plan): Promise<void> {
  console.log(`${machineFacts(new Date())}\n\n${NOTES}\n`);
  for (const make of markets) await benchMarket(make(), queries, seed);
}

async function benchMarket(shape: RoutingMarket, queryCount: number, seed: number): Promise<void> {
  const startedMs = performance.now();
  const market = createMarket(shape.pools);
  const loadMs = performance.now() - startedMs;
  const queries = routingQueries(shape, queryCount, seed);
  console.log(`## ${shape.name}\n\n${shape.pools.length} pools, indexed in ${short(loadMs)} ms.\n`);
  if (queries.length === 0) {
    console.log('No two of its tokens have a price and enough in their pools to be asked for.\n');
    return;
  }
  const routers = [...engineRouters(market), v3SdkRouter(shape)];
  for (const tradeType of ['EXACT_IN', 'EXACT_OUT'] as const) {
    console.error(`  ${shape.name}: ${tradeType}`);
    collectGarbage();
    const rows = await measureRouters(market, routers, queries, tradeType);
    const names = routers.map(({ name }) => name);
    console.log(`${routersTable(tradeType, names, rows, shape.arbitrage)}\n`);
  }
  console.error(`  ${shape.name}: blocks`);
  collectGarbage();
  console.log(`${blocksTable('Around a block, EXACT_IN', timeBlocks(shape, queries, seed))}\n`);
}

function readPlan(args: readonly string[]): Plan {
  const { values, positionals } = parse(args);
  const seed = wholeNumber('--seed', values.seed, DEFAULT_SEED);
  return {
    seed,
    queries: wholeNumber('--queries', values.queries, DEFAULT_QUERIES),
    markets: (positionals.length > 0 ? positionals : DEFAULT_SIZES).flatMap((text) => {
      if (!/^\d+$/.test(text)) return [() => snapshotMarket(text)];
      const poolCount = wholeNumber('SIZE', text, 0);
      return [false, true].map((arbitrage) => () => powerLawMarket({ poolCount, seed, arbitrage }));
    }),
  };
}

function parse(args: readonly string[]) {
  const options = { queries: { type: 'string' }, seed: { type: 'string' } } as const;
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new InputError(`${messageOf(error)}\n\n${usage}`);
  }
}

function wholeNumber(what: string, text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  if (!/^[1-9]\d{0,5}$/.test(text))
    throw new InputError(`${what} must be a whole number from 1 to 999999, and is ${text}.\n\n${usage}`);
  return Number(text);
}

try {
  await runRoutingBench(readPlan(process.argv.slice(2)));
} catch (error) {
  if (!(error instanceof InputError)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}
