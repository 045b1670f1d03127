import type { GasRules } from '@fairway/relay';
import { readGasRules, type SetGasRules } from '../database/gasRules.ts';
import type { Database } from '../database/schema.ts';

/** Reads the rules of gas that are in force on a chain now. */
export type Gas = () => Promise<GasRules>;

/** What is in force where no operator has set anything else. */
const BUMP_AFTER_BLOCKS = 3;
/** How many bound instructions of a relayer wait for their blocks at the same time. */
const MOST_PENDING = 16;

/** Makes what reads the rules. */
export function createGas(
  database: Database,
  { chainId, maxFeePerGasCapWei }: { readonly chainId: number; readonly maxFeePerGasCapWei: bigint },
): Gas {
  return async () => rulesOf(maxFeePerGasCapWei, await readGasRules(database, chainId));
}

/** No operator can set more than the configuration allows, also where it allowed more when it was set. */
export function rulesOf(configuredCapWei: bigint, set: SetGasRules | undefined): GasRules {
  const isLower = set !== undefined && set.maxFeePerGasCapWei < configuredCapWei;
  return {
    maxFeePerGasCapWei: isLower ? set.maxFeePerGasCapWei : configuredCapWei,
    bumpAfterBlocks: set?.bumpAfterBlocks ?? BUMP_AFTER_BLOCKS,
    mostPending: MOST_PENDING,
  };
}
