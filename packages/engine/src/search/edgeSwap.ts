import { inputOf, outputOf } from '../curves/curve.ts';
import { curveOf } from './poolCurve.ts';
import type { SearchGraph } from './graph.ts';

/** What an edge pays for an input, fee included; what it holds where the input is beyond its depth. In doubles. */
export function edgeOutput(graph: SearchGraph, edge: number, amountIn: number): number {
  const pool = graph.pools[edge];
  if (pool === undefined) return amountIn;
  const start = graph.price[edge] as number;
  const traded = amountIn * (graph.keptRoot[edge] as number) ** 2;
  const grown = 1 + (traded * start) / (graph.liquidity[edge] as number);
  if (start / grown >= (graph.limit[edge] as number)) return (traded * start * start) / grown;
  const curve = curveOf(pool);
  return curve === undefined ? 0 : outputOf(curve, graph.direction[edge] === 0, amountIn);
}

/** The input, fee included, for which an edge pays an output; infinite beyond its depth. In doubles. */
export function edgeInput(graph: SearchGraph, edge: number, amountOut: number): number {
  const pool = graph.pools[edge];
  if (pool === undefined) return amountOut;
  const start = graph.price[edge] as number;
  const end = start - amountOut / (graph.liquidity[edge] as number);
  if (end > 0 && end >= (graph.limit[edge] as number))
    return amountOut / (start * end * (graph.keptRoot[edge] as number) ** 2);
  const curve = curveOf(pool);
  return curve === undefined
    ? Number.POSITIVE_INFINITY
    : inputOf(curve, graph.direction[edge] === 0, amountOut);
}
