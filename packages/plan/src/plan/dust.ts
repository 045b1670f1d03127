import { type Amount, amountOf, isLess } from '../terms/amount.ts';
import type { Plan } from './types.ts';

/** Where a corridor does not say it, what is below a thousandth of the planned amount is dust. */
const DUST_DIGITS = 3;

/**
 * The amount of the source token below which a transfer is dust: somebody's mistake or malice, and no beginning of a
 * payment.
 *
 * @example
 * ```ts
 * import { dustBelow, type Plan } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * const least = dustBelow(plan); // '1000' for a plan of '1000000' whose corridor does not say it
 * ```
 */
export function dustBelow({ corridor, amountIn }: Pick<Plan, 'corridor' | 'amountIn'>): Amount {
  return corridor.dustBelow ?? amountOf(BigInt(amountIn.slice(0, -DUST_DIGITS) || '0'));
}

/**
 * Whether an amount of the source token is dust for a plan.
 *
 * @example
 * ```ts
 * import { isDust, type Plan, type Transfer } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * declare const transfer: Transfer;
 * const isIgnored = isDust(plan, transfer.amount);
 * ```
 */
export function isDust(plan: Pick<Plan, 'corridor' | 'amountIn'>, amount: Amount): boolean {
  return isLess(amount, dustBelow(plan));
}
