import type { FeePips, V3Pool } from '@fairway/engine';
import type { ByteReader } from '../../bytes/byteReader.ts';
import type { PoolSnapshot } from '../poolKind.ts';
import { NO_OVERLAP } from '../trackedPool.ts';
import type { V3Factory } from './discovery.ts';

/** How V3 pools are kept between runs. */
export const snapshot: PoolSnapshot<V3Pool, V3Factory> = {
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
};

function readOverlap(reader: ByteReader): ReadonlyMap<number, bigint> {
  const count = reader.count(20);
  if (count === 0) return NO_OVERLAP;
  const overlap = new Map<number, bigint>();
  for (let index = 0; index < count; index++) overlap.set(reader.int32(), reader.uint128());
  return overlap;
}
