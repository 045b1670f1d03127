import type { Address } from '@fairway/engine';
import type { MarketAtBlock, TokenInfo } from '@fairway/evm';
import { HASH_PATTERN, NATIVE_ADDRESS, NATIVE_ADDRESSES } from '@fairway/wire';
import type { ChainConfig } from '../../platform/config/file.ts';
import type { ChainService } from '../../platform/chains/chainService.ts';
import { eip55, type Fields, invalidFields, type ProblemFacts, refuse } from '@fairway/api';
import {
  chainsByDigits,
  completeTrade,
  readTrade,
  resolveTrade,
  type Trade,
} from '../../parts/trading/index.ts';
import { CommandError, type CommandFault } from '../commandError.ts';
import { stillChain } from '../stillChain.ts';
import { chooseChain, readMarketOf } from './marketReading.ts';
import { type parseCommand } from '../../platform/config/commandLine.ts';
import { UsageError } from '../../platform/config/error.ts';
import type { Terminal } from '../terminal.ts';

/** The options of commands that ask for a trade. */
export const TRADE_OPTIONS = {
  chain: { type: 'string' },
  in: { type: 'string' },
  out: { type: 'string' },
  amount: { type: 'string' },
  'exact-out': { type: 'boolean' },
  'at-block': { type: 'string' },
  'max-splits': { type: 'string' },
  'max-hops': { type: 'string' },
  'priority-fee': { type: 'string' },
  'exclude-sources': { type: 'string' },
  'exclude-tokens': { type: 'string' },
  'exclude-pools': { type: 'string' },
  config: { type: 'string' },
  'ready-file': { type: 'string' },
  json: { type: 'boolean' },
} as const;

type Values = ReturnType<typeof parseCommand<typeof TRADE_OPTIONS>>['values'];

/** A token as people know it. */
export type ShownToken = { readonly symbol: string; readonly decimals: number };

/** A trade, and the market of a chain at one block that prices it. */
export type TradeQuestion = {
  readonly chain: ChainConfig;
  readonly reading: MarketAtBlock;
  readonly trade: Trade;
  /** The traded tokens, native currency under its own name. */
  readonly tokenIn: ShownToken;
  readonly tokenOut: ShownToken;
  readonly tokenOf: (address: Address) => ShownToken;
};

/** The option of the command line for each field of the API. */
const FLAGS: Readonly<Record<string, string>> = {
  chainId: '--chain',
  tokenIn: '--in',
  tokenOut: '--out',
  amount: '--amount',
  maxHops: '--max-hops',
  maxSplits: '--max-splits',
  excludeSources: '--exclude-sources',
  excludeTokens: '--exclude-tokens',
  excludePools: '--exclude-pools',
};

/**
 * Reads the trade of a command line, and the market that prices it. The same functions as for /v1/quote read, check
 * and resolve the fields, so that the command and the API understand a trade alike. The command line is checked
 * before a node is asked.
 * @throws UsageError, ConfigError, CommandError
 */
export async function readTradeQuestion(
  command: string,
  values: Values,
  { environment, notes }: Terminal,
): Promise<TradeQuestion> {
  const asked = askedOf(command, values);
  // A symbol becomes an address when the tokens are known. Until then the check uses any address in its place.
  const stand = (token: string): string => (isAddressLike(token) ? token : NATIVE_ADDRESS);
  const trial = fieldsOf('0', { ...asked, tokenIn: stand(asked.tokenIn), tokenOut: stand(asked.tokenOut) });
  readTrade(trial, new Map());
  if (trial.errors.length > 0)
    throw new UsageError(trial.errors.map(({ detail }) => inFlags(detail)).join('\n'));
  const place = { config: values.config, readyFile: values['ready-file'] };
  const chain = await chooseChain(values.chain, place, environment);
  const reading = withPriorityFee(
    await readMarketOf(chain, values['at-block'], notes),
    values['priority-fee'],
  );
  const [tokenIn, tokenOut] = [asked.tokenIn, asked.tokenOut].map((token) =>
    findToken(token, chain, reading),
  );
  if (tokenIn === undefined || tokenOut === undefined) throw new Error('A token is found or refused');
  const fields = fieldsOf(String(chain.chainId), {
    ...asked,
    tokenIn: tokenIn.address,
    tokenOut: tokenOut.address,
  });
  const chains = chainsByDigits([stillService(chain, reading)]);
  const ask = completeTrade(fields, readTrade(fields, chains), chains);
  const resolved = ask === undefined ? refuse(invalidFields(fields.errors)) : resolveTrade(ask);
  if (!resolved.ok) throw refusedTrade(resolved.problem, { tokenIn, tokenOut });
  return { chain, reading, trade: resolved.value, tokenIn, tokenOut, tokenOf: tokensOf(reading) };
}

function askedOf(command: string, values: Values) {
  const { in: tokenIn, out: tokenOut, amount } = values;
  if (tokenIn === undefined || tokenOut === undefined || amount === undefined)
    throw new UsageError(`${command} needs --in TOKEN, --out TOKEN and --amount N.`);
  const block = values['at-block'];
  if (block !== undefined && !new RegExp(HASH_PATTERN).test(block))
    throw new UsageError(`--at-block ${block}: give a block's hash, 0x and 64 hex digits.`);
  const fee = values['priority-fee'];
  if (fee !== undefined && !/^\d{1,30}$/.test(fee))
    throw new UsageError(
      `--priority-fee ${fee}: give wei per unit of gas, such as priorityFeePerGas of a quote.`,
    );
  return {
    tokenIn,
    tokenOut,
    amount,
    tradeType: values['exact-out'] ? 'EXACT_OUT' : 'EXACT_IN',
    maxHops: values['max-hops'],
    maxSplits: values['max-splits'],
    excludeSources: values['exclude-sources'],
    excludeTokens: values['exclude-tokens'],
    excludePools: values['exclude-pools'],
  };
}

