import { SELL_0, SELL_1, type SearchGraph } from './searchGraph.ts';

/** Rounds of relaxation: prices over more pools in a row are not worth starting from. */
const ROUNDS = 6;

/**
 * Square roots of each node's marginal price in the grounded token, over the best pools in a row: what a vanishing
 * amount would trade at. EXACT_IN: what a node sells for; EXACT_OUT: what it costs. 0 or infinite where nothing leads.
 */
export function marginalPrices(graph: SearchGraph, allowed: Uint8Array): Float64Array {
  const selling = graph.tradeType === 'EXACT_IN';
  const root = new Float64Array(graph.nodeCount).fill(selling ? 0 : Number.POSITIVE_INFINITY);
  root[selling ? graph.sink : graph.source] = 1;
  return spreadPrices(graph, allowed, root);
}

/** Carries known prices on to where they improve others, in place: nodes without one, or with a worse one. */
export function spreadPrices(graph: SearchGraph, allowed: Uint8Array, root: Float64Array): Float64Array {
  const selling = graph.tradeType === 'EXACT_IN';
  const { node0, node1, sqrtPrice, keptRoot } = graph;
  for (let round = 0; round < ROUNDS; round += 1) {
    let changed = false;
    for (let pool = 0; pool < allowed.length; pool += 1) {
      const directions = allowed[pool] as number;
      const [a, b] = [node0[pool] as number, node1[pool] as number];
      const [price, kept] = [sqrtPrice[pool] as number, keptRoot[pool] as number];
      if ((directions & SELL_0) !== 0) changed = improve(root, a, b, price * kept, selling) || changed;
      if ((directions & SELL_1) !== 0) changed = improve(root, b, a, kept / price, selling) || changed;
    }
    if (!changed) break;
  }
  return root;
}

/** Carries a price over one pool that pays `rate` (a square root) of `to` for one of `from`. */
function improve(root: Float64Array, from: number, to: number, rate: number, selling: boolean): boolean {
  if (selling) {
    const offered = (root[to] as number) * rate;
    if (offered <= (root[from] as number)) return false;
    root[from] = offered;
    return true;
  }
  const asked = (root[from] as number) / rate;
  if (asked >= (root[to] as number)) return false;
  root[to] = asked;
  return true;
}
