import type { Address, Pool } from '../types.ts';
import { createNetwork, type Network } from './network.ts';

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
  /** Tokens that at least one pool trades. */
  readonly tokenCount: number;
  /** Grows with every `put` and `remove`. While it is the same, everything derived from the market is still true. */
  readonly revision: number;
  /** The same pools in numbers, as the search reads them. */
  readonly network: Network;
};

/**
 * Builds a market from pool states, usually all read at one block.
 *
 * @example
 * ```ts
 * import { createMarket, type Pool } from '@fairway/engine';
 *
 * declare const pools: readonly Pool[];
 * declare const changed: Pool;
 *
 * const market = createMarket(pools);
 * const before = market.put(changed); // the pool that was at this address
 * ```
 */
export function createMarket(pools: Iterable<Pool>): Market {
  const byAddress = new Map<Address, Pool>();
  const network = createNetwork();
  let revision = 0;
  const market: Market = {
    get: (address) => byAddress.get(address),
    put(pool) {
      const replaced = byAddress.get(pool.address);
      byAddress.set(pool.address, pool);
      revision += 1;
      if (replaced !== undefined && !sameTokens(replaced, pool)) network.remove(replaced);
      network.put(pool);
      return replaced;
    },
    remove(address) {
      const removed = byAddress.get(address);
      if (removed === undefined) return undefined;
      byAddress.delete(address);
      revision += 1;
      network.remove(removed);
      return removed;
    },
    poolsOf: (token) => poolsOf(network, token),
    pools: () => byAddress.values(),
    tokens: () => network.tokens.filter((_, number) => network.edgesFrom[number]?.length !== 0),
    get poolCount() {
      return byAddress.size;
    },
    get tokenCount() {
      return network.tokenCount;
    },
    get revision() {
      return revision;
    },
    network,
  };
  for (const pool of pools) market.put(pool);
  return market;
}

function poolsOf(network: Network, token: Address): Pool[] {
  const number = network.tokenOf(token);
  const found: Pool[] = [];
  for (const edge of number === undefined ? [] : (network.edgesFrom[number] ?? [])) {
    const pool = network.pools[edge];
    if (pool !== undefined && pool !== found.at(-1)) found.push(pool);
  }
  return found;
}

function sameTokens(a: Pool, b: Pool): boolean {
  return a.tokens.length === b.tokens.length && a.tokens.every((token, at) => token === b.tokens[at]);
}
