import type { TradeType } from '../types.ts';

/** What one pool does with an exact amount: the amount on its other side, and the initialised ticks it crosses. */
export type PoolOutcome = { readonly amount: bigint; readonly crossed: number };

/** A swap that a pool has made. `amountIn` includes the fee. */
export type MadeSwap = {
  readonly tradeType: TradeType;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
};