/** A market with the priority fee that was given; else as the nodes tell it. */
function withPriorityFee(reading: MarketAtBlock, fee: string | undefined): MarketAtBlock {
  if (fee === undefined) return reading;
  return { ...reading, gasTerms: { ...reading.gasTerms, priorityFeePerGas: BigInt(fee) } };
}

/** The fields as a query string of /v1/quote has them. */
function fieldsOf(chainId: string, asked: ReturnType<typeof askedOf>): Fields {
  const given = Object.entries({ chainId, ...asked }).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, value]],
  );
  return { origin: 'QUERY', values: new Map(given), errors: [] };
}

/** Names the option instead of the field: a sentence about a field begins with the field's name. */
function inFlags(detail: string): string {
  return detail.replace(/^\w+/, (name) => FLAGS[name] ?? name);
}

function isAddressLike(token: string): boolean {
  return /^0x/i.test(token);
}

type FoundToken = ShownToken & { readonly address: string };

/** Finds a token by its address or by its symbol: first in the given letter case, then in any. @throws CommandError */
function findToken(asked: string, chain: ChainConfig, { tokens }: MarketAtBlock): FoundToken {
  const native: FoundToken = { symbol: chain.nativeSymbol, decimals: 18, address: NATIVE_ADDRESS };
  const listed = [...tokens.values()].map((token) => ({ ...token, address: eip55(token.address) }));
  const all: FoundToken[] = [native, ...listed];
  if (isAddressLike(asked)) {
    const isNative = NATIVE_ADDRESSES.includes(asked.toLowerCase());
    const known = isNative
      ? native
      : all.find(({ address }) => address.toLowerCase() === asked.toLowerCase());
    if (known !== undefined) return { ...known, address: asked };
    throw new CommandError('TOKEN_UNKNOWN', `${asked} is no listed token of ${chain.name}. ${listedOf(all)}`);
  }
  const exact = all.filter(({ symbol }) => symbol === asked);
  const alike = all.filter(({ symbol }) => symbol.toLowerCase() === asked.toLowerCase());
  const matches = exact.length > 0 ? exact : alike;
  const [only, ...others] = matches;
  if (only !== undefined && others.length === 0) return only;
  if (only === undefined)
    throw new CommandError(
      'TOKEN_UNKNOWN',
      `No listed token of ${chain.name} is called ${asked}. ${listedOf(all)}`,
    );
  const choices = matches.map(({ symbol, address }) => `  ${address}  ${symbol}`).join('\n');
  throw new CommandError(
    'TOKEN_AMBIGUOUS',
    `${matches.length} tokens of ${chain.name} are called ${asked}. Give the address of the one you mean:\n${choices}`,
  );
}

function listedOf(tokens: readonly FoundToken[]): string {
  const shown = tokens.slice(0, 20).map(({ symbol }) => symbol);
  const more = tokens.length > shown.length ? ` and ${tokens.length - shown.length} more` : '';
  return `Listed are ${shown.join(', ')}${more}.`;
}

function tokensOf({ tokens }: MarketAtBlock) {
  return (address: Address): ShownToken => {
    const token: TokenInfo | undefined = tokens.get(address);
    return token ?? { symbol: address.slice(0, 8), decimals: 0 };
  };
}

/** A served chain whose market stays at the block that was read. */
function stillService(chain: ChainConfig, reading: MarketAtBlock): ChainService {
  const { head, gasTerms, market, tokens, behaviours } = reading;
  return stillChain(chain, {
    ...{ market, tokens, behaviours },
    pool: market.get,
    head: () => head,
    gasTerms: () => gasTerms,
    reread: async () => 'RIGHT',
    request: () => Promise.reject(new Error('The block was read already.')),
  });
}

const FAULTS: Readonly<Record<string, readonly [code: CommandFault, remedy: string]>> = {
  'same-token': ['SAME_TOKEN', 'Give two different ones.'],
  'no-route': ['NO_ROUTE', 'Allow more with --max-hops or exclude less.'],
  'insufficient-liquidity': ['INSUFFICIENT_LIQUIDITY', 'Ask for less.'],
  'amount-out-of-range': ['AMOUNT_OUT_OF_RANGE', '--amount counts smallest units.'],
  'price-impact-too-high': [
    'PRICE_IMPACT_TOO_HIGH',
    "Ask for less, or raise the chain's maxPriceImpactBps in the configuration.",
  ],
};

/** The error of a command for a trade that the service would refuse, too. */
export function refusedTrade(
  { code, detail, errors }: ProblemFacts,
  { tokenIn, tokenOut }: Pick<TradeQuestion, 'tokenIn' | 'tokenOut'>,
): UsageError | CommandError {
  const [fault, remedy] = FAULTS[code] ?? [];
  if (fault === undefined)
    return new UsageError((errors ?? [{ detail }]).map((error) => inFlags(error.detail)).join('\n'));
  const named = detail.replace(/\btoken(In|Out)\b/g, (_, side) =>
    side === 'In' ? tokenIn.symbol : tokenOut.symbol,
  );
  // A problem that suggests an amount has said what to do.
  const isSuggested = errors?.some(({ suggestions }) => suggestions !== undefined) === true;
  return new CommandError(fault, isSuggested ? named : `${named} ${remedy}`);
}
