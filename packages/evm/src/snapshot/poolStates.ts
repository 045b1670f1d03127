import type { FeePips, Pool } from '@fairway/engine';
import type { Factory, PoolIdentity } from '../pools/factory.ts';
import { NO_OVERLAP, type TrackedPool } from '../pools/trackedPool.ts';
import type { ByteReader } from './byteReader.ts';
import type { ByteWriter } from './byteWriter.ts';

type OfKind<Union, Kind> = Extract<Union, { readonly kind: Kind }>;
type Origin = Pick<PoolIdentity, 'address' | 'source' | 'token0' | 'token1'>;

/** How the pools of a kind are written to a snapshot, after what all pools have, and read again. */
type PoolStates<P extends Pool, F extends Factory> = {
  /** The fees by which the factory's pools are found: with other fees the market would be another one. */
  fees(factory: F): readonly FeePips[];
  write(writer: ByteWriter, tracked: TrackedPool<P>): void;
  read(reader: ByteReader, factory: F, origin: Origin): TrackedPool<P>;
};

const POOL_STATES: {
  readonly [Kind in Pool['kind']]: PoolStates<OfKind<Pool, Kind>, OfKind<Factory, Kind>>;
} = {
  UNISWAP_V2: {
    fees: ({ feePips }) => [feePips],
    write(writer, { pool }) {
      writer.int128(pool.reserve0);
      writer.int128(pool.reserve1);
    },
    read(reader, { kind, feePips }, origin) {
      const [reserve0, reserve1] = [reader.uint128(), reader.uint128()];
      return { pool: { kind, ...origin, feePips, reserve0, reserve1 }, overlap: NO_OVERLAP };
    },
  },
  UNISWAP_V3: {
    fees: ({ feeTiers }) => feeTiers,
    write(writer, { pool, overlap }) {
      const { indexes, liquidityNet } = pool.ticks;
      writer.uint32(pool.feePips);
      writer.int32(pool.tickSpacing);
      writer.int128(BigInt.asUintN(96, pool.sqrtPriceX96));
      writer.int128(pool.sqrtPriceX96 >> 96n);
      writer.int32(pool.tick);
      writer.int128(pool.liquidity);
      writer.uint32(indexes.length);
      for (const index of indexes) writer.int32(index);
      for (const net of liquidityNet) writer.int128(net);
      writer.uint32(overlap.size);
      for (const [tick, excess] of overlap) {
        writer.int32(tick);
        writer.int128(excess);
      }
    },
    read(reader, { kind }, origin) {
      const feePips = reader.uint32() as FeePips;
      const tickSpacing = reader.int32();
      const sqrtPriceX96 = reader.uint128() + (reader.uint128() << 96n);
      const tick = reader.int32();
      const liquidity = reader.uint128();
      const tickCount = reader.count(20);
      const ticks = { indexes: reader.int32s(tickCount), liquidityNet: reader.int128s(tickCount) };
      const price = { sqrtPriceX96, tick, liquidity };
      const pool = { kind, ...origin, feePips, tickSpacing, ...price, ticks };
      return { pool, overlap: readOverlap(reader) };
    },
  },
};

/** How the pools of a kind are kept in a snapshot. */
export function statesOf({ kind }: Pool | Factory): PoolStates<Pool, Factory> {
  return POOL_STATES[kind];
}

function readOverlap(reader: ByteReader): ReadonlyMap<number, bigint> {
  const count = reader.count(20);
  if (count === 0) return NO_OVERLAP;
  const overlap = new Map<number, bigint>();
  for (let index = 0; index < count; index++) overlap.set(reader.int32(), reader.uint128());
  return overlap;
}
