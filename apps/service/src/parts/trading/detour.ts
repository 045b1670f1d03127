import type { Address } from '@fairway/engine';
import type { RouteFaults, SwapOrder } from '@fairway/evm';
import { joined, NOTHING_AVOIDED } from '../../platform/chains/avoided.ts';
import type { ProblemFacts } from '@fairway/api';
import type { PricedTrade } from './priceTrade.ts';
import type { Trade } from './trade.ts';

/** What another attempt at a swap keeps away from. */
export type Detour = { readonly tokens: readonly Address[]; readonly pools: readonly Address[] };

/** A trade that keeps away from more. Its price says so. */
export function without(trade: Trade, { tokens, pools }: Detour): Trade {
  if (tokens.length + pools.length === 0) return trade;
  const detour = { tokens: new Set(tokens), pools: new Set(pools) };
  return { ...trade, goneAround: joined(trade.goneAround ?? NOTHING_AVOIDED, detour) };
}

/**
 * What a route fails over. Undefined when nothing is known of it, and when its swap does not fail with `neutral`, an
 * order without anything of the caller's. Then sender, recipient or deadline are at fault, and every route would
 * fail.
 */
export async function faultsOf(
  { trade: { chain, block }, routed }: PricedTrade,
  neutral: SwapOrder,
): Promise<RouteFaults | undefined> {
  if (routed === undefined) return undefined;
  const { head } = block;
  const [result, faults] = await Promise.all([chain.planSwap(neutral, head), chain.findFaults(routed, head)]);
  return result.ok ? undefined : faults;
}

/**
 * The way around what a route fails over, which is remembered for other requests. If the trial of its tokens finds
 * nothing, this request alone keeps away from the tokens on the way. They may refuse only its amount.
 */
export function detourOf(
  { trade, routed }: PricedTrade,
  faults: RouteFaults | undefined,
  problem: ProblemFacts,
): Detour | undefined {
  if (faults === undefined) return undefined;
  const { tokens, pools, isOfEnds } = faults;
  const isFound = tokens.length + pools.length > 0;
  if (isFound) trade.chain.avoided.add({ tokens, pools });
  if (isOfEnds) return undefined;
  if (isFound) return { tokens, pools };
  const ends = [trade.tokenIn.address, trade.tokenOut.address];
  const onTheWay = (routed?.legs ?? [])
    .map(({ tokenOut }) => tokenOut)
    .filter((token) => !ends.includes(token));
  const isUnexplained = problem.code === 'simulation-failed' && onTheWay.length > 0;
  return isUnexplained ? { tokens: onTheWay, pools: [] } : undefined;
}
