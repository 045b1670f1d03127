import type { Door } from '@fairway/api';
import type { ChainService } from '../../platform/chains/chainService.ts';
import { registerMarkets } from './markets.ts';
import { registerQuote } from './quote.ts';
import { registerRouters } from './routers.ts';
import { registerSwap } from './swap.ts';
import { chainsByDigits } from './trade.ts';

/** What trading works with. */
type TradingParts = { readonly chains: readonly ChainService[]; nowMs(): number };

/** Registers markets, quotes and swaps. */
export function registerTrading({ registrar }: Door, { chains, nowMs }: TradingParts): void {
  const byDigits = chainsByDigits(chains);
  registerMarkets(registrar, chains, byDigits);
  registerRouters(registrar, chains);
  registerQuote(registrar, byDigits, nowMs);
  registerSwap(registrar, byDigits, nowMs);
}
