import type { Path, TradeType } from '@fairway/engine';
import { UNCHECKED_KINDS } from './routedKinds.ts';

/**
 * Whether an exact output has to be collected by the router, because only what pays it out has a minimum there. The swap
 * itself has none where V2 pairs trade.
 */
export function isCollectedForMinimum(route: {
  readonly tradeType: TradeType;
  readonly paths: readonly Path[];
}): boolean {
  const isUnchecked = ({ legs }: Path) => legs.some(({ pool }) => UNCHECKED_KINDS.has(pool.kind));
  return route.tradeType === 'EXACT_OUT' && route.paths.some(isUnchecked);
}
