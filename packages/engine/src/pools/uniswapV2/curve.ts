import type { V2Pool } from '../../types.ts';
import { type Curve, keptOf, type StartStretch } from '../../curves/curve.ts';
import { depthClass } from '../../curves/depth.ts';
import { NOTHING_FOR_SALE, startRatesOf, type StartPrices } from '../../curves/startPrices.ts';

/** A pair trades at its price from the first unit on, in both directions. */
function v2StartPrices({ reserve0, reserve1 }: V2Pool): StartPrices {
  if (reserve0 <= 0n || reserve1 <= 0n) return NOTHING_FOR_SALE;
  const price = Math.sqrt(Number(reserve1)) / Math.sqrt(Number(reserve0));
  return { price0: price, price1: price };
}

/** What a first unit of each token brings, as `PoolKind` has it. */
export function v2StartRates(pool: V2Pool): readonly [number, number] {
  return startRatesOf(v2StartPrices(pool), pool.feePips);
}

/** A pair can pay its reserves. */
export function v2Depths({ reserve0, reserve1 }: V2Pool): readonly [number, number] {
  return [depthClass(Number(reserve0)), depthClass(Number(reserve1))];
}

/** A pair's one stretch, which has no end. */
export function v2StartStretch(pool: V2Pool, zeroForOne: boolean): StartStretch {
  const { price0, price1 } = v2StartPrices(pool);
  const liquidity = Math.sqrt(Number(pool.reserve0)) * Math.sqrt(Number(pool.reserve1));
  return { price: zeroForOne ? price0 : 1 / price1, limit: 0, liquidity };
}

/** A pair's curve: one stretch over all prices; undefined where a reserve is empty. */
export function v2Curve(pool: V2Pool): Curve | undefined {
  if (pool.reserve0 <= 0n || pool.reserve1 <= 0n) return undefined;
  const [root0, root1] = [Math.sqrt(Number(pool.reserve0)), Math.sqrt(Number(pool.reserve1))];
  return {
    sqrtPrice: root1 / root0,
    kept: keptOf(pool.feePips),
    bounds: Float64Array.of(0, Number.POSITIVE_INFINITY),
    liquidity: Float64Array.of(root0 * root1),
    total0: Float64Array.of(Number.POSITIVE_INFINITY, Number(pool.reserve0)),
    total1: Float64Array.of(Number(pool.reserve1), Number.POSITIVE_INFINITY),
    current: 0,
  };
}
