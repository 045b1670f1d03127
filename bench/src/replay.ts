import {
  type Address,
  type Leg,
  type Pool,
  replaySwap,
  type TradeType,
  type V2Pool,
  type V3Pool,
} from '@fairway/engine';

/** A swap that a router claims to make: a leg without the pool's state. */
export type ClaimedLeg = Pick<Leg, 'tokenIn' | 'tokenOut' | 'amountIn' | 'amountOut'> & {
  readonly pool: Address;
};

/** How much of each token the legs move in total; negative for what is taken from the caller. */
export type Replayed = { readonly balances: ReadonlyMap<Address, bigint> };

/**
 * Executes legs one by one as the pools' contracts do, each on the state that earlier legs left. It works step by
 * step and without the code that quotes. V3 legs of EXACT_OUT are exact outputs, all other legs are exact inputs.
 * Names the first leg that does not execute as claimed.
 */
export function replayLegs(
  poolOf: (address: Address) => Pool | undefined,
  legs: readonly ClaimedLeg[],
  tradeType: TradeType,
): Replayed | { readonly failedLeg: number } {
  const states = new Map<Address, Pool>();
  const balances = new Map<Address, bigint>();
  for (const [index, leg] of legs.entries()) {
    const pool = states.get(leg.pool) ?? poolOf(leg.pool);
    const after = pool && poolAfterLeg(pool, leg, tradeType);
    if (after === undefined) return { failedLeg: index };
    states.set(leg.pool, after);
    balances.set(leg.tokenIn, (balances.get(leg.tokenIn) ?? 0n) - leg.amountIn);
    balances.set(leg.tokenOut, (balances.get(leg.tokenOut) ?? 0n) + leg.amountOut);
  }
  return { balances };
}

function poolAfterLeg(pool: Pool, leg: ClaimedLeg, tradeType: TradeType): Pool | undefined {
  const { tokenIn, tokenOut, amountIn, amountOut } = leg;
  const zeroForOne = tokenIn === pool.tokens[0] && tokenOut === pool.tokens[1];
  const oneForZero = tokenIn === pool.tokens[1] && tokenOut === pool.tokens[0];
  if ((!zeroForOne && !oneForZero) || amountIn <= 0n || amountOut <= 0n) return undefined;
  switch (pool.kind) {
    case 'UNISWAP_V2':
      return v2AfterLeg(pool, leg, zeroForOne);
    case 'UNISWAP_V3':
      return v3AfterLeg(pool, leg, tradeType);
  }
}

function v2AfterLeg(
  pool: V2Pool,
  { amountIn, amountOut }: ClaimedLeg,
  zeroForOne: boolean,
): V2Pool | undefined {
  if (v2AmountOut(pool, zeroForOne, amountIn) !== amountOut) return undefined;
  return zeroForOne
    ? { ...pool, reserve0: pool.reserve0 + amountIn, reserve1: pool.reserve1 - amountOut }
    : { ...pool, reserve0: pool.reserve0 - amountOut, reserve1: pool.reserve1 + amountIn };
}

function v3AfterLeg(
  pool: V3Pool,
  { tokenIn, amountIn, amountOut }: ClaimedLeg,
  tradeType: TradeType,
): V3Pool | undefined {
  const amount = tradeType === 'EXACT_IN' ? amountIn : amountOut;
  const replay = replaySwap(pool, { tokenIn, tradeType, amount });
  if (replay === undefined || replay.amountLeft !== 0n) return undefined;
  return replay.amountIn === amountIn && replay.amountOut === amountOut ? replay.pool : undefined;
}

/** Source: Uniswap v2-periphery, UniswapV2Library.getAmountOut, with the pair's own fee. */
function v2AmountOut(pool: V2Pool, zeroForOne: boolean, amountIn: bigint): bigint {
  const [reserveIn, reserveOut] = zeroForOne
    ? [pool.reserve0, pool.reserve1]
    : [pool.reserve1, pool.reserve0];
  const traded = amountIn * (1_000_000n - BigInt(pool.feePips));
  return (traded * reserveOut) / (reserveIn * 1_000_000n + traded);
}
