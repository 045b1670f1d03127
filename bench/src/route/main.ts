import { type Address, createMarket, type GasPrice } from '@fairway/engine';
import { numbered } from '../syntheticMarket.ts';
import { collectGarbage } from '../measuring/timing.ts';
import { answer, type LoadedMarket } from './answer.ts';
import { InputError } from './inputError.ts';
import { shown, type TokenId } from './jsonFile.ts';
import { type FileToken, readMarketFile } from './marketFile.ts';
import { type GasOptions, readOptions, USAGE } from './options.ts';
import { readQueryFile } from './queryFile.ts';

const DEFAULT_NATIVE_SYMBOL = 'WETH';

type Loaded = LoadedMarket & { readonly tokens: readonly FileToken[] };

/**
 * Runs the command. The exit code is 2 where arguments or a file cannot be used, and 1 where the engine is at fault.
 */
function runRoute(args: readonly string[]): number {
  const options = readOptions(args);
  if (options === undefined) {
    process.stdout.write(USAGE);
    return 0;
  }
  const queries = readQueryFile(options.queriesPath);
  const startedMs = performance.now();
  const loaded = load(options.marketPath);
  const loadMs = performance.now() - startedMs;
  const gasPrice = gasPriceOf(options.gas, loaded.tokens);
  printLine({
    loadMs: Number(loadMs.toFixed(3)),
    pools: loaded.market.poolCount,
    tokens: loaded.tokens.length,
    heapBytes: heapBytes(),
  });
  let exitCode = 0;
  for (const query of queries) {
    const { line, faulty } = answer(loaded, query, { ...options, gasPrice });
    if (faulty) exitCode = 1;
    printLine(line);
  }
  return exitCode;
}

function load(path: string): Loaded {
  const { tokens, pools, labels } = readMarketFile(path);
  return {
    tokens,
    labels,
    market: createMarket(pools),
    addresses: new Map<TokenId, Address>(tokens.map(({ id, address }) => [id, address])),
    ids: new Map<Address, TokenId>(tokens.map(({ id, address }) => [address, id])),
  };
}

/** The size of V8's heap and array buffers after garbage collection. */
function heapBytes(): number {
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

const NO_GAS: GasPrice = { weiPerGas: 0n, wrappedNative: numbered(0) };

function gasPriceOf(gas: GasOptions | undefined, tokens: readonly FileToken[]): GasPrice {
  if (gas === undefined) return NO_GAS;
  const { native, weiPerGas } = gas;
  const [found, another] = tokens.filter(({ id, symbol }) =>
    native === undefined ? symbol === DEFAULT_NATIVE_SYMBOL : String(id) === native,
  );
  if (found !== undefined && another === undefined) return { weiPerGas, wrappedNative: found.address };
  if (native !== undefined)
    throw new InputError(
      `--native must be the id of one token of the market, and ${found === undefined ? 'none' : 'more than one'} has the id ${native}.`,
    );
  if (another !== undefined)
    throw new InputError(
      `Tokens ${shown(found?.id)} and ${shown(another.id)} both have the sym ${DEFAULT_NATIVE_SYMBOL}: name one with --native, or use --no-gas.`,
    );
  if (gas.asked)
    throw new InputError(
      `No token has the sym ${DEFAULT_NATIVE_SYMBOL}: name the one gas is paid in with --native.`,
    );
  console.error(`No token has the sym ${DEFAULT_NATIVE_SYMBOL}, so gas does not count: see --native.`);
  return NO_GAS;
}

function printLine(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

// A reader that closes the pipe, such as `head`, ends the run.
process.stdout.on('error', () => process.exit(0));
try {
  process.exitCode = runRoute(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof InputError)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}
