import { type DepthClasses, depthClasses } from './search/depth.ts';
import type { Address, Pool } from './types.ts';

/** A pool as the choice of candidates sees it. */
export type LinkedPool = { readonly address: Address; readonly depth: DepthClasses };

/** The pools between a token and each of its neighbours. */
export type TokenLinks = ReadonlyMap<Address, ReadonlyMap<Address, LinkedPool>>;

/**
 * The pools of one chain at one block, with the index the router walks.
 * `put` and `remove` touch only the pool they name, so a block costs what it changed.
 */
export type Market = {
  /** The pool at an address. */
  get(address: Address): Pool | undefined;
  /** Adds or replaces a pool; returns the one it replaced, for an undo journal. */
  put(pool: Pool): Pool | undefined;
  /** Takes a pool out; returns it, for an undo journal. */
  remove(address: Address): Pool | undefined;
  /** The pools that trade a token. */
  poolsOf(token: Address): Iterable<Pool>;
  /** Every pool. */
  pools(): Iterable<Pool>;
  /** Tokens that at least one pool trades. */
  tokens(): Iterable<Address>;
  readonly poolCount: number;
  /** Grows with every `put` and `remove`: what was derived from the market holds while it stays. */
  readonly revision: number;
  /** A token's neighbours and the pools to each, with their depth classes. */
  linksOf(token: Address): TokenLinks;
  /** Changes when a pool of the token appears, vanishes, or moves to another depth class. */
  depthRevisionOf(token: Address): number;
  /** Changes when two tokens become or cease to be neighbours. */
  readonly neighbourRevision: number;
};

const NO_LINKS: TokenLinks = new Map();

/** Builds a market from pool states, usually all read at one block. */
export function createMarket(pools: Iterable<Pool>): Market {
  const byAddress = new Map<Address, Pool>();
  const links = createLinks(byAddress);
  let revision = 0;
  const market: Market = {
    get: (address) => byAddress.get(address),
    put(pool) {
      const replaced = byAddress.get(pool.address);
      byAddress.set(pool.address, pool);
      revision += 1;
      if (replaced !== undefined && !sameTokens(replaced, pool)) links.remove(replaced);
      links.put(pool);
      return replaced;
    },
    remove(address) {
      const removed = byAddress.get(address);
      if (removed === undefined) return undefined;
      byAddress.delete(address);
      revision += 1;
      links.remove(removed);
      return removed;
    },
    poolsOf: links.poolsOf,
    pools: () => byAddress.values(),
    tokens: links.tokens,
    get poolCount() {
      return byAddress.size;
    },
    get revision() {
      return revision;
    },
    linksOf: links.linksOf,
    depthRevisionOf: links.depthRevisionOf,
    get neighbourRevision() {
      return links.neighbourRevision();
    },
  };
  for (const pool of pools) market.put(pool);
  return market;
}

function sameTokens(a: Pool, b: Pool): boolean {
  return a.token0 === b.token0 && a.token1 === b.token1;
}

type Links = {
  put(pool: Pool): void;
  remove(pool: Pool): void;
  poolsOf(token: Address): Iterable<Pool>;
  tokens(): Iterable<Address>;
  linksOf(token: Address): TokenLinks;
  depthRevisionOf(token: Address): number;
  neighbourRevision(): number;
};

/** Two tokens share one map of their pools, reached from either side. */
function createLinks(byAddress: ReadonlyMap<Address, Pool>): Links {
  const byToken = new Map<Address, Map<Address, Map<Address, LinkedPool>>>();
  const revisions = new Map<Address, number>();
  let neighbourRevision = 0;

  function bump({ token0, token1 }: Pool): void {
    for (const token of [token0, token1]) revisions.set(token, (revisions.get(token) ?? 0) + 1);
  }

  function link(token: Address, other: Address, shared: Map<Address, LinkedPool>): void {
    const neighbours = byToken.get(token);
    if (neighbours === undefined) byToken.set(token, new Map([[other, shared]]));
    else neighbours.set(other, shared);
  }

  function unlink(token: Address, other: Address): void {
    const neighbours = byToken.get(token);
    neighbours?.delete(other);
    if (neighbours?.size === 0) byToken.delete(token);
  }

  return {
    put(pool) {
      const { token0, token1, address } = pool;
      const depth = depthClasses(pool);
      let shared = byToken.get(token0)?.get(token1);
      if (shared === undefined) {
        shared = new Map();
        link(token0, token1, shared);
        link(token1, token0, shared);
        neighbourRevision += 1;
      }
      const known = shared.get(address)?.depth;
      if (known?.of0 === depth.of0 && known.of1 === depth.of1) return;
      shared.set(address, { address, depth });
      bump(pool);
    },
    remove(pool) {
      const { token0, token1, address } = pool;
      const shared = byToken.get(token0)?.get(token1);
      shared?.delete(address);
      bump(pool);
      if (shared?.size !== 0) return;
      unlink(token0, token1);
      unlink(token1, token0);
      neighbourRevision += 1;
    },
    *poolsOf(token) {
      for (const shared of byToken.get(token)?.values() ?? [])
        for (const address of shared.keys()) {
          const pool = byAddress.get(address);
          if (pool !== undefined) yield pool;
        }
    },
    tokens: () => byToken.keys(),
    linksOf: (token) => byToken.get(token) ?? NO_LINKS,
    depthRevisionOf: (token) => revisions.get(token) ?? 0,
    neighbourRevision: () => neighbourRevision,
  };
}
