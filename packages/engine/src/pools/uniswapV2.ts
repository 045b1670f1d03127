import { v2Curve, v2Depths, v2StartPrices, v2StartStretch } from '../curves/v2Curve.ts';
import { v2After, v2ExactInput, v2ExactOutput } from '../exact/v2.ts';
import type { V2Pool } from '../types.ts';
import type { PoolKind } from './poolKind.ts';

/**
 * Gas units of a hop. Uniswap's smart-order-router counts 50,000 for a V2 hop after the first; the first costs more.
 */
const HOP_GAS_UNITS = 60_000;

/** Constant product pairs: Uniswap V2 and forks. */
export const UNISWAP_V2: PoolKind<V2Pool> = {
  exactInput(pool, zeroForOne, amountIn) {
    const amount = v2ExactInput(pool, zeroForOne, amountIn);
    return amount === undefined ? undefined : { amount, crossed: 0 };
  },
  exactOutput(pool, zeroForOne, amountOut) {
    const amount = v2ExactOutput(pool, zeroForOne, amountOut);
    return amount === undefined ? undefined : { amount, crossed: 0 };
  },
  mayPayMore: true,
  mayTakeLess: false,
  after: v2After,
  marginalPrice: ({ reserve0, reserve1 }) => ({ numerator: reserve1, denominator: reserve0 }),
  hopGasUnits: () => HOP_GAS_UNITS,
  roundsInput: false,
  startPrices: v2StartPrices,
  depths: v2Depths,
  startStretch: v2StartStretch,
  curve: v2Curve,
};
