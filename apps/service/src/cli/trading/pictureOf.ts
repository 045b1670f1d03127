import type { Address, Quote } from '@fairway/engine';
import { eip55 } from '@fairway/api';
import type { PricedTrade } from '../../parts/trading/index.ts';
import { roundedAmount } from './amounts.ts';
import { sentenceOf } from './quoteText.ts';
import type { RoutePicture } from './routeSvg.ts';
import type { ShownToken, TradeQuestion } from './tradeQuestion.ts';

/** What a picture of a quote's route shows. */
export function pictureOf(question: TradeQuestion, priced: PricedTrade, quote: Quote): RoutePicture {
  const { chain, reading, tokenIn, tokenOut, tokenOf } = question;
  const amountOf = (units: bigint, token: ShownToken): string =>
    `${roundedAmount(units, token.decimals)} ${token.symbol}`;
  // A route trades native currency as its wrapped token; its first and last token are named as the user named them.
  const nameOf = (address: Address): string => {
    if (address === quote.tokenIn) return tokenIn.symbol;
    return (address === quote.tokenOut ? tokenOut : tokenOf(address)).symbol;
  };
  return {
    title: sentenceOf(question, priced),
    notes: [
      `${chain.name}, block ${reading.head.number} ${reading.head.hash}`,
      `Price impact ${quote.priceImpactBps / 100} %${boundNote(quote)}`,
    ],
    paid: roundedAmount(priced.amountIn, tokenIn.decimals),
    received: roundedAmount(priced.amountOut, tokenOut.decimals),
    paths: quote.paths.map(({ legs, amountIn }) => ({
      share: Number((amountIn * 1_000_000n) / quote.amountIn) / 1_000_000,
      tokens: [quote.tokenIn, ...legs.map((leg) => leg.tokenOut)].map((address) => ({
        id: address,
        name: nameOf(address),
      })),
      legs: legs.map((leg) => ({
        pool: leg.pool.address,
        kind: leg.pool.kind,
        label: `${leg.pool.source}, fee ${leg.pool.feePips / 10_000} %`,
        detail:
          `${eip55(leg.pool.address)}: ${amountOf(leg.amountIn, tokenOf(leg.tokenIn))} for ` +
          amountOf(leg.amountOut, tokenOf(leg.tokenOut)),
      })),
    })),
  };
}

function boundNote({ optimality }: Quote): string {
  return optimality === undefined
    ? ''
    : `; proven within ${optimality.gapBps} bps of the best route over the pools considered`;
}
