import type { Corridor } from '../terms/corridor.ts';
import type { TimeMs } from '../terms/scalars.ts';

/**
 * The deadline of instructions that only transfer: nothing on the chain enforces one. It is 9999-12-31T23:59:59Z, the last
 * second that a timestamp with a year of four digits can hold.
 */
export const NO_DEADLINE_MS: TimeMs = 253_402_300_799_000;

/**
 * Whether the source token is what the custodian pays from, so that the money is only transferred. Such instructions can
 * be executed for ever, so they are given out once.
 *
 * @example
 * ```ts
 * import { isTransferOnly, type Plan } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * const canExpire = !isTransferOnly(plan.corridor);
 * ```
 */
export function isTransferOnly({ source, target }: Pick<Corridor, 'source' | 'target'>): boolean {
  return source.chainId === target.chainId && source.token === target.token;
}
