import type { Pool } from './types.ts';

/**
 * Gas units of a swap's parts, for comparing routes; a simulation gives the real figure.
 * Hops and crossings follow the gas models of Uniswap's smart-order-router (80,000 a V3 hop, 31,000 an initialised
 * tick crossed, 50,000 a further V2 hop); the rest makes single swaps through SwapRouter02 come to what mainnet shows,
 * about 110,000 through a V2 pair and 130,000 through a V3 pool.
 */
const GAS_UNITS = {
  /** The transaction itself, the router's dispatch and the payer's token transfer. */
  transaction: 50_000,
  v2Hop: 60_000,
  v3Hop: 80_000,
  tickCrossed: 31_000,
} as const;

/** Gas units any swap costs, whatever its route. */
export const TRANSACTION_GAS_UNITS: number = GAS_UNITS.transaction;

/** Gas units of one hop through a pool that crosses a number of initialised ticks. */
export function hopGasUnits(pool: Pool, crossed: number): number {
  return pool.kind === 'UNISWAP_V2' ? GAS_UNITS.v2Hop : GAS_UNITS.v3Hop + crossed * GAS_UNITS.tickCrossed;
}
