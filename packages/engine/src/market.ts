import type { Address, Pool } from './types.ts';

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
};

/** Builds a market from pool states, usually all read at one block. */
export function createMarket(pools: Iterable<Pool>): Market {
  const byAddress = new Map<Address, Pool>();
  const addressesByToken = new Map<Address, Set<Address>>();
  let revision = 0;

  function link(token: Address, pool: Address): void {
    const linked = addressesByToken.get(token);
    if (linked === undefined) addressesByToken.set(token, new Set([pool]));
    else linked.add(pool);
  }

  function unlink(token: Address, pool: Address): void {
    const linked = addressesByToken.get(token);
    linked?.delete(pool);
    if (linked?.size === 0) addressesByToken.delete(token);
  }

  const market: Market = {
    get: (address) => byAddress.get(address),
    put(pool) {
      const replaced = byAddress.get(pool.address);
      byAddress.set(pool.address, pool);
      revision += 1;
      if (replaced === undefined) {
        link(pool.token0, pool.address);
        link(pool.token1, pool.address);
      }
      return replaced;
    },
    remove(address) {
      const removed = byAddress.get(address);
      if (removed === undefined) return undefined;
      byAddress.delete(address);
      revision += 1;
      unlink(removed.token0, address);
      unlink(removed.token1, address);
      return removed;
    },
    *poolsOf(token) {
      for (const address of addressesByToken.get(token) ?? []) {
        const pool = byAddress.get(address);
        if (pool !== undefined) yield pool;
      }
    },
    pools: () => byAddress.values(),
    tokens: () => addressesByToken.keys(),
    get poolCount() {
      return byAddress.size;
    },
    get revision() {
      return revision;
    },
  };
  for (const pool of pools) market.put(pool);
  return market;
}
