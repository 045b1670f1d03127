import type { Chain, Token } from '@fairway/wire';
import { NATIVE_ADDRESS } from '@fairway/wire';
import type { ChainService } from '../chains/chainService.ts';
import { eip55 } from '../text/eip55.ts';
import { chainIdField, type Fields, optional, pointerTo } from '../fields/fields.ts';
import { type Answer, invalidFields, refuse } from './problem.ts';
import { type ChainsByDigits, unknownChain } from '../trading/trade.ts';

/** The market lists. A list that has not changed is the same object, so that its text and tag can be remembered. */
export type MarketLists = {
  chains(): Answer<readonly Chain[]>;
  tokens(fields: Fields): Answer<readonly Token[]>;
};

const NATIVE_DECIMALS = 18;

/** Makes the market lists over the configured chains. */
export function createMarketLists(services: readonly ChainService[], byDigits: ChainsByDigits): MarketLists {
  const ordered = [...services].sort((a, b) => a.chainId - b.chainId);
  const chains = ordered.map(({ chainId, name }) => ({ chainId, name }));
  const listOf = new Map(ordered.map((chain) => [chain.chainId, rememberedTokens(chain)] as const));
  let parts: readonly (readonly Token[])[] = [];
  let all: readonly Token[] = [];

  function allTokens(): readonly Token[] {
    const current = ordered.map(({ chainId }) => listOf.get(chainId)?.() ?? []);
    if (current.some((part, index) => part !== parts[index])) {
      parts = current;
      all = current.flat();
    }
    return all;
  }

  return {
    chains: () => ({ ok: true, body: chains }),
    tokens(fields) {
      const digits = optional(fields, 'chainId', chainIdField);
      if (fields.errors.length > 0) return refuse(invalidFields(fields.errors));
      if (digits === undefined) return { ok: true, body: allTokens() };
      const chain = byDigits.get(digits);
      if (chain === undefined) return refuse(unknownChain(digits, pointerTo(fields.origin, 'chainId')));
      return { ok: true, body: listOf.get(chain.chainId)?.() ?? [] };
    },
  };
}

/** The tokens of a chain, made anew only when a block has changed which there are. */
function rememberedTokens(chain: ChainService): () => readonly Token[] {
  let head: unknown;
  let poolCount = -1;
  let tokens: readonly Token[] = [];
  return () => {
    const { market } = chain.follower;
    if (head !== chain.follower.head() || poolCount !== market.poolCount) {
      head = chain.follower.head();
      poolCount = market.poolCount;
      const current = tokensOf(chain);
      if (!sameAddresses(current, tokens)) tokens = current;
    }
    return tokens;
  };
}

function sameAddresses(a: readonly Token[], b: readonly Token[]): boolean {
  return a.length === b.length && a.every(({ address }, index) => address === b[index]?.address);
}

/** Native currency first, then the listed tokens that a pool trades, by symbol. */
function tokensOf({ chainId, nativeSymbol, wrappedNative, follower }: ChainService): readonly Token[] {
  const traded = new Set(follower.market.tokens());
  const tokens: Token[] = [...follower.tokens.values()]
    .filter(({ address }) => traded.has(address))
    .map(({ address, symbol, decimals }) => ({ chainId, address: eip55(address), symbol, decimals }))
    .sort((a, b) => compare(a.symbol, b.symbol) || compare(a.address, b.address));
  if (!traded.has(wrappedNative)) return tokens;
  return [{ chainId, address: NATIVE_ADDRESS, symbol: nativeSymbol, decimals: NATIVE_DECIMALS }, ...tokens];
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
