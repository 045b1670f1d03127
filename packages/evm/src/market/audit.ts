import type { Address } from '@fairway/engine';
import { isSamePool } from '../pools/poolKinds.ts';
import { readPools } from '../pools/poolReader.ts';
import type { TrackedPool } from '../pools/trackedPool.ts';
import type { RpcRequest } from '../rpc/endpoint.ts';
import { createBatchRead } from '../rpc/multicall.ts';
import { RpcAnswerError } from '../rpc/errors.ts';
import type { Head } from '../types.ts';
import type { MarketState } from './state.ts';

/** How long a difference must last to count. */
const CONFIRM_AFTER_MS = 250;

/** What an audit found at `head`. `wrong` holds the pools that differed, as the chain has them. */
export type AuditResult = {
  readonly head: Head;
  readonly checked: number;
  readonly wrong: readonly TrackedPool[];
  /** Pools that are followed and that the chain does not have. */
  readonly missing: readonly Address[];
};

/**
 * Reads pools back at the followed head and compares them. Pools that differ are read again a moment later before
 * they count. Anvil may answer for a block's hash with the state of blocks that it is mining or removing at that
 * moment. Undefined when there is nothing to compare, or when the node has dropped the block.
 */
export async function auditPools(
  request: RpcRequest,
  multicall3: `0x${string}`,
  state: MarketState,
  addresses: readonly Address[],
): Promise<AuditResult | undefined> {
  try {
    const first = await compare(request, multicall3, state, addresses);
    if (first === undefined || first.wrong.length + first.missing.length === 0) return first;
    await new Promise((resolve) => setTimeout(resolve, CONFIRM_AFTER_MS));
    const suspects = [...first.wrong.map(({ pool }) => pool.address), ...first.missing];
    const second = await compare(request, multicall3, state, suspects);
    return second && { ...second, checked: first.checked };
  } catch (error) {
    if (error instanceof RpcAnswerError) return undefined;
    throw error;
  }
}

async function compare(
  request: RpcRequest,
  multicall3: `0x${string}`,
  state: MarketState,
  addresses: readonly Address[],
): Promise<AuditResult | undefined> {
  const head = state.head();
  const followed = new Map(
    addresses.flatMap((address) => {
      const tracked = state.pools.get(address);
      return tracked === undefined ? [] : [[address, tracked] as const];
    }),
  );
  if (head === undefined || followed.size === 0) return undefined;
  const read = createBatchRead(request, multicall3, head.hash);
  const identities = [...followed.values()].map(({ pool }) => pool);
  const fresh = await readPools(request, read, head.hash, identities);
  const wrong = fresh.filter((chain) => {
    const ours = followed.get(chain.pool.address);
    return ours !== undefined && !isSamePool(chain, ours);
  });
  const present = new Set(fresh.map(({ pool }) => pool.address));
  const missing = [...followed.keys()].filter((address) => !present.has(address));
  return { head, checked: followed.size, wrong, missing };
}

/** Addresses of some followed pools, chosen at random; all of them when there are no more than `size`. */
export function samplePools(state: MarketState, size: number): Address[] {
  const addresses = [...state.pools.keys()];
  const sample: Address[] = [];
  while (sample.length < size && addresses.length > 0) {
    sample.push(...addresses.splice(Math.floor(Math.random() * addresses.length), 1));
  }
  return sample;
}
