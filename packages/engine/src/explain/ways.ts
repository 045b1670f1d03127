import { buyFrom, otherToken } from '../pools/poolSwap.ts';
import { marginalRate } from '../quote/marginalPrice.ts';
import type { Address, Pool } from '../types.ts';

/** A way to walk over pools in a row, and what it pays for one unit at the margin, fees taken off; as a double. */
export type Way = { readonly pools: readonly Pool[]; readonly rate: number };

/** The ends of a route and how many pools may lie between them. */
export type WayEnds = { readonly tokenIn: Address; readonly tokenOut: Address; readonly maxHops: number };

/** Finds the best way that passes a pool; undefined where none of at most `maxHops` pools does. */
export type WayThrough = (pool: Pool) => Way | undefined;

/** Whether a pool can pay anything at all for a token. */
export function canSell(pool: Pool, tokenIn: Address): boolean {
  return buyFrom(pool, otherToken(pool, tokenIn), 1n) !== undefined;
}

/** What pools in a row pay for one more unit, fees taken off; 0 where one of them has nothing left to pay. */
export function rateAlong(pools: readonly Pool[], tokenIn: Address): number {
  let rate = 1;
  let token = tokenIn;
  for (const pool of pools) {
    const { numerator, denominator } = marginalRate(pool, token);
    rate *= canSell(pool, token)
      ? ((Number(numerator) / Number(denominator)) * (1_000_000 - pool.feePips)) / 1_000_000
      : 0;
    token = otherToken(pool, token);
  }
  return rate;
}

const START: Way = { pools: [], rate: 1 };

/**
 * Prepares the search for the best way through each of some pools. For each token it finds the best beginning
 * and the best end, of up to two pools each. The pool asked for joins them. A way passes neither end twice,
 * so up to three pools it passes no token twice.
 */
export function waysThrough(pools: readonly Pool[], ends: WayEnds): WayThrough {
  const { tokenIn, tokenOut, maxHops } = ends;
  const steps = stepsOf(pools, ends);
  const heads = [new Map([[tokenIn, START]])];
  const tails = [new Map([[tokenOut, START]])];
  for (let hops = 1; hops < Math.min(maxHops, 3); hops += 1) {
    heads.push(extend(heads[hops - 1], steps, 'FORWARD'));
    tails.push(extend(tails[hops - 1], steps, 'BACKWARD'));
  }
  return (pool) => {
    let best: Way | undefined;
    for (const step of stepsOf([pool], ends))
      for (const [hopsBefore, head] of heads.entries())
        for (const tail of tails.slice(0, maxHops - hopsBefore)) {
          const [before, after] = [head.get(step.from), tail.get(step.to)];
          if (before === undefined || after === undefined) continue;
          const rate = before.rate * step.rate * after.rate;
          if (best === undefined || rate > best.rate)
            best = { pools: [...before.pools, pool, ...after.pools], rate };
        }
    return best;
  };
}

type Step = {
  readonly pool: Pool;
  readonly from: Address;
  readonly to: Address;
  readonly rate: number;
};

/** The directions in which pools can be part of a route, each with its marginal rate. */
function stepsOf(pools: readonly Pool[], { tokenIn, tokenOut }: WayEnds): Step[] {
  return pools.flatMap((pool) =>
    [pool.token0, pool.token1].flatMap((from): Step[] => {
      const to = otherToken(pool, from);
      if (from === tokenOut || to === tokenIn || !canSell(pool, from)) return [];
      return [{ pool, from, to, rate: rateAlong([pool], from) }];
    }),
  );
}

/** Extends ways by one pool, at their end or at their beginning. */
function extend(
  ways: ReadonlyMap<Address, Way> | undefined,
  steps: readonly Step[],
  direction: 'FORWARD' | 'BACKWARD',
): Map<Address, Way> {
  const longer = new Map<Address, Way>();
  for (const { pool, from, to, rate } of steps) {
    const [near, far] = direction === 'FORWARD' ? [from, to] : [to, from];
    const way = ways?.get(near);
    const known = longer.get(far);
    if (way === undefined || (known !== undefined && known.rate >= way.rate * rate)) continue;
    const pools = direction === 'FORWARD' ? [...way.pools, pool] : [pool, ...way.pools];
    longer.set(far, { pools, rate: way.rate * rate });
  }
  return longer;
}
