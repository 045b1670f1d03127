import type { Direction } from '../curves/curve.ts';
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

/** A pool between two tokens, sold to in one direction. */
type Hop = {
  readonly slot: number;
  readonly direction: Direction;
  readonly token: number;
  readonly rate: number;
};
type MidHop = Hop & { readonly onTo: number };

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
  const firsts: Hop[] = [];
  const lasts: Hop[] = [];
  const reach1 = new Float64Array(network.tokens.length);
  const worth2 = new Float64Array(network.tokens.length);
  for (const slot of network.slotsOf[tokenIn] ?? []) {
    const hop = hopFrom(filter, slot, tokenIn);
    if (hop.rate === 0) continue;
    if (hop.token === tokenOut) addEdge(builder, 0, 1, slot, hop.direction);
    else firsts.push(hop);
    reach1[hop.token] = Math.max(reach1[hop.token] as number, hop.rate);
  }
  if (maxHops < 2) return;
  for (const slot of network.slotsOf[tokenOut] ?? []) {
    const hop = hopTo(filter, slot, tokenOut);
    if (hop.rate === 0 || hop.token === tokenIn) continue;
    lasts.push(hop);
    worth2[hop.token] = Math.max(worth2[hop.token] as number, hop.rate);
  }
  const mids = maxHops < 3 ? [] : midHops(filter, firsts, worth2);
  addNodes(builder, { firsts, mids, lasts, reach1, worth2 });
}

function hopFrom(filter: Filter, slot: number, token: number): Hop {
  const { token0, token1 } = filter.network;
  const direction = token0[slot] === token ? 0 : 1;
  const other = (direction === 0 ? token1 : token0)[slot] as number;
  return { slot, direction, token: other, rate: usableRate(filter, slot, direction) };
}

function hopTo(filter: Filter, slot: number, token: number): Hop {
  const { token0, token1 } = filter.network;
  const direction = token0[slot] === token ? 1 : 0;
  const other = (direction === 0 ? token0 : token1)[slot] as number;
  return { slot, direction, token: other, rate: usableRate(filter, slot, direction) };
}

/** Pools from a token of the first layer to one of the second, looked for from whichever side has fewer pools. */
function midHops(filter: Filter, firsts: readonly Hop[], worth2: Float64Array): MidHop[] {
  const { network, request } = filter;
  const mids: MidHop[] = [];
  for (const token of new Set(firsts.map((hop) => hop.token))) {
    for (const slot of network.slotsOf[token] as readonly number[]) {
      const other = network.token0[slot] === token ? network.token1[slot] : network.token0[slot];
      if (worth2[other as number] === 0 || other === request.tokenIn) continue;
      const hop = hopFrom(filter, slot, token);
      if (hop.rate > 0) mids.push({ ...hop, token, onTo: hop.token });
    }
  }
  return mids;
}

type Layers = {
  readonly firsts: readonly Hop[];
  readonly mids: readonly MidHop[];
  readonly lasts: readonly Hop[];
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
    if (inBoth) addEdge(builder, first[token], second[token], PASSAGE, 0);
  }
  for (const { token } of lasts)
    if (second[token] === 0 && (reach2[token] as number) > 0)
      second[token] = addNode(builder, token, reach2[token] as number, worth2[token] as number);
  for (const { slot, direction, token } of firsts)
    if (first[token] !== 0) addEdge(builder, 0, first[token] as number, slot, direction);
  for (const { slot, direction, token, onTo } of mids)
    if (first[token] !== 0) addEdge(builder, first[token] as number, second[onTo] as number, slot, direction);
  for (const { slot, direction, token } of lasts)
    if (second[token] !== 0) addEdge(builder, second[token] as number, 1, slot, direction);
}
