import { NO_DEPTH } from '../curves/depth.ts';
import { type Direction, directionCount, paidIn, soldIn } from '../pools/direction.ts';
import { kindOf } from '../pools/poolKinds.ts';
import type { Address, Pool } from '../types.ts';
import { createEdgeDepths, type EdgeDepths } from './edgeDepths.ts';

/**
 * A market in numbers, as the search reads it: tokens, pools and their directions by small integers, prices in columns.
 * A pool has an edge for each direction, so that inner loops see edges and never ask which tokens a pool has. Kept in
 * step by the market, pool by pool. Numbers depend on the order in which pools came and never leave the engine.
 */
export type Network = {
  /** The number of a token; undefined where no pool ever traded it. */
  tokenOf(address: Address): number | undefined;
  /** The edge of a pool in its first direction, which those of the others follow; undefined where the market does not hold it. */
  firstEdgeOf(address: Address): number | undefined;
  /** Tokens by number; those that no pool trades any more stay. */
  readonly tokens: readonly Address[];
  /** Tokens that at least one pool trades. */
  readonly tokenCount: number;
  /** The edges that sell a token, by token number. Those of one pool follow each other. */
  readonly edgesFrom: readonly (readonly number[])[];
  /** The edges that pay a token, by token number. */
  readonly edgesTo: readonly (readonly number[])[];
  /** The pool of each edge; undefined where one was taken out. */
  readonly pools: readonly (Pool | undefined)[];
  readonly direction: readonly Direction[];
  /** The numbers of the tokens that each edge sells and pays. */
  readonly from: readonly number[];
  readonly to: readonly number[];
  /** Square root of what a first unit sold brings, fee taken off; 0 where nothing is for sale. */
  readonly rate: readonly number[];
  readonly depths: EdgeDepths;
  /** Writes a pool's state, at new edges where it has none. */
  put(pool: Pool): void;
  /** Empties a pool's edges. */
  remove(pool: Pool): void;
};

/** An empty network. */
export function createNetwork(): Network {
  const tokens = createTokens();
  const firstEdges = new Map<Address, number>();
  /** First edges of pools that were taken out, by how many edges follow each other. */
  const free: number[][] = [];
  const pools: (Pool | undefined)[] = [];
  const direction: Direction[] = [];
  const [from, to, rate]: [number[], number[], number[]] = [[], [], []];
  const depths = createEdgeDepths({ edgesTo: tokens.edgesTo, from, to });

  function newEdges(pool: Pool): number {
    const count = directionCount(pool);
    const first = free[count]?.pop() ?? pools.length;
    firstEdges.set(pool.address, first);
    const ends = pool.tokens.map(tokens.numberOf);
    for (let at = 0; at < count; at += 1) {
      const edge = first + at;
      const [sold, paid] = [ends[soldIn(pool, at)] as number, ends[paidIn(pool, at)] as number];
      [pools[edge], direction[edge], from[edge], to[edge], rate[edge]] = [pool, at, sold, paid, 0];
      tokens.link(edge, sold, paid);
    }
    return first;
  }

  return {
    tokenOf: tokens.tokenOf,
    firstEdgeOf: (address) => firstEdges.get(address),
    tokens: tokens.addresses,
    get tokenCount() {
      return tokens.traded();
    },
    edgesFrom: tokens.edgesFrom,
    edgesTo: tokens.edgesTo,
    pools,
    direction,
    from,
    to,
    rate,
    depths,
    put(pool) {
      const first = firstEdges.get(pool.address) ?? newEdges(pool);
      const kind = kindOf(pool);
      const [payable, rates] = [kind.depths(pool), kind.startRates(pool)];
      for (let at = 0; at < rates.length; at += 1) {
        const [edge, depth] = [first + at, payable[paidIn(pool, at)] as number];
        pools[edge] = pool;
        // A pool can have a price and nothing to pay there: on the last tick of its liquidity.
        rate[edge] = depth === NO_DEPTH ? 0 : (rates[at] as number);
        depths.set(edge, depth);
      }
    },
    remove(pool) {
      const first = firstEdges.get(pool.address);
      if (first === undefined) return;
      firstEdges.delete(pool.address);
      const count = directionCount(pool);
      for (let edge = first; edge < first + count; edge += 1) {
        depths.set(edge, NO_DEPTH);
        pools[edge] = undefined;
        tokens.unlink(edge, from[edge] as number, to[edge] as number);
      }
      (free[count] ??= []).push(first);
    },
  };
}

/** The tokens of a network by number, and the edges that sell and pay each. */
function createTokens() {
  const numbers = new Map<Address, number>();
  const addresses: Address[] = [];
  const [edgesFrom, edgesTo]: [number[][], number[][]] = [[], []];
  let traded = 0;
  return {
    addresses,
    edgesFrom,
    edgesTo,
    tokenOf: (address: Address) => numbers.get(address),
    /** Tokens that some edge sells. */
    traded: () => traded,
    numberOf(address: Address): number {
      const known = numbers.get(address);
      if (known !== undefined) return known;
      const number = addresses.push(address) - 1;
      numbers.set(address, number);
      edgesFrom.push([]);
      edgesTo.push([]);
      return number;
    },
    link(edge: number, sold: number, paid: number): void {
      if (edgesFrom[sold]?.push(edge) === 1) traded += 1;
      edgesTo[paid]?.push(edge);
    },
    unlink(edge: number, sold: number, paid: number): void {
      takeOut(edgesFrom[sold], edge);
      takeOut(edgesTo[paid], edge);
      if (edgesFrom[sold]?.length === 0) traded -= 1;
    },
  };
}

function takeOut(list: number[] | undefined, edge: number): void {
  list?.splice(list.indexOf(edge), 1);
}
