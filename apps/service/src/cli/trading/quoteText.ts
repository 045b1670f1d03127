import type { Leg, Path, Pool, Quote } from '@fairway/engine';
import type { SwapLimit } from '@fairway/evm';
import { limitOf, type PricedTrade } from '../../parts/trading/index.ts';
import { exactAmount } from '@fairway/values';
import { eip55 } from '@fairway/api';
import { decimalOf, roundedAmount } from './amounts.ts';
import { clipped, columns, type Fact, factLines, shownSymbol } from '../textLines.ts';
import type { ShownToken, TradeQuestion } from './tradeQuestion.ts';

/** Significant digits of a leg's amounts: as many as fit beside the pool's address. */
const LEG_DIGITS = 7;

/** A quote for people: the amounts paid and received, the price and the route. Lines have at most 100 columns. */
export function quoteText(question: TradeQuestion, priced: PricedTrade): string {
  return quoteLines(question, priced).join('\n');
}

/** The lines of a quote for people. */
export function quoteLines(question: TradeQuestion, priced: PricedTrade): string[] {
  const facts = [...amountFacts(question, priced), ...routeFacts(question, priced), blockFact(question)];
  return [
    clipped(headline(question, priced)),
    '',
    ...factLines(facts),
    '',
    ...(priced.routed === undefined
      ? ['Native currency and its wrapped token are exchanged 1:1, without a pool.']
      : pathLines(question, priced.routed)),
  ];
}

/** A sentence that names the amounts paid and received. */
export function sentenceOf({ tokenIn, tokenOut, trade }: TradeQuestion, priced: PricedTrade): string {
  const paid = `${roundedAmount(priced.amountIn, tokenIn.decimals)} ${shownSymbol(tokenIn)}`;
  const received = `${roundedAmount(priced.amountOut, tokenOut.decimals)} ${shownSymbol(tokenOut)}`;
  return trade.tradeType === 'EXACT_IN' ? `${paid} buys ${received}` : `${received} costs ${paid}`;
}

function headline(question: TradeQuestion, priced: PricedTrade): string {
  const { chain, reading } = question;
  const where = `on ${chain.name} (chain ${chain.chainId}) at block ${reading.head.number}`;
  return `${sentenceOf(question, priced)}, ${where}.`;
}

/** The exact amounts paid and received, and the price that follows from them. */
function amountFacts({ tokenIn, tokenOut, trade }: TradeQuestion, priced: PricedTrade): Fact[] {
  const { amountIn, amountOut } = priced;
  const slippage = `with ${trade.slippageBps / 100} % slippage`;
  const price = decimalOf(
    amountOut * 10n ** BigInt(tokenIn.decimals),
    amountIn * 10n ** BigInt(tokenOut.decimals),
  );
  const bound = boundOf(limitOf(priced), { tokenIn, tokenOut });
  return [
    ['You pay', bothUnits(amountIn, tokenIn)],
    ['You receive', bothUnits(amountOut, tokenOut)],
    ...(priced.routed === undefined ? [] : [[bound.name, `${bound.value}, ${slippage}`] as const]),
    ['Price', `${price} ${shownSymbol(tokenOut)} per ${shownSymbol(tokenIn)}`],
  ];
}

function boundOf(limit: SwapLimit, { tokenIn, tokenOut }: Pick<TradeQuestion, 'tokenIn' | 'tokenOut'>) {
  return 'minAmountOut' in limit
    ? { name: 'At least', value: bothUnits(limit.minAmountOut, tokenOut) }
    : { name: 'At most', value: bothUnits(limit.maxAmountIn, tokenIn) };
}

/** An amount in whole tokens and in smallest units, both exact. */
function bothUnits(units: bigint, token: ShownToken): string {
  return `${exactAmount(units, token.decimals)} ${shownSymbol(token)}  (${units})`;
}

/** What the route costs and how good it is. */
function routeFacts(question: TradeQuestion, { routed }: PricedTrade): Fact[] {
  if (routed === undefined) return [];
  return [
    ['Price impact', `${routed.priceImpactBps / 100} %, fees aside`],
    ['Pool fees', ...feesOf(question, routed)],
    ['Gas', gasOf(question, routed)],
    ...boundFact(question, routed),
  ];
}

