import type { V2Pool } from '../../types.ts';
import type { PoolKind } from '../poolKind.ts';
import { v2Curve, v2Depths, v2StartRates, v2StartStretch } from './curve.ts';
import { v2After, v2ExactInput, v2ExactOutput } from './exact.ts';

/**
 * Gas units of a hop. Uniswap's smart-order-router counts 50,000 for a V2 hop after the first; the first costs more.
 */
const HOP_GAS_UNITS = 60_000;

/** Constant product pairs: Uniswap V2 and forks. */
export const UNISWAP_V2: PoolKind<V2Pool> = {
  exactInput(pool, direction, amountIn) {
    const amount = v2ExactInput(pool, direction === 0, amountIn);
    return amount === undefined ? undefined : { amount, crossed: 0 };
  },
  exactOutput(pool, direction, amountOut) {
    const amount = v2ExactOutput(pool, direction === 0, amountOut);
    return amount === undefined ? undefined : { amount, crossed: 0 };
  },
  mayPayMore: true,
  mayTakeLess: false,
  after: (pool, direction, swap) => v2After(pool, direction === 0, swap),
  marginalRate: ({ reserve0, reserve1 }, direction) =>
    direction === 0
      ? { numerator: reserve1, denominator: reserve0 }
      : { numerator: reserve0, denominator: reserve1 },
  hopGasUnits: () => HOP_GAS_UNITS,
  roundsInput: false,
  startRates: v2StartRates,
  depths: v2Depths,
  bound: {
    startStretch: (pool, direction) => v2StartStretch(pool, direction === 0),
    curve: v2Curve,
  },
};
