import type { Address, Pool } from '@fairway/engine';
import { type AuditResult, auditPools } from '../market/audit.ts';
import type { MarketState } from '../market/state.ts';
import type { RpcRequest } from '../rpc/endpoint.ts';
import type { PoolsReread } from '../types.ts';

/** What a comparison with the chain found, for logs and metrics. */
export type AuditEvent =
  | { readonly type: 'AUDITED'; readonly poolCount: number }
  | { readonly type: 'AUDIT_MISMATCH'; readonly pool: Address; readonly blockNumber: bigint };

/** What pools are read back with. */
export type RereadParts = {
  readonly request: RpcRequest;
  readonly multicall3: Address;
  readonly state: MarketState;
  readonly onEvent: (event: AuditEvent) => void;
  /** Called where pools cannot be corrected one by one: all have to be read again. */
  readonly readAllAgain: () => void;
};

/** The head can move while pools are read. They are then compared at the new head, at most this many times. */
const MAX_TRIES = 5;

/**
 * Compares followed pools with the chain and corrects those that differ. Returns whether all were right; undefined
 * where there is nothing to compare or the node has dropped the block. Rejects as `request` does.
 */
export async function rereadPools(
  parts: RereadParts,
  addresses: readonly Address[],
): Promise<boolean | undefined> {
  const { request, multicall3, state, onEvent } = parts;
  const audited = await auditPools(request, multicall3, state, addresses);
  if (audited === undefined) return undefined;
  const { checked, wrong, missing, head } = audited;
  onEvent({ type: 'AUDITED', poolCount: checked });
  for (const pool of [...wrong.map((tracked) => tracked.pool.address), ...missing]) {
    onEvent({ type: 'AUDIT_MISMATCH', pool, blockNumber: head.number });
  }
  await correct(parts, audited, MAX_TRIES);
  return wrong.length + missing.length === 0;
}

async function correct(parts: RereadParts, audited: AuditResult, triesLeft: number): Promise<void> {
  const { request, multicall3, state, readAllAgain } = parts;
  const { wrong, missing, head } = audited;
  if (wrong.length + missing.length === 0) return;
  if (missing.length > 0 || triesLeft === 0) return readAllAgain();
  if (state.head()?.hash === head.hash) return state.correct(wrong);
  const suspects = wrong.map(({ pool }) => pool.address);
  const again = await auditPools(request, multicall3, state, suspects);
  if (again !== undefined) await correct(parts, again, triesLeft - 1);
}

/**
 * Makes the function that reads quoted pools back at once. Rereads run one after the other: many swaps that find the
 * same pool wrong read it once.
 */
export function createReread(
  marketPool: (address: Address) => Pool | undefined,
  audit: (addresses: readonly Address[]) => Promise<boolean | undefined>,
  onFailure: (error: unknown) => void,
): (pools: readonly Pool[]) => Promise<PoolsReread> {
  const foundWrong = new WeakSet<Pool>();
  let last: Promise<unknown> = Promise.resolve();

  async function reread(pools: readonly Pool[]): Promise<PoolsReread> {
    const hasMoved = (pool: Pool) => marketPool(pool.address) !== pool;
    if (pools.length === 0) return 'RIGHT';
    if (pools.some((pool) => foundWrong.has(pool))) return 'WRONG';
    if (pools.some(hasMoved)) return 'UNKNOWN';
    try {
      const areRight = await audit(pools.map(({ address }) => address));
      if (areRight !== false) return areRight === true ? 'RIGHT' : 'UNKNOWN';
      for (const pool of pools.filter(hasMoved)) foundWrong.add(pool);
      return 'WRONG';
    } catch (error) {
      onFailure(error);
      return 'UNKNOWN';
    }
  }

  return (pools) => {
    const result = last.then(() => reread(pools));
    last = result;
    return result;
  };
}
