import type { PoolOutcome } from '../exact/outcome.ts';
import type { Network } from '../market/network.ts';
import type { Direction } from '../pools/direction.ts';
import { buyFrom, hopGasUnits, sellTo } from '../pools/poolSwap.ts';
import type { Pool } from '../types.ts';

/** The longest path that `findWalks` looks for. No path of at most this length to the goal can visit a token twice. */
export const MAX_HOPS = 3;

/**
 * Walks kept per token and number of hops, those with the best amounts: enough not to lose the beginning of a best
 * path.
 */
const KEPT_PER_TOKEN = 64;

/** An amount reached by walking pools from the start, and the gas of that walk. */
export type Walk = {
  /** The number of the token in the network. */
  readonly token: number;
  readonly amount: bigint;
  readonly gasUnits: number;
  /** The last pool walked and the walk before it; absent at the start. */
  readonly last: { readonly pool: Pool; readonly direction: Direction; readonly from: Walk } | undefined;
};

/** Which way a search walks: from the input forward, or from the output back. */
export type SearchDirection = {
  /** Whether it walks edges the way they sell. */
  readonly sells: boolean;
  /** Walks one pool. */
  readonly through: (pool: Pool, direction: Direction, amount: bigint) => PoolOutcome | undefined;
  /** Whether an amount is the better one to arrive with. */
  readonly better: (a: bigint, b: bigint) => boolean;
};

/** Walks from an exact input: more is better. */
export const FORWARD: SearchDirection = { sells: true, through: sellTo, better: (a, b) => a > b };

/** Walks from an exact output back: less is better. */
export const BACKWARD: SearchDirection = { sells: false, through: buyFrom, better: (a, b) => a < b };

/** What to search: walks from `start` to `goal`, numbers of the network, through usable pools. */
export type Search = {
  readonly direction: SearchDirection;
  readonly start: number;
  readonly goal: number;
  readonly amount: bigint;
  readonly maxHops: number;
  readonly usable: (pool: Pool) => boolean;
};

/** What a search found. */
export type SearchResult = {
  /** Whether usable pools connect the tokens at all, whatever their liquidity. */
  readonly connected: boolean;
  /** Whether some pool on the way would have turned the amount into nothing. */
  readonly vanished: boolean;
  /** Walks that reach the goal, best amount first. */
  readonly walks: readonly Walk[];
};

/**
 * Finds the best walks between two tokens, layer by layer: the walks of h hops extend the best ones of h - 1.
 * A larger input to a pool never gives a smaller output. So each pool is walked with the best amount that
 * reaches it and that it can take. Worse amounts are tried only when they cost less gas. Without gas this
 * finds the best of all paths of up to two hops. It also finds the best of three hops, unless a pool near its
 * depth refuses the best amount and would take a smaller one. The result depends on the pools alone, not on
 * their order.
 */
export function findWalks(network: Network, search: Search): SearchResult {
  const { start, goal, direction } = search;
  const { edges, ends } = waysOf(network, direction);
  const maxHops = Math.min(search.maxHops, MAX_HOPS);
  const reaches = reachability(network, search);
  if (start === goal || !reaches(start, maxHops)) return { connected: false, vanished: false, walks: [] };
  const arrived: Walk[] = [];
  let vanished = false;
  let layer: Map<number, Walk[]> = new Map([
    [start, [{ token: start, amount: search.amount, gasUnits: 0, last: undefined }]],
  ]);
  for (let hopsLeft = maxHops - 1; hopsLeft >= 0; hopsLeft -= 1) {
    const next = new Map<number, Walk[]>();
    for (const [token, walks] of layer) {
      for (const edge of edges[token] ?? []) {
        const [pool, to] = [network.pools[edge], ends[edge] as number];
        if (pool === undefined || to === start || !search.usable(pool) || !reaches(to, hopsLeft)) continue;
        const step = { pool, direction: network.direction[edge] as Direction, to };
        for (const walk of walksThrough(direction, walks, step)) {
          if (walk.amount === 0n) vanished = true;
          else append(next, walk);
        }
      }
    }
    arrived.push(...(next.get(goal) ?? []));
    next.delete(goal);
    for (const [token, walks] of next) next.set(token, ranked(direction, walks).slice(0, KEPT_PER_TOKEN));
    layer = next;
  }
  return { connected: true, vanished, walks: ranked(direction, arrived) };
}

