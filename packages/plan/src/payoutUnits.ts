import { type Amount, isLess } from './amount.ts';
import { conversionOf } from './corridor.ts';
import { minorUnitOf } from './discharge.ts';
import type { Unallocated } from './funds.ts';
import { standingMovements } from './ledger.ts';
import { assetsOf, isSameAsset } from './money.ts';
import type { Plan } from './types.ts';

/**
 * What the smallest unit of the currency is in units of the token that is pegged to it, where the token is finer than the
 * currency; undefined elsewhere, and for plans of before plans kept the decimals of the token.
 */
function minorUnitIn({ corridor }: Plan): Amount | undefined {
  const { decimals, currency } = corridor.target;
  if (decimals === undefined) return undefined;
  return minorUnitOf({ decimals, currency, conversion: conversionOf(corridor) });
}

/**
 * Whether money that was paid above what is due is less than the smallest unit of the currency: an account was paid in whole
 * units, rounded up, and nobody can send the difference back. It stays in the funds, and asks nobody for anything.
 */
export function isRoundedUp(plan: Plan, { asset, amount, reason, direction }: Unallocated): boolean {
  const minorUnit = minorUnitIn(plan);
  if (minorUnit === undefined || direction !== 'OUT' || reason !== 'PAID_ABOVE_DUE') return false;
  if (!isSameAsset(asset, assetsOf(plan).target) || !isLess(amount, minorUnit)) return false;
  return !standingMovements(plan).some(({ kind, transfer }) => kind === 'PAYOUT' && transfer !== undefined);
}
