import { depositOf } from './deposit.ts';
import { type Amount, amountOf, sumOf, unitsOf, ZERO } from '../terms/amount.ts';
import { standingMovements } from './ledger.ts';
import { assetsOf, isSameAsset } from '../terms/money.ts';
import { swapStep } from '../plan/steps.ts';
import type { Plan } from '../plan/types.ts';

/**
 * How much of the deposit went back before the swap was executed, if the rest is too little for the swap. ZERO when
 * the swap can be executed.
 */
export function refundedBeforeSwap(plan: Plan): Amount {
  const rows = standingMovements(plan);
  const { source } = assetsOf(plan);
  const refunds = rows.filter(
    ({ kind, side, asset }) => kind === 'REFUND' && side === 'SOURCE' && isSameAsset(asset, source),
  );
  const refunded = unitsOf(sumOf(refunds.map(({ actual }) => actual)));
  const isSwapped = rows.some(({ kind }) => kind === 'SWAP_IN') || swapStep(plan).evidence !== undefined;
  if (refunded === 0n || isSwapped) return ZERO;
  const left = unitsOf(depositOf(plan).received) - refunded;
  return left >= unitsOf(plan.amountIn) ? ZERO : amountOf(refunded);
}
