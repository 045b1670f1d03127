import { type Execution, executePaths, type PlannedPath } from './execution.ts';
import type { SearchGraph } from './search/searchGraph.ts';
import type { Split } from './search/splitSearch.ts';
import type { Pool, QuoteRequest } from './types.ts';

/** Shares the exact amount among a split's paths in proportion to what the search sent along them. */
export function planSplit(
  { amount, tradeType }: QuoteRequest,
  { graph, paths }: Split,
): PlannedPath[] | undefined {
  const weights = paths.map((path) => (tradeType === 'EXACT_IN' ? path.amountIn : path.amountOut));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (!(total > 0) || !Number.isFinite(total)) return undefined;
  const planned: PlannedPath[] = [];
  let left: bigint = amount;
  for (const [index, { arcs }] of paths.entries()) {
    const share = BigInt(Math.floor(Number(amount) * ((weights[index] ?? 0) / total)));
    const given = share < left ? share : left;
    left -= given;
    if (given > 0n) planned.push({ pools: poolsOf(graph, arcs), amount: given });
  }
  const [first] = planned;
  if (first === undefined) return undefined;
  planned[0] = { ...first, amount: first.amount + left };
  return planned;
}

/** Executes a plan; a path that cannot take its part to the unit gives it up to the others. */
export function executeRepaired(request: QuoteRequest, plan: readonly PlannedPath[]): Execution | undefined {
  let planned = plan;
  while (planned.length > 0) {
    const result = executePaths(request, planned);
    if (result.ok) return result.execution;
    const failed = planned[result.failedPath];
    const others = planned.filter((path) => path !== failed);
    const total = others.reduce((sum, { amount }) => sum + amount, 0n);
    if (failed === undefined || total === 0n) return undefined;
    let left = failed.amount;
    planned = others.map(({ pools, amount }, index) => {
      const share = index === others.length - 1 ? left : (failed.amount * amount) / total;
      left -= share;
      return { pools, amount: amount + share };
    });
  }
  return undefined;
}

function poolsOf(graph: SearchGraph, arcs: readonly { readonly edge: number }[]): Pool[] {
  return arcs.flatMap(({ edge }) => graph.pools[edge] ?? []);
}
