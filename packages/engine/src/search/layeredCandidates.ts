import type { Network } from '../market/network.ts';
import {
  addEdge,
  addNode,
  type Builder,
  type CandidateRequest,
  type Candidates,
  createBuilder,
  type Filter,
  filtersOf,
  finishCandidates,
  PASSAGE,
  usableRate,
} from './candidates.ts';

/** Hops that layers can express. */
export const MOST_LAYERED_HOPS = 3;

/** An edge from or to a token of a layer. */
type Step = { readonly edge: number; readonly token: number; readonly rate: number };
type MidStep = Step & { readonly onTo: number };

/**
 * The edges of all routes of at most three pools, in layers. The input token leads to tokens reached by one
 * pool. A second pool leads from those to tokens one pool before the output token. A token that is both has a
 * node in each layer and a passage from the first to the second. Routes cannot be longer and cannot pass a
 * token twice, and flows cannot run in circles, even if the market holds arbitrage. So paths can reach the
 * dual bound over these edges. No pool is used in both directions: if one direction pays, the pool's fee makes the
 * other worthless.
 */
export function layeredCandidates(network: Network, request: CandidateRequest): Candidates {
  const builder = createBuilder(request);
  for (const filter of filtersOf(network, request)) addLayers(builder, filter);
  return finishCandidates(network, builder);
}

function addLayers(builder: Builder, filter: Filter): void {
  const { network, request } = filter;
  const { tokenIn, tokenOut, maxHops } = request;
  const firsts: Step[] = [];
  const lasts: Step[] = [];
  const reach1 = new Float64Array(network.tokens.length);
  const worth2 = new Float64Array(network.tokens.length);
  for (const edge of network.edgesFrom[tokenIn] ?? []) {
    const [token, rate] = [network.to[edge] as number, usableRate(filter, edge)];
    if (rate === 0) continue;
    if (token === tokenOut) addEdge(builder, 0, 1, edge);
    else firsts.push({ edge, token, rate });
    reach1[token] = Math.max(reach1[token] as number, rate);
  }
  if (maxHops < 2) return;
  for (const edge of network.edgesTo[tokenOut] ?? []) {
    const [token, rate] = [network.from[edge] as number, usableRate(filter, edge)];
    if (rate === 0 || token === tokenIn) continue;
    lasts.push({ edge, token, rate });
    worth2[token] = Math.max(worth2[token] as number, rate);
  }
  const mids = maxHops < 3 ? [] : midSteps(filter, firsts, worth2);
  addNodes(builder, { firsts, mids, lasts, reach1, worth2 });
}

/** Edges from a token of the first layer to one of the second. */
function midSteps(filter: Filter, firsts: readonly Step[], worth2: Float64Array): MidStep[] {
  const { network, request } = filter;
  const mids: MidStep[] = [];
  for (const token of new Set(firsts.map((step) => step.token))) {
    for (const edge of network.edgesFrom[token] as readonly number[]) {
      const onTo = network.to[edge] as number;
      if (worth2[onTo] === 0 || onTo === request.tokenIn) continue;
      const rate = usableRate(filter, edge);
      if (rate > 0) mids.push({ edge, token, rate, onTo });
    }
  }
  return mids;
}

type Layers = {
  readonly firsts: readonly Step[];
  readonly mids: readonly MidStep[];
  readonly lasts: readonly Step[];
  readonly reach1: Float64Array;
  readonly worth2: Float64Array;
};

/** Numbers the nodes: a token of both layers has one node if that allows no longer routes. */
function addNodes(builder: Builder, { firsts, mids, lasts, reach1, worth2 }: Layers): void {
  const size = reach1.length;
  const reach2 = reach1.slice();
  const worth1 = worth2.slice();
  const [sendsOn, isSentTo] = [new Uint8Array(size), new Uint8Array(size)];
  for (const { token, onTo, rate } of mids) {
    sendsOn[token] = 1;
    isSentTo[onTo] = 1;
    reach2[onTo] = Math.max(reach2[onTo] as number, (reach1[token] as number) * rate);
    worth1[token] = Math.max(worth1[token] as number, (worth2[onTo] as number) * rate);
  }
  const [first, second] = [new Int32Array(size), new Int32Array(size)];
  for (const { token } of firsts) {
    if (first[token] !== 0 || worth1[token] === 0) continue;
    const isLast = worth2[token] !== 0;
    const inBoth = isLast && sendsOn[token] === 1 && isSentTo[token] === 1;
    const reach = isLast && !inBoth ? reach2[token] : reach1[token];
    first[token] = addNode(builder, token, reach as number, worth1[token] as number);
    if (!isLast) continue;
    second[token] = inBoth
      ? addNode(builder, token, reach2[token] as number, worth2[token] as number)
      : first[token];
    if (inBoth) addEdge(builder, first[token], second[token], PASSAGE);
  }
  for (const { token } of lasts)
    if (second[token] === 0 && (reach2[token] as number) > 0)
      second[token] = addNode(builder, token, reach2[token] as number, worth2[token] as number);
  for (const { edge, token } of firsts)
    if (first[token] !== 0) addEdge(builder, 0, first[token] as number, edge);
  for (const { edge, token, onTo } of mids)
    if (first[token] !== 0) addEdge(builder, first[token] as number, second[onTo] as number, edge);
  for (const { edge, token } of lasts)
    if (second[token] !== 0) addEdge(builder, second[token] as number, 1, edge);
}
