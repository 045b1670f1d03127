import { priceAsked } from '../trading/meantTrade.ts';
import { limitOf } from '../trading/priceTrade.ts';
import { quoteBody } from '../trading/quoteBody.ts';
import { type ChainsByDigits, completeTrade, resolveTrade } from '../trading/trade.ts';
import { readTrade } from '../trading/tradeFields.ts';
import type { Registrar } from './registrar.ts';

/** GET /v1/quote: a quote from one block. There is no `await` from reading the market to the answer. */
export function registerQuote(registrar: Registrar, chains: ChainsByDigits, nowMs: () => number): void {
  registrar.read('getQuote', {
    input: (fields) => completeTrade(fields, readTrade(fields), chains),
    answer(ask) {
      const trade = resolveTrade(ask);
      if (!trade.ok) return trade;
      const priced = priceAsked(trade.value, nowMs());
      if (!priced.ok) return priced;
      return { ok: true, body: quoteBody(priced.value, limitOf(priced.value)) };
    },
  });
}
