import type { V2Pool } from '@fairway/engine';
import type { PoolSnapshot } from '../poolKind.ts';
import { NO_OVERLAP } from '../trackedPool.ts';
import type { V2Factory } from './discovery.ts';

/** How V2 pairs are kept between runs. */
export const snapshot: PoolSnapshot<V2Pool, V2Factory> = {
  fees: ({ feePips }) => [feePips],
  write(writer, { pool }) {
    writer.int128(pool.reserve0);
    writer.int128(pool.reserve1);
  },
  read(reader, { kind, feePips }, origin) {
    const [reserve0, reserve1] = [reader.uint128(), reader.uint128()];
    return { pool: { kind, ...origin, feePips, reserve0, reserve1 }, overlap: NO_OVERLAP };
  },
};
