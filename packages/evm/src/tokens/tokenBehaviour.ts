import type { Address } from '@fairway/engine';
import { getAddress } from 'viem';
import type { TokenBehaviour } from '../types.ts';

/**
 * The most units by which one transfer of a token may fall short for its rounding. Shares worth up to two units round by no more:
 * their number and both balances are rounded down.
 */
export const ROUNDING_UNITS = 2n;

/** Rounding is told from a tax by transfers of at least so many units: two of them are a millionth. */
const LEAST_TELLING = 2_000_000n;

/** A transfer as balances showed it: what it should have moved, what its sender lost and what its receiver got. */
export type MeasuredTransfer = {
  readonly pool: Address;
  readonly way: 'FROM_POOL' | 'TO_POOL';
  readonly asked: bigint;
  readonly taken: bigint;
  readonly arrived: bigint;
};

/** What measured transfers say of their token; undefined where they say nothing. */
export function behaviourOf(transfers: readonly MeasuredTransfer[]): TokenBehaviour | undefined {
  const taxed = transfers.find((transfer) => !isRounded(transfer));
  if (taxed !== undefined) return { kind: 'TAXED', pool: taxed.pool, detail: wordsOf(taxed) };
  const telling = transfers.filter(({ asked }) => asked >= LEAST_TELLING);
  if (telling.length === 0) return undefined;
  const isExact = telling.every(({ asked, taken, arrived }) => taken === asked && arrived === asked);
  return isExact ? { kind: 'PLAIN' } : { kind: 'SHARES' };
}

/** Whether a transfer moved what it should, or less by the units of a rounding. */
export function isRounded({
  asked,
  taken,
  arrived,
}: Pick<MeasuredTransfer, 'asked' | 'taken' | 'arrived'>): boolean {
  return [taken, arrived].every((moved) => moved <= asked && asked - moved <= ROUNDING_UNITS);
}

function wordsOf({ pool, way, asked, taken, arrived }: MeasuredTransfer): string {
  return `a transfer of ${asked} units ${way === 'FROM_POOL' ? 'from' : 'to'} pool ${getAddress(pool)} takes ${taken} and brings ${arrived}`;
}
