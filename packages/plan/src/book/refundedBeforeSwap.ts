import { depositOf } from './deposit.ts';
import { type Amount, amountOf, unitsOf, ZERO } from '../terms/amount.ts';
import { standingMovements } from './ledger.ts';
import { isSameAsset } from '../terms/money.ts';
import type { Movement } from '../plan/movement.ts';
import { swapStep } from '../plan/steps.ts';
import type { Plan } from '../plan/types.ts';

/**
 * How much of the deposit went back before the swap was executed, if the rest is too little for the swap. ZERO when
 * the swap can be executed.
 */
export function refundedBeforeSwap(plan: Plan): Amount {
  const rows = standingMovements(plan);
  const { source } = plan.corridor;
  const isOwn = ({ side, asset }: Movement) =>
    side === 'SOURCE' && isSameAsset(asset, { chainId: source.chainId, address: source.token });
  const refunded = rows.reduce(
    (sum, row) => (row.kind === 'REFUND' && isOwn(row) ? sum + unitsOf(row.actual) : sum),
    0n,
  );
  const isSwapped = rows.some(({ kind }) => kind === 'SWAP_IN') || swapStep(plan).evidence !== undefined;
  if (refunded === 0n || isSwapped) return ZERO;
  const left = unitsOf(depositOf(plan).received) - refunded;
  return left >= unitsOf(plan.amountIn) ? ZERO : amountOf(refunded);
}
