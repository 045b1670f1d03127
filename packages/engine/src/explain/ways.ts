import { type Direction, directionCount, directionOfHop, hopOf } from '../pools/direction.ts';
import { buyFrom } from '../pools/poolSwap.ts';
import { marginalRate } from '../quote/marginalPrice.ts';
import type { Address, Hop, Pool } from '../types.ts';

/** A way to walk over pools in a row, and what it pays for one unit at the margin, fees taken off; as a double. */
export type Way = { readonly hops: readonly Hop[]; readonly rate: number };

/** The ends of a route and how many pools may lie between them. */
export type WayEnds = { readonly tokenIn: Address; readonly tokenOut: Address; readonly maxHops: number };

/** Finds the best way that passes a pool; undefined where none of at most `maxHops` pools does. */
export type WayThrough = (pool: Pool) => Way | undefined;

/** Whether a pool can pay anything at all in a direction. */
export function canSell(pool: Pool, direction: Direction): boolean {
  return buyFrom(pool, direction, 1n) !== undefined;
}

/** What hops in a row pay for one more unit, fees taken off; 0 where one of them has nothing left to pay. */
export function rateAlong(hops: readonly Hop[]): number {
  let rate = 1;
  for (const hop of hops) {
    const { numerator, denominator } = marginalRate(hop);
    rate *= canSell(hop.pool, directionOfHop(hop))
      ? ((Number(numerator) / Number(denominator)) * (1_000_000 - hop.pool.feePips)) / 1_000_000
      : 0;
  }
  return rate;
}

const START: Way = { hops: [], rate: 1 };

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
          const [before, after] = [head.get(step.hop.tokenIn), tail.get(step.hop.tokenOut)];
          if (before === undefined || after === undefined) continue;
          const rate = before.rate * step.rate * after.rate;
          if (best === undefined || rate > best.rate)
            best = { hops: [...before.hops, step.hop, ...after.hops], rate };
        }
    return best;
  };
}

type Step = { readonly hop: Hop; readonly rate: number };

/** The directions in which pools can be part of a route, each with its marginal rate. */
function stepsOf(pools: readonly Pool[], { tokenIn, tokenOut }: WayEnds): Step[] {
  return pools.flatMap((pool) =>
    Array.from({ length: directionCount(pool) }, (_, direction) => direction).flatMap((direction): Step[] => {
      const hop = hopOf(pool, direction);
      if (hop.tokenIn === tokenOut || hop.tokenOut === tokenIn || !canSell(pool, direction)) return [];
      return [{ hop, rate: rateAlong([hop]) }];
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
  for (const { hop, rate } of steps) {
    const { tokenIn, tokenOut } = hop;
    const [near, far] = direction === 'FORWARD' ? [tokenIn, tokenOut] : [tokenOut, tokenIn];
    const way = ways?.get(near);
    const known = longer.get(far);
    if (way === undefined || (known !== undefined && known.rate >= way.rate * rate)) continue;
    const hops = direction === 'FORWARD' ? [...way.hops, hop] : [hop, ...way.hops];
    longer.set(far, { hops, rate: way.rate * rate });
  }
  return longer;
}