function feesOf({ tokenOf }: TradeQuestion, { poolFees }: Quote): [string, ...string[]] {
  const sums = new Map<Leg['tokenIn'], bigint>();
  for (const { token, amount } of poolFees) sums.set(token, (sums.get(token) ?? 0n) + amount);
  const [first = 'none', ...others] = [...sums].map(([address, amount]) => {
    const token = tokenOf(address);
    return `${roundedAmount(amount, token.decimals)} ${shownSymbol(token)}`;
  });
  return [first, ...others];
}

function gasOf({ chain, reading, trade, tokenOf }: TradeQuestion, { gas }: Quote): string {
  const cost = `${roundedAmount(gas.cost, 18)} ${chain.nativeSymbol}`;
  const gwei = roundedAmount(reading.head.baseFeePerGas + (reading.gasTerms.priorityFeePerGas ?? 0n), 9);
  const out = tokenOf(trade.tokenOut.address);
  const worth =
    gas.costInTokenOut === undefined || trade.tokenOut.address === chain.wrappedNative
      ? ''
      : `, worth ${roundedAmount(gas.costInTokenOut, out.decimals)} ${shownSymbol(out)}`;
  return `about ${exactAmount(gas.units, 0)} units at ${gwei} gwei: ${cost}${worth}`;
}

function boundFact({ trade, tokenIn, tokenOut }: TradeQuestion, { optimality }: Quote): Fact[] {
  if (optimality === undefined) return [];
  const exactIn = trade.tradeType === 'EXACT_IN';
  const bound = bothUnits(optimality.upperBound, exactIn ? tokenOut : tokenIn);
  return [
    [
      'Bound',
      bound,
      `no route considered ${exactIn ? 'pays more' : 'costs less'}, gas aside; this one is within ${optimality.gapBps} bps`,
    ],
  ];
}

/** The block that the quote is derived from. */
export function blockFact({ reading }: TradeQuestion): Fact {
  return ['Block', `${reading.head.number}  ${reading.head.hash}`];
}

/** The paths of a quote in execution order, each with its legs. */
function pathLines(question: TradeQuestion, quote: Quote): string[] {
  const rows = columns(quote.legs.map((leg) => legCells(question, leg)));
  let next = 0;
  return quote.paths.flatMap((path, index) => {
    const first = next;
    next += path.legs.length;
    return [clipped(pathHeading(question, quote, path, index)), ...rows.slice(first, next)];
  });
}

function pathHeading(
  { tokenOf }: TradeQuestion,
  quote: Quote,
  { legs, amountIn }: Path,
  index: number,
): string {
  const [first] = legs;
  const tokens = [...(first === undefined ? [] : [first.tokenIn]), ...legs.map(({ tokenOut }) => tokenOut)];
  const way = tokens.map((token) => shownSymbol(tokenOf(token))).join(' -> ');
  return `Path ${index + 1}: ${percentOf(amountIn, quote.amountIn)} over ${way}`;
}

function legCells({ tokenOf }: TradeQuestion, { pool, ...leg }: Leg): string[] {
  const [tokenIn, tokenOut] = [tokenOf(leg.tokenIn), tokenOf(leg.tokenOut)];
  const amounts = [
    `${roundedAmount(leg.amountIn, tokenIn.decimals, LEG_DIGITS)} ${shownSymbol(tokenIn)}`,
    `${roundedAmount(leg.amountOut, tokenOut.decimals, LEG_DIGITS)} ${shownSymbol(tokenOut)}`,
  ];
  return [eip55(pool.address), kindOf(pool), amounts.join(' -> ')];
}

/** A pool's source and fee, such as `uniswap-v3 0.05 %`. */
export function kindOf({ source, feePips }: Pool): string {
  return `${source} ${feePips / 10_000} %`;
}

/** A part of a whole in percent, to hundredths. */
function percentOf(part: bigint, whole: bigint): string {
  const hundredths = whole === 0n ? 0n : (20_000n * part + whole) / (2n * whole);
  return `${Number(hundredths) / 100} %`;
}
