import { type Chain, type MarketToken, NATIVE_ADDRESS } from '@fairway/wire';
import type { ChainService } from '../../platform/chains/chainService.ts';
import { chainIdField, done, eip55, optional, type Registrar } from '@fairway/api';
import type { ChainsByDigits } from './trade.ts';
import { notTradedReason } from './tradeProblems.ts';

const NATIVE_DECIMALS = 18;

/**
 * Registers the lists of chains and tokens. An unchanged list is the same object, so that its text and tag can be
 * remembered.
 */
export function registerMarkets(
  registrar: Registrar,
  services: readonly ChainService[],
  byDigits: ChainsByDigits,
): void {
  const ordered = [...services].sort((a, b) => a.chainId - b.chainId);
  const chains: readonly Chain[] = ordered.map(({ chainId, name }) => ({ chainId, name }));
  const listOf = new Map(ordered.map((chain) => [chain.chainId, rememberedTokens(chain)] as const));
  const allTokens = rememberedList(() => ordered.map(({ chainId }) => listOf.get(chainId)?.() ?? []));

  function tokensOfChain(digits: string): readonly MarketToken[] {
    const chain = byDigits.get(digits);
    return chain === undefined ? [] : (listOf.get(chain.chainId)?.() ?? []);
  }

  registrar.list('listChains', { answer: () => done(chains) });
  registrar.list('listTokens', {
    input: (fields) => ({ digits: optional(fields, 'chainId', chainIdField) }),
    answer: ({ digits }) => done(digits === undefined ? allTokens() : tokensOfChain(digits)),
  });
}

/** Joins several lists into one. The joined list is made again only when one of the lists is another object. */
function rememberedList(current: () => readonly (readonly MarketToken[])[]): () => readonly MarketToken[] {
  let parts: readonly (readonly MarketToken[])[] = [];
  let all: readonly MarketToken[] = [];
  return () => {
    const next = current();
    if (next.some((part, index) => part !== parts[index])) {
      parts = next;
      all = next.flat();
    }
    return all;
  };
}

/** The tokens of a chain. The list is made again only when a block has changed which tokens are traded. */
function rememberedTokens(chain: ChainService): () => readonly MarketToken[] {
  let head: unknown;
  let poolCount = -1;
  let tokens: readonly MarketToken[] = [];
  return () => {
    const { market } = chain.follower;
    if (head !== chain.follower.head() || poolCount !== market.poolCount) {
      head = chain.follower.head();
      poolCount = market.poolCount;
      const current = tokensOf(chain);
      if (!sameTokens(current, tokens)) tokens = current;
    }
    return tokens;
  };
}

function sameTokens(a: readonly MarketToken[], b: readonly MarketToken[]): boolean {
  return (
    a.length === b.length &&
    a.every(({ address, reason }, index) => address === b[index]?.address && reason === b[index].reason)
  );
}

/** Native currency, followed by the listed tokens that a pool trades or could, but for the token, sorted by symbol. */
function tokensOf({ chainId, nativeSymbol, wrappedNative, follower }: ChainService): readonly MarketToken[] {
  const traded = new Set(follower.market.tokens());
  const tokens: MarketToken[] = [...follower.tokens.values()]
    .flatMap(({ address, symbol, decimals }) => {
      const token = { chainId, address: eip55(address), symbol, decimals };
      const behaviour = follower.behaviours.get(address);
      if (behaviour?.kind === 'TAXED')
        return [{ ...token, traded: false, reason: notTradedReason(behaviour) }];
      return traded.has(address) ? [{ ...token, traded: true }] : [];
    })
    .sort((a, b) => compare(a.symbol, b.symbol) || compare(a.address, b.address));
  if (!traded.has(wrappedNative)) return tokens;
  return [
    { chainId, address: NATIVE_ADDRESS, symbol: nativeSymbol, decimals: NATIVE_DECIMALS, traded: true },
    ...tokens,
  ];
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
