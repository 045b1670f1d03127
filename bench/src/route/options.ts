import { parseArgs } from 'node:util';
import { InputError } from './inputError.ts';
import { messageOf } from './jsonFile.ts';

/** Limits that no route reaches: more paths than any quote needs, and more pools in each. */
const FULL_WIDTH = { maxSplits: 1000, maxHops: 8 } as const;

const DEFAULT_GAS_PRICE_WEI = 1_000_000_000n;

/** The options of the command line. */
export type RouteOptions = {
  readonly marketPath: string;
  readonly queriesPath: string;
  readonly maxSplits: number;
  readonly maxHops: number;
  readonly repeat: number;
  readonly gas: GasOptions | undefined;
};

/** What gas costs, and the id of the token in which it is paid, where one was named. */
export type GasOptions = {
  readonly weiPerGas: bigint;
  readonly native: string | undefined;
  /** Whether the command line gave the price; otherwise it is the default. */
  readonly asked: boolean;
};

/** What `npm run --silent route -- --help` prints. */
export const USAGE = `Routes the queries of a file over the market of another, and prints a JSON line for each.

  npm run --silent route -- --market FILE --queries FILE [options]

      --max-splits N       paths a quote may split over (default ${FULL_WIDTH.maxSplits}: as many as help)
      --max-hops N         pools in a row a path may have (default ${FULL_WIDTH.maxHops})
      --no-gas             compare amounts alone
      --gas-price-wei N    what a unit of gas costs (default ${DEFAULT_GAS_PRICE_WEI}, one gwei)
      --native TOKEN       id of the token that gas is paid in (default the one whose sym is WETH)
      --repeat K           timed calls per query, after one that is not (default 1)

docs/routing.md describes the files and what is printed.
`;

const OPTIONS = {
  market: { type: 'string' },
  queries: { type: 'string' },
  'max-splits': { type: 'string' },
  'max-hops': { type: 'string' },
  'no-gas': { type: 'boolean' },
  'gas-price-wei': { type: 'string' },
  native: { type: 'string' },
  repeat: { type: 'string' },
  help: { type: 'boolean' },
} as const;

/** Reads the command line; undefined where help is asked for. @throws InputError */
export function readOptions(args: readonly string[]): RouteOptions | undefined {
  const values = parse(args);
  if (values.help === true) return undefined;
  const { market, queries } = values;
  if (market === undefined || queries === undefined)
    throw new InputError(`Give --market FILE and --queries FILE.\n\n${USAGE}`);
  return {
    marketPath: market,
    queriesPath: queries,
    maxSplits: count('--max-splits', values['max-splits'], FULL_WIDTH.maxSplits),
    maxHops: count('--max-hops', values['max-hops'], FULL_WIDTH.maxHops),
    repeat: count('--repeat', values.repeat, 1),
    gas: gasOptions(values['no-gas'] === true, values['gas-price-wei'], values.native),
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS }).values;
  } catch (error) {
    throw new InputError(`${messageOf(error)}\n\n${USAGE}`);
  }
}

function count(option: string, text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  if (!/^[1-9]\d{0,5}$/.test(text))
    throw new InputError(
      `${option} must be a whole number from 1 to 999999, and is ${JSON.stringify(text)}.`,
    );
  return Number(text);
}

function gasOptions(
  none: boolean,
  price: string | undefined,
  native: string | undefined,
): GasOptions | undefined {
  const asked = price !== undefined || native !== undefined;
  if (none && asked) throw new InputError('--no-gas contradicts --gas-price-wei and --native: give one.');
  if (none) return undefined;
  if (price !== undefined && !/^\d{1,30}$/.test(price))
    throw new InputError(`--gas-price-wei must be a whole number, and is ${JSON.stringify(price)}.`);
  return { weiPerGas: price === undefined ? DEFAULT_GAS_PRICE_WEI : BigInt(price), native, asked };
}
