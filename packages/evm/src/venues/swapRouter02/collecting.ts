import type { Path, TradeType } from '@fairway/engine';
import { routedKindOf } from './routedKinds.ts';

/**
 * Whether an exact output has to be collected by the router, because only what pays it out has a minimum there. The swap
 * itself has none where V2 pairs trade.
 */
export function isCollectedForMinimum(route: {
  readonly tradeType: TradeType;
  readonly paths: readonly Path[];
}): boolean {
  const isUnchecked = ({ legs }: Path) =>
    legs.some(({ pool }) => routedKindOf(pool)?.isExactOutputChecked === false);
  return route.tradeType === 'EXACT_OUT' && route.paths.some(isUnchecked);
}
