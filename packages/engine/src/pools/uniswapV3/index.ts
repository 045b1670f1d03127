import type { V3Pool } from '../../types.ts';
import type { PoolKind } from '../poolKind.ts';
import { v3Curve, v3Depths, v3StartRates, v3StartStretch } from './curve.ts';
import { v3After, v3ExactInput, v3ExactOutput } from './exact.ts';

/** Gas units of a hop and of an initialised tick crossed, as Uniswap's smart-order-router counts them. */
const [HOP_GAS_UNITS, CROSSING_GAS_UNITS] = [80_000, 31_000];

/** Concentrated liquidity pools: Uniswap V3 and forks. */
export const UNISWAP_V3: PoolKind<V3Pool> = {
  exactInput: (pool, direction, amountIn) => v3ExactInput(pool, direction === 0, amountIn),
  exactOutput: (pool, direction, amountOut) => v3ExactOutput(pool, direction === 0, amountOut),
  mayPayMore: false,
  mayTakeLess: true,
  after: (pool, direction, swap) => v3After(pool, direction === 0, swap),
  marginalRate({ sqrtPriceX96 }, direction) {
    const [price, one] = [sqrtPriceX96 ** 2n, 1n << 192n];
    return direction === 0 ? { numerator: price, denominator: one } : { numerator: one, denominator: price };
  },
  hopGasUnits: (crossed) => HOP_GAS_UNITS + crossed * CROSSING_GAS_UNITS,
  roundsInput: true,
  startRates: v3StartRates,
  depths: v3Depths,
  bound: {
    startStretch: (pool, direction) => v3StartStretch(pool, direction === 0),
    curve: v3Curve,
  },
};
