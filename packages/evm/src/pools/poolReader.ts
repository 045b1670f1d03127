import type { RpcRequest } from '../rpc/endpoint.ts';
import type { BatchRead } from '../rpc/multicall.ts';
import { POOL_KIND_ENTRIES, type PoolIdentity } from './poolKinds.ts';
import type { TrackedPool } from './trackedPool.ts';

/** Reads pools' whole state at one pinned block. A pool that does not answer there is left out. */
export async function readPools(
  request: RpcRequest,
  read: BatchRead,
  blockHash: string,
  identities: readonly PoolIdentity[],
): Promise<TrackedPool[]> {
  const source = { request, read, blockHash };
  const pools: (TrackedPool | undefined)[] = [];
  for (const [name, kind] of POOL_KIND_ENTRIES)
    pools.push(
      ...(await kind.reading.readPools(
        source,
        identities.filter((identity) => identity.kind === name),
      )),
    );
  return pools.filter((pool) => pool !== undefined);
}
