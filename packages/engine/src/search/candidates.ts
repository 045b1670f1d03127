import { type DepthClasses, NO_DEPTH } from './depth.ts';
import type { LinkedPool, Market } from '../market.ts';
import type { Address } from '../types.ts';

const HUBS = 12;
const NEAR = 12;
const COMMON = 24;
const POOLS_PER_PAIR = 10;
const POOLS = 400;

/** A choice of pools for a pair of tokens, and what it was made from. */
export type Candidates = {
  readonly pools: readonly Address[];
  /** Every token whose pools were looked at, with their depth revision then. */
  readonly watched: readonly (readonly [Address, number])[];
  readonly neighbourRevision: number;
};

/** Whether a choice is still the one that would be made now. */
export function areCurrent(market: Market, { watched, neighbourRevision }: Candidates): boolean {
  if (market.neighbourRevision !== neighbourRevision) return false;
  return watched.every(([token, revision]) => market.depthRevisionOf(token) === revision);
}

/**
 * Chooses the pools between two tokens worth searching: those among the tokens themselves, the market's hubs, each
 * side's deepest neighbours and the deepest common ones; the deepest pools of each pair, and of all. Decided by depth
 * classes and addresses alone, so it depends on the market as it is and on nothing that was asked before.
 */
export function chooseCandidates(market: Market, tokenIn: Address, tokenOut: Address): Candidates {
  const tokens = new Set([
    tokenIn,
    tokenOut,
    ...hubsOf(market),
    ...deepestNeighbours(market, tokenIn),
    ...deepestNeighbours(market, tokenOut),
    ...commonNeighbours(market, tokenIn, tokenOut),
  ]);
  const watched = [...tokens].map((token) => [token, market.depthRevisionOf(token)] as const);
  const links = linksAmong(market, tokens);
  const offsets = classOffsets(links, tokenIn);
  const ranked = links
    .flatMap(({ token0, token1, pools }) =>
      pools.map(({ address, depth }) => ({
        address,
        direct: token0 === tokenIn ? token1 === tokenOut : token1 === tokenIn && token0 === tokenOut,
        worth: Math.min(depth.of0 - (offsets.get(token0) ?? 0), depth.of1 - (offsets.get(token1) ?? 0)),
      })),
    )
    .sort((a, b) => Number(b.direct) - Number(a.direct) || b.worth - a.worth || byAddress(a, b));
  const pools = ranked.slice(0, POOLS).map(({ address }) => address);
  return { pools, watched, neighbourRevision: market.neighbourRevision };
}

function byAddress(a: { readonly address: Address }, b: { readonly address: Address }): number {
  return a.address < b.address ? -1 : a.address > b.address ? 1 : 0;
}

type Hubs = { readonly neighbourRevision: number; readonly hubs: readonly Address[] };

const hubsByMarket = new WeakMap<Market, Hubs>();

/** The tokens with the most neighbours. */
function hubsOf(market: Market): readonly Address[] {
  const known = hubsByMarket.get(market);
  if (known?.neighbourRevision === market.neighbourRevision) return known.hubs;
  const counted = [...market.tokens()].map((address) => ({ address, count: market.linksOf(address).size }));
  counted.sort((a, b) => b.count - a.count || byAddress(a, b));
  const hubs = counted.slice(0, HUBS).map(({ address }) => address);
  hubsByMarket.set(market, { neighbourRevision: market.neighbourRevision, hubs });
  return hubs;
}

/** A link's depth seen from one of its tokens; one-sided pools count only where there is nothing else. */
function depthOf(pools: ReadonlyMap<Address, LinkedPool>, ofFirst: boolean): number {
  let deepest = 2 * NO_DEPTH;
  for (const { depth } of pools.values()) {
    const [own, other] = ofFirst ? [depth.of0, depth.of1] : [depth.of1, depth.of0];
    deepest = Math.max(deepest, other === NO_DEPTH ? own + NO_DEPTH : own);
  }
  return deepest;
}

/** Whether a token is token0 of its pools with another: addresses are sorted. */
function isFirst(token: Address, other: Address): boolean {
  return token < other;
}

function deepestNeighbours(market: Market, token: Address): Address[] {
  const ranked: { address: Address; depth: number }[] = [];
  for (const [address, pools] of market.linksOf(token)) {
    // A neighbour without another pool leads nowhere.
    if (market.linksOf(address).size > 1)
      ranked.push({ address, depth: depthOf(pools, isFirst(token, address)) });
  }
  ranked.sort((a, b) => b.depth - a.depth || byAddress(a, b));
  return ranked.slice(0, NEAR).map(({ address }) => address);
}

/** Tokens that trade with both, by the lesser of their two links, both in units of the input token. */
function commonNeighbours(market: Market, tokenIn: Address, tokenOut: Address): Address[] {
  const onward = market.linksOf(tokenOut);
  const ranked: { address: Address; depth: number }[] = [];
  for (const [address, pools] of market.linksOf(tokenIn)) {
    const far = onward.get(address);
    if (far === undefined) continue;
    const near = depthOf(pools, isFirst(tokenIn, address));
    const nearInOther = depthOf(pools, isFirst(address, tokenIn));
    const depth = Math.min(near, near - nearInOther + depthOf(far, isFirst(address, tokenOut)));
    ranked.push({ address, depth });
  }
  ranked.sort((a, b) => b.depth - a.depth || byAddress(a, b));
  return ranked.slice(0, COMMON).map(({ address }) => address);
}

type ChosenLink = {
  readonly token0: Address;
  readonly token1: Address;
  /** Deepest first. */
  readonly pools: readonly LinkedPool[];
};

function linksAmong(market: Market, tokens: ReadonlySet<Address>): ChosenLink[] {
  const list = [...tokens].sort();
  const links: ChosenLink[] = [];
  for (const [index, token0] of list.entries()) {
    const neighbours = market.linksOf(token0);
    for (const token1 of list.slice(index + 1)) {
      const pools = neighbours.get(token1);
      if (pools === undefined) continue;
      const ranked = [...pools.values()].sort((a, b) => sum(b.depth) - sum(a.depth) || byAddress(a, b));
      links.push({ token0, token1, pools: ranked.slice(0, POOLS_PER_PAIR) });
    }
  }
  return links;
}

function sum({ of0, of1 }: DepthClasses): number {
  return of0 + of1;
}

/**
 * How many classes a token's amounts lie above the input token's for the same worth, read off the deepest links: a
 * spanning tree grown from the input token over whichever link is deepest next, so no shallow pool sets a price.
 */
function classOffsets(links: readonly ChosenLink[], tokenIn: Address): Map<Address, number> {
  const offsets = new Map([[tokenIn, 0]]);
  for (;;) {
    let best: { token: Address; offset: number; worth: number } | undefined;
    for (const { token0, token1, pools } of links) {
      const [known0, known1] = [offsets.get(token0), offsets.get(token1)];
      const [deepest] = pools;
      if (deepest === undefined || (known0 === undefined) === (known1 === undefined)) continue;
      const { of0, of1 } = deepest.depth;
      const found =
        known1 === undefined
          ? { token: token1, offset: (known0 ?? 0) + of1 - of0, worth: of0 - (known0 ?? 0) }
          : { token: token0, offset: known1 + of0 - of1, worth: of1 - known1 };
      if (best === undefined || found.worth > best.worth) best = found;
    }
    if (best === undefined) return offsets;
    offsets.set(best.token, best.offset);
  }
}
