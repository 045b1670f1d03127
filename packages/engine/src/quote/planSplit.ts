import { type Direction, hopOf } from '../pools/direction.ts';
import type { SearchGraph } from '../search/graph.ts';
import type { Split } from '../search/splitSearch.ts';
import type { Hop, QuoteRequest } from '../types.ts';
import { executePaths, type Execution, type PlannedPath } from './execution.ts';

/**
 * Shares the exact amount among a split's paths as the search did; the rest goes to the widest path that can still take
 * more.
 */
export function planSplit(
  { amount, tradeType }: QuoteRequest,
  { graph, paths }: Split,
): PlannedPath[] | undefined {
  const weights = paths.map((path) => (tradeType === 'EXACT_IN' ? path.amountIn : path.amountOut));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (!(total > 0) || !Number.isFinite(total)) return undefined;
  const scale = Math.min(1, Number(amount) / total);
  const planned: PlannedPath[] = [];
  let left: bigint = amount;
  let [roomiest, mostRoom] = [0, -1];
  for (const [index, { arcs }] of paths.entries()) {
    const weight = weights[index] ?? 0;
    const share = BigInt(Math.floor(weight * scale));
    const given = share < left ? share : left;
    left -= given;
    if (given <= 0n) continue;
    const room = arcs.some(({ isDrained }) => isDrained) ? 0 : weight;
    if (room > mostRoom) [roomiest, mostRoom] = [planned.length, room];
    planned.push({ hops: hopsOf(graph, arcs), amount: given });
  }
  const taker = planned[roomiest];
  if (taker === undefined) return undefined;
  planned[roomiest] = { ...taker, amount: taker.amount + left };
  return planned;
}

/** Failed attempts after which a path that cannot take its part gives up all of it. */
const MOST_CUTS = 8;

/**
 * Executes a plan. A path may be unable to take its exact part, because rounding or earlier paths change what reaches
 * its pools. Then it gives a tenth of its part to the other paths, again and again, and after `MOST_CUTS` attempts
 * all of it.
 */
export function executeRepaired(request: QuoteRequest, plan: readonly PlannedPath[]): Execution | undefined {
  let planned = plan;
  for (let attempt = 0; planned.length > 0; attempt += 1) {
    const result = executePaths(request, planned);
    if (result.ok) return result.execution;
    const failed = planned[result.failedPath];
    if (failed === undefined) return undefined;
    const kept = attempt < MOST_CUTS ? failed.amount - failed.amount / 10n - 1n : 0n;
    const others = planned.filter((path) => path !== failed);
    if (others.length === 0) return undefined;
    const shared = shareOut(others, failed.amount - (kept > 0n ? kept : 0n));
    planned = kept > 0n ? [...shared, { hops: failed.hops, amount: kept }] : shared;
  }
  return undefined;
}

/** Adds an amount to paths in proportion to what they carry. */
function shareOut(paths: readonly PlannedPath[], amount: bigint): PlannedPath[] {
  const total = paths.reduce((sum, path) => sum + path.amount, 0n);
  let left = amount;
  return paths.map(({ hops, amount: carried }, index) => {
    const share = index === paths.length - 1 ? left : (amount * carried) / total;
    left -= share;
    return { hops, amount: carried + share };
  });
}

function hopsOf({ pools, direction }: SearchGraph, arcs: readonly { readonly edge: number }[]): Hop[] {
  const hops: Hop[] = [];
  for (const { edge } of arcs) {
    const pool = pools[edge];
    if (pool !== undefined) hops.push(hopOf(pool, direction[edge] as Direction));
  }
  return hops;
}
