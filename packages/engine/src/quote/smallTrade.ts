import type { Market } from '../market/market.ts';
import { exactInput, exactOutput } from '../pools/poolSwap.ts';
import { candidateGraphs, type CandidateGraphs } from '../search/candidateGraph.ts';
import type { SearchGraph } from '../search/graph.ts';
import { bestSinglePath } from '../search/singlePath.ts';
import type { Address, Hop, Pool, TradeType } from '../types.ts';

/**
 * How near a price must be to another one to be believed, as a part of it. A route's price is compared with
 * the best price among the pools left out. The market's price without any one pool is compared with its price
 * with it.
 */
export const CLOSE = 0.875;

/** Routes tried in place of one that cannot take the whole amount. */
const MOST_REFUSALS = 4;

/** A trade of one amount over one path: what it really pays. */
export type SmallTrade = {
  readonly hops: readonly Hop[];
  /** What it pays for the amount sold; what it costs to buy the amount. */
  readonly amount: bigint;
};

/** What small trades between two tokens are made of. `amount` is sold (EXACT_IN) or bought (EXACT_OUT). */
export type SmallTradeRequest = {
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  readonly tradeType: TradeType;
  readonly amount: bigint;
  readonly maxHops: number;
};

/** The graphs of all pools that such a trade may use; undefined where no pools connect its tokens. */
export function smallTradeGraphs(market: Market, request: SmallTradeRequest): CandidateGraphs | undefined {
  return candidateGraphs(market, { ...request, excludeSources: new Set() });
}

/** The best small trade among the fewest of the most efficient pools that suffice, and their level. */
export function bestSmallTrade(
  graphs: CandidateGraphs,
  request: SmallTradeRequest,
): { readonly trade: SmallTrade; readonly level: number } | undefined {
  for (let level = 0; ; level += 1) {
    const graph = graphs.graph(level);
    const trade = smallTradeIn(graph, request);
    if (trade !== undefined && (level >= graphs.lastLevel || isCloseToRest(graph, request, trade)))
      return { trade, level };
    if (level >= graphs.lastLevel) return undefined;
  }
}

/** The best trade of a graph that can be executed without some pools. */
export function smallTradeIn(
  graph: SearchGraph,
  { tradeType, amount, maxHops }: SmallTradeRequest,
  without: readonly Hop[] = [],
): SmallTrade | undefined {
  const refused = new Set(without.map(({ pool }) => pool));
  for (let tries = 0; tries < MOST_REFUSALS; tries += 1) {
    const hops = bestSinglePath(graph, Number(amount), { maxHops, gasUnitCost: 0, without: refused });
    if (hops === undefined) return undefined;
    const selling = tradeType === 'EXACT_IN';
    let carried = amount;
    let refusing: Pool | undefined;
    for (const hop of selling ? hops : hops.toReversed()) {
      const next = selling ? exactInput(hop, carried) : exactOutput(hop, carried);
      if (next === undefined || next === 0n) refusing = hop.pool;
      if (next === undefined || next === 0n) break;
      carried = next;
    }
    if (refusing === undefined) return { hops, amount: carried };
    refused.add(refusing);
  }
  return undefined;
}

/** Whether a trade comes close to the price that the best of the pools left out of a graph could have. */
function isCloseToRest(
  { floor, start, source, sink }: SearchGraph,
  { tradeType, amount }: SmallTradeRequest,
  trade: SmallTrade,
): boolean {
  const [asked, answered] = [Number(amount), Number(trade.amount)];
  return tradeType === 'EXACT_IN'
    ? answered / asked >= CLOSE * (floor * (start[source] as number)) ** 2
    : asked / answered >= CLOSE * (floor / (start[sink] as number)) ** 2;
}
