import type { Explanation, Rate, RefusedPool, UsedPool } from '@fairway/engine';
import { eip55 } from '@fairway/api';
import { decimalOf } from './amounts.ts';
import type { ExplainedTrade } from './explainedTrade.ts';
import { timelessBody } from './quote.ts';
import type { TradeQuestion } from './tradeQuestion.ts';

/** Significant digits of prices for scripts. */
const PRICE_DIGITS = 15;

/** An explanation for scripts: amounts in smallest units, prices in whole tokens. */
export function explanationJson({ question, priced, refusal, explanation }: ExplainedTrade): object {
  const { reading, chain, tokenIn, tokenOut } = question;
  return {
    asOf: { blockNumber: Number(reading.head.number), blockHash: reading.head.hash },
    chainId: chain.chainId,
    tokenIn: { address: question.trade.tokenIn.given, symbol: tokenIn.symbol, decimals: tokenIn.decimals },
    tokenOut: {
      address: question.trade.tokenOut.given,
      symbol: tokenOut.symbol,
      decimals: tokenOut.decimals,
    },
    quote: priced === undefined ? null : timelessBody(priced),
    refusal: refusal === undefined ? null : { code: refusal.code, detail: refusal.message },
    pools: {
      inMarket: reading.market.poolCount,
      ...(explanation === undefined ? NO_POOLS : poolsOf(question, explanation)),
    },
  };
}

const NO_POOLS = { notConsidered: 0, used: [], refused: [] };

function poolsOf(question: TradeQuestion, { used, refused, notConsidered }: Explanation) {
  return {
    notConsidered,
    used: used.map((pool) => usedJson(question, pool)),
    refused: refused.map((pool) => refusedJson(question, pool)),
  };
}

function identity({ pool }: UsedPool | RefusedPool) {
  const { address, kind, source, feePips } = pool;
  return { pool: eip55(address), kind, source, feeBps: feePips / 100 };
}

function usedJson({ tokenOf }: TradeQuestion, used: UsedPool) {
  const { tokenIn, tokenOut, amountIn, amountOut, shareBps } = used;
  const price = ({ numerator, denominator }: Rate): string =>
    decimalOf(
      numerator * 10n ** BigInt(tokenOf(tokenIn).decimals),
      denominator * 10n ** BigInt(tokenOf(tokenOut).decimals),
      PRICE_DIGITS,
    ).replaceAll(',', '');
  return {
    ...identity(used),
    tokenIn: eip55(tokenIn),
    tokenOut: eip55(tokenOut),
    amountIn: String(amountIn),
    amountOut: String(amountOut),
    shareBps,
    priceBefore: price(used.priceBefore),
    priceAfter: price(used.priceAfter),
  };
}

function refusedJson({ tokenOf }: TradeQuestion, refused: RefusedPool) {
  const { pool, refusal } = refused;
  return {
    ...identity(refused),
    tokens: pool.tokens.map((address) => ({
      address: eip55(address),
      symbol: tokenOf(address).symbol,
    })),
    reason: refusal.reason,
    ...('worseByBps' in refusal ? { worseByBps: refusal.worseByBps } : {}),
    ...('gain' in refusal ? { gain: String(refusal.gain) } : {}),
    ...('gasCost' in refusal ? { gasCost: String(refusal.gasCost) } : {}),
  };
}