/** The edges that lead on from each token, and the token that each leads to. */
function waysOf({ edgesFrom, edgesTo, from, to }: Network, { sells }: SearchDirection) {
  return sells ? { edges: edgesFrom, ends: to } : { edges: edgesTo, ends: from };
}

/** The pools of a walk in the order walked. */
function poolsOfWalk(walk: Walk): Pool[] {
  const pools: Pool[] = [];
  for (let at = walk.last; at !== undefined; at = at.from.last) pools.push(at.pool);
  return pools.reverse();
}

/** A total order of walks over equal amounts and gas, so that ties never depend on insertion order. */
function compareByPools(a: Walk, b: Walk): number {
  const [keyOfA, keyOfB] = [a, b].map((walk) =>
    poolsOfWalk(walk)
      .map((pool) => pool.address)
      .join(),
  );
  return keyOfA === keyOfB ? 0 : (keyOfA ?? '') < (keyOfB ?? '') ? -1 : 1;
}

type Step = { readonly pool: Pool; readonly direction: Direction; readonly to: number };

/**
 * Extends ranked walks by one pool. A walk is left out if its amount is not better and its gas not less than those of a
 * walk that the pool took. A walk that the pool refuses does not rule out others, because a smaller amount may fit.
 */
function walksThrough(search: SearchDirection, walks: readonly Walk[], step: Step): Walk[] {
  const { pool, direction, to } = step;
  const extended: Walk[] = [];
  let leastGasUnits = Number.POSITIVE_INFINITY;
  for (const from of walks) {
    if (from.gasUnits >= leastGasUnits) continue;
    const outcome = search.through(pool, direction, from.amount);
    if (outcome === undefined) continue;
    leastGasUnits = from.gasUnits;
    const gasUnits = from.gasUnits + hopGasUnits(pool, outcome.crossed);
    extended.push({ token: to, amount: outcome.amount, gasUnits, last: { pool, direction, from } });
  }
  return extended;
}

function append(layer: Map<number, Walk[]>, walk: Walk): void {
  const walks = layer.get(walk.token);
  if (walks === undefined) layer.set(walk.token, [walk]);
  else walks.push(walk);
}

/** Walks to one token, best amount first, then least gas. */
function ranked(direction: SearchDirection, walks: readonly Walk[]): Walk[] {
  return walks.toSorted((a, b) => {
    if (a.amount !== b.amount) return direction.better(a.amount, b.amount) ? -1 : 1;
    return a.gasUnits - b.gasUnits || compareByPools(a, b);
  });
}

/**
 * Whether a token reaches the goal within a number of hops without passing the start again.
 * Spares quoting the many pools of a hub token that lead nowhere.
 */
function reachability(network: Network, search: Search): (token: number, hops: number) => boolean {
  const { start, goal, usable } = search;
  const { edges, ends } = waysOf(network, search.direction);
  const neighbours = new Set<number>();
  const back = waysOf(network, search.direction === FORWARD ? BACKWARD : FORWARD);
  for (const edge of back.edges[goal] ?? []) {
    const pool = network.pools[edge];
    if (pool !== undefined && usable(pool)) neighbours.add(back.ends[edge] as number);
  }
  const known = Array.from({ length: MAX_HOPS + 1 }, () => new Map<number, boolean>());

  function reaches(token: number, hops: number): boolean {
    if (token === goal) return true;
    if (hops <= 0) return false;
    if (neighbours.has(token)) return true;
    if (hops === 1) return false;
    const cached = known[hops]?.get(token);
    if (cached !== undefined) return cached;
    let found = false;
    for (const edge of edges[token] ?? []) {
      const [pool, to] = [network.pools[edge], ends[edge] as number];
      if (pool === undefined || to === start || !usable(pool) || !reaches(to, hops - 1)) continue;
      found = true;
      break;
    }
    known[hops]?.set(token, found);
    return found;
  }
  return reaches;
}
