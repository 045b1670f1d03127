import { v3Curve, v3Depths, v3StartPrices, v3StartStretch } from '../curves/v3Curve.ts';
import { v3After, v3ExactInput, v3ExactOutput } from '../exact/v3.ts';
import type { V3Pool } from '../types.ts';
import type { PoolKind } from './poolKind.ts';

/** Gas units of a hop and of an initialised tick crossed, as Uniswap's smart-order-router counts them. */
const [HOP_GAS_UNITS, CROSSING_GAS_UNITS] = [80_000, 31_000];

/** Concentrated liquidity pools: Uniswap V3 and forks. */
export const UNISWAP_V3: PoolKind<V3Pool> = {
  exactInput: v3ExactInput,
  exactOutput: v3ExactOutput,
  mayPayMore: false,
  mayTakeLess: true,
  after: v3After,
  marginalPrice: ({ sqrtPriceX96 }) => ({ numerator: sqrtPriceX96 ** 2n, denominator: 1n << 192n }),
  hopGasUnits: (crossed) => HOP_GAS_UNITS + crossed * CROSSING_GAS_UNITS,
  roundsInput: true,
  startPrices: v3StartPrices,
  depths: v3Depths,
  startStretch: v3StartStretch,
  curve: v3Curve,
};
