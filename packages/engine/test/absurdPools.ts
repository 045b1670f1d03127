import fc from 'fast-check';
import { sqrtPriceAtTick } from '../src/exact/tickMath.ts';
import type { Address, FeePips, Pool, V2Pool, V3Pool } from '../src/types.ts';

/** A position: its ticks, and its liquidity. */
type Position = readonly [lower: number, upper: number, liquidity: bigint];

/** The sorted tokens of a pool, its fee and address. */
type PoolIdentity = Pick<Pool, 'address' | 'tokens' | 'feePips'>;

/** A V3 pool at a tick with some positions, in range or beside it. */
export function v3At(
  identity: PoolIdentity,
  tick: number,
  positions: readonly Position[],
  tickSpacing = 1,
): V3Pool {
  const nets = new Map<number, bigint>();
  let liquidity = 0n;
  for (const [lower, upper, added] of positions) {
    nets.set(lower, (nets.get(lower) ?? 0n) + added);
    nets.set(upper, (nets.get(upper) ?? 0n) - added);
    if (lower <= tick && tick < upper) liquidity += added;
  }
  const indexes = [...nets.keys()].filter((index) => nets.get(index) !== 0n).sort((a, b) => a - b);
  const ticks = { indexes, liquidityNet: indexes.map((index) => nets.get(index) ?? 0n) };
  const state = { tickSpacing, sqrtPriceX96: sqrtPriceAtTick(tick), tick, liquidity, ticks };
  return { ...identity, source: 'v3', kind: 'UNISWAP_V3', ...state };
}

/** A V2 pair at a tick. `depth` is the root of the product of its reserves. */
export function v2At(identity: PoolIdentity, tick: number, depth: bigint): V2Pool {
  const sqrtPriceX96 = sqrtPriceAtTick(tick);
  const [reserve0, reserve1] = [(depth << 96n) / sqrtPriceX96 + 1n, ((depth * sqrtPriceX96) >> 96n) + 1n];
  return { ...identity, feePips: 3000 as FeePips, source: 'v2', kind: 'UNISWAP_V2', reserve0, reserve1 };
}

const MOST = 887_000;
const clamp = (tick: number): number => Math.max(-MOST, Math.min(MOST, tick));

/**
 * One pool between two tokens that an attacker could make, at any price. It is V2, or V3 with up to three
 * positions of any depth. Positions lie anywhere or at the market's price `marketTick`, on one side of the
 * pool's price or around it.
 */
export function absurdPools(
  address: Address,
  tokens: readonly [Address, Address],
  marketTick: number,
): fc.Arbitrary<Pool> {
  const nearMarket = fc.integer({ min: -200, max: 200 }).map((off) => marketTick + off);
  const off = fc.integer({ min: -30_000, max: 30_000 }).map((by) => clamp(marketTick + by));
  const anywhere = fc.integer({ min: -MOST, max: MOST });
  const price = fc.oneof(anywhere, nearMarket, off);
  const bits = fc.oneof(fc.integer({ min: 0, max: 75 }), fc.integer({ min: 0, max: 40 }));
  const liquidity = bits.map((bit) => 1n << BigInt(bit));
  const width = fc.constantFrom(1, 2, 10, 60, 200, 5000, 100_000);
  const position = fc
    .tuple(fc.oneof(nearMarket, price), width, liquidity)
    .map(([at, wide, added]): Position => {
      const lower = Math.min(clamp(at), MOST - 1);
      return [lower, Math.max(lower + 1, clamp(lower + wide)), added];
    });
  const fee = fc.constantFrom(100, 500, 3000, 10_000).map((pips) => pips as FeePips);
  const identity = fee.map((feePips) => ({ address, tokens, feePips }));
  const positions = fc.array(position, { minLength: 1, maxLength: 3 });
  return fc.oneof(
    fc.tuple(identity, price, liquidity).map((of) => v2At(...of)),
    fc.tuple(identity, price, positions).map((of) => v3At(...of)),
    fc.tuple(identity, price, positions).map((of) => v3At(...of)),
  );
}
