import type { Address, TradeType } from '../types.ts';

/** What one pool does with an exact amount: the amount on its other side, and the initialised ticks it crosses. */
export type PoolOutcome = { readonly amount: bigint; readonly crossed: number };

/** A swap a pool has made: what its contract was asked and what it moved, input with fee. */
export type MadeSwap = {
  readonly tokenIn: Address;
  readonly tradeType: TradeType;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
};
