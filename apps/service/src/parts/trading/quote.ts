import { priceAsked } from './meantTrade.ts';
import { limitOf } from './priceTrade.ts';
import { quoteBody } from './quoteBody.ts';
import { type ChainsByDigits, completeTrade, resolveTrade } from './trade.ts';
import { readTrade } from './tradeFields.ts';
import type { Registrar } from '@fairway/api';

/** GET /v1/quote: a quote from one block. There is no `await` from reading the market to the answer. */
export function registerQuote(registrar: Registrar, chains: ChainsByDigits, nowMs: () => number): void {
  registrar.read('getQuote', {
    input: (fields) => completeTrade(fields, readTrade(fields, chains), chains),
    answer(ask) {
      const trade = resolveTrade(ask);
      if (!trade.ok) return trade;
      const priced = priceAsked(trade.value, nowMs());
      if (!priced.ok) return priced;
      return { ok: true, body: quoteBody(priced.value, limitOf(priced.value)) };
    },
  });
}
