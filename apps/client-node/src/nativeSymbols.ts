import type { Markets } from '@fairway/sdk/markets';
import { NATIVE } from '@fairway/sdk/checks';

/** How the native currency of a chain is called, for display alone; undefined while nobody has said it. */
export type NativeSymbols = (chainId: number) => Promise<string | undefined>;

/** The page does not wait longer for a word. */
const PATIENCE = { budgetMs: 1_000 } as const;

/** Asks the service how native currencies are called, once for each chain. */
export function createNativeSymbols(markets: Pick<Markets, 'tokens'>): NativeSymbols {
  const known = new Map<number, string>();
  return async (chainId) => {
    if (known.has(chainId)) return known.get(chainId);
    try {
      const tokens = await markets.tokens({ chainId }, PATIENCE);
      const symbol = tokens.find(({ address }) => address.toLowerCase() === NATIVE)?.symbol;
      if (symbol !== undefined && /^[!-~]{1,16}$/.test(symbol)) known.set(chainId, symbol);
    } catch {
      // The page says the amount without it.
    }
    return known.get(chainId);
  };
}
