import type { PoolRefusal, Rate, RefusedPool, UsedPool } from '@fairway/engine';
import { eip55 } from '@fairway/api';
import { exactAmount } from '@fairway/values';
import { decimalOf, roundedAmount } from './amounts.ts';
import type { ExplainedTrade } from './explainedTrade.ts';
import { blockFact, kindOf, quoteLines } from './quoteText.ts';
import { columns, factLines, shownSymbol, wrapped } from '../textLines.ts';
import type { ShownToken, TradeQuestion } from './tradeQuestion.ts';

/** Refused pools shown for each reason. */
const SHOWN_PER_REASON = 8;

/** An explanation for people: the quote, the pools it uses with their prices, and why other pools are not used. */
export function explanationText({ question, priced, refusal, explanation }: ExplainedTrade): string {
  const { reading } = question;
  const lines =
    priced === undefined
      ? [...wrapped(`No quote. ${refusal?.message ?? ''}`), '', ...factLines([blockFact(question)])]
      : quoteLines(question, priced);
  if (priced !== undefined && refusal !== undefined)
    lines.splice(1, 0, ...wrapped(`The service does not give this quote. ${refusal.message}`));
  if (explanation === undefined) return lines.join('\n');
  const { used, refused, notConsidered } = explanation;
  const inView = used.length + refused.length;
  lines.push(
    '',
    `Pools: ${exactAmount(BigInt(reading.market.poolCount), 0)} in the market, ${inView} considered, ${used.length} used.`,
  );
  if (used.length > 0)
    lines.push(
      '',
      'Prices, fees aside, before and after:',
      ...columns(used.map((pool) => usedCells(question, pool))),
    );
  for (const [reason, pools] of Map.groupBy(refused, (pool) => pool.refusal.reason))
    lines.push('', ...refusedLines(question, reason, pools));
  if (notConsidered > 0)
    lines.push('', `${notConsidered} other pools are on no path worth searching and were not considered.`);
  return lines.join('\n');
}

function usedCells({ tokenOf }: TradeQuestion, used: UsedPool): string[] {
  const [tokenIn, tokenOut] = [tokenOf(used.tokenIn), tokenOf(used.tokenOut)];
  const price = ({ numerator, denominator }: Rate): string =>
    decimalOf(numerator * 10n ** BigInt(tokenIn.decimals), denominator * 10n ** BigInt(tokenOut.decimals), 7);
  return [
    eip55(used.pool.address),
    `${Math.round(used.shareBps) / 100} %`,
    `${price(used.priceBefore)} -> ${price(used.priceAfter)}`,
    `${shownSymbol(tokenOut)} per ${shownSymbol(tokenIn)}`,
  ];
}

function refusedLines(
  question: TradeQuestion,
  reason: PoolRefusal['reason'],
  pools: readonly RefusedPool[],
): string[] {
  const shown = pools.slice(0, SHOWN_PER_REASON);
  const more = pools.length - shown.length;
  return [
    headings[reason](question),
    ...columns(shown.map((pool) => refusedCells(question, pool))),
    ...(more > 0 ? [`  and ${more} more; --json lists all`] : []),
  ];
}

const headings: Readonly<Record<PoolRefusal['reason'], (question: TradeQuestion) => string>> = {
  NOT_FOUND: () =>
    'Not found by the search, though each would gain, net of gas (at most the gap to the bound):',
  SPLITS: ({ trade }) =>
    `Not used because of the limit of ${counted(trade.maxSplits, 'path')} (--max-splits); each would gain, net of gas:`,
  GAS: () => 'Not used for their gas; each would gain less than it costs:',
  PRICE: () => 'Not used for their price; at the end of this trade one more unit is worse over them, by:',
  AMOUNT: () => 'Only on paths that cannot take the whole amount:',
  MIXES_VERSIONS: () => 'Only on paths that mix kinds of pools, which an exact output cannot take:',
  BEYOND_HOPS: ({ trade }) => `On no path of at most ${counted(trade.maxHops, 'pool')}:`,
  NO_LIQUIDITY: () => 'Without liquidity for this trade:',
  EXCLUDED_POOL: () => 'Excluded by --exclude-pools:',
  EXCLUDED_TOKEN: () => 'With tokens excluded by --exclude-tokens:',
  EXCLUDED_SOURCE: () => 'Excluded by --exclude-sources:',
};

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function refusedCells(question: TradeQuestion, { pool, refusal }: RefusedPool): string[] {
  const { tokenOf } = question;
  const pair = pool.tokens.map((token) => shownSymbol(tokenOf(token))).join('/');
  const measure = measureOf(refusal, comparedToken(question));
  return [...(measure === '' ? [] : [measure]), eip55(pool.address), kindOf(pool), pair];
}

function comparedToken({ trade, tokenOf }: TradeQuestion): ShownToken {
  return tokenOf(trade.tradeType === 'EXACT_IN' ? trade.tokenOut.address : trade.tokenIn.address);
}

function measureOf(refusal: PoolRefusal, token: ShownToken): string {
  const shown = (units: bigint): string => roundedAmount(units, token.decimals, 3);
  switch (refusal.reason) {
    case 'PRICE':
      return refusal.worseByBps === 0 ? 'as good' : `${refusal.worseByBps} bps`;
    case 'GAS':
      return `${shown(refusal.gain)} of ${shown(refusal.gasCost)} ${shownSymbol(token)}`;
    case 'SPLITS':
    case 'NOT_FOUND':
      return `${roundedAmount(refusal.gain, token.decimals)} ${shownSymbol(token)}`;
    case 'AMOUNT':
    case 'MIXES_VERSIONS':
    case 'BEYOND_HOPS':
    case 'NO_LIQUIDITY':
    case 'EXCLUDED_POOL':
    case 'EXCLUDED_TOKEN':
    case 'EXCLUDED_SOURCE':
      return '';
  }
}
