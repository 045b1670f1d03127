import { type Amount, amountOf, isLess, sumOf, unitsOf, ZERO } from '../terms/amount.ts';
import { assetsOf, isSameAsset } from '../terms/money.ts';
import { isDust } from '../terms/corridor.ts';
import { standingMovements, transferOf } from './ledger.ts';
import type { Movement, NewMovement } from '../plan/movement.ts';
import { depositStep, swapStep } from '../plan/steps.ts';
import type { Plan, Transfer } from '../plan/types.ts';
import { totalOf } from './equations.ts';
import type { Verification } from '../terms/scalars.ts';

type Deposit = {
  /** How much has arrived, and how much of that has its confirmations. */
  readonly received: Amount;
  readonly confirmed: Amount;
  /** Absent while nothing has arrived. LATE: the last of it came when the plan was over. */
  readonly outcome?: 'PARTIAL' | 'EXACT' | 'OVER' | 'LATE';
  /** In the order in which they were recorded. */
  readonly transfers: readonly Transfer[];
};

/**
 * What has come of a plan's deposit, as the ledger has it. Money that was reported without a transaction counts as confirmed.
 *
 * @example
 * ```ts
 * import { depositOf, depositStep, isLess, type Plan } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * const isMissing = isLess(depositOf(plan).received, depositStep(plan).expected);
 * ```
 */
export function depositOf(plan: Plan): Deposit {
  const { expected, finalBlock = -1, isLate } = depositStep(plan);
  const { received, told, transfers } = arrivedOf(plan);
  const final = transfers.filter(({ blockNumber }) => blockNumber <= finalBlock);
  const confirmed =
    final.length === transfers.length ? received : sumOf([told, ...final.map(({ amount }) => amount)]);
  const counted = { received, confirmed, transfers };
  if (received === ZERO) return counted;
  if (isLate === true) return { ...counted, outcome: 'LATE' };
  if (isLess(received, expected)) return { ...counted, outcome: 'PARTIAL' };
  return { ...counted, outcome: received === expected ? 'EXACT' : 'OVER' };
}

/** What the movements of what comes to the deposit address have in common. */
export function depositRow(plan: Plan, verification: Verification): Omit<NewMovement, 'asset' | 'actual'> {
  return { kind: 'DEPOSIT', side: 'SOURCE', stepId: depositStep(plan).stepId, verification };
}

/** The movements of a deposit: all that came of the source token. */
export function depositMovements(plan: Plan): readonly Movement[] {
  const { source } = assetsOf(plan);
  return standingMovements(plan, 'DEPOSIT').filter(
    ({ asset, reason }) => reason !== 'OTHER_TOKEN' && isSameAsset(asset, source),
  );
}

/** `told`: what was reported without a transaction. */
type Arrived = Pick<Deposit, 'received' | 'transfers'> & { readonly told: Amount };

function arrivedOf(plan: Plan): Arrived {
  const known = plan.ledger && arrived.get(plan.ledger);
  if (known !== undefined) return known;
  const rows = depositMovements(plan);
  const amounts = (each: readonly Movement[]) => sumOf(each.map(({ actual }) => actual));
  const found = {
    received: amounts(rows),
    told: amounts(rows.filter(({ transfer }) => transfer === undefined)),
    transfers: rows.flatMap(transferOf),
  };
  if (plan.ledger !== undefined) arrived.set(plan.ledger, found);
  return found;
}

/** What has arrived, of each ledger: a ledger never changes, and one decision asks for it a dozen times. */
const arrived = new WeakMap<readonly Movement[], Arrived>();

/** Whether more than dust has come of a deposit, or dust has completed it. */
export function isDepositMoved(plan: Plan): boolean {
  const { received, transfers } = depositOf(plan);
  if (received === ZERO) return false;
  if (!isLess(received, depositStep(plan).expected)) return true;
  const amounts = transfers.map(({ amount }) => amount);
  return isLess(sumOf(amounts), received) || amounts.some((amount) => !isDust(plan, amount));
}

/**
 * Whether money has moved: a deposit that was seen, even in part, or reported, or a transaction that is on the chain.
 * Dust is no part of a deposit.
 */
export function hasMoneyMoved(plan: Plan): boolean {
  const isPaid = plan.steps.some(
    (step) => 'evidence' in step && step.evidence !== undefined && step.evidence.status !== 'LOST',
  );
  return isPaid || depositStep(plan).status === 'DONE' || isDepositMoved(plan);
}

/**
 * How much of the deposit went back before the swap was executed, if the rest is too little for the swap. ZERO when
 * the swap can be executed.
 */
export function refundedBeforeSwap(plan: Plan): Amount {
  const { source } = assetsOf(plan);
  const refunds = standingMovements(plan, 'REFUND').filter(
    ({ side, asset }) => side === 'SOURCE' && isSameAsset(asset, source),
  );
  const refunded = totalOf(refunds);
  const isSwapped = standingMovements(plan, 'SWAP_IN').length > 0 || swapStep(plan).evidence !== undefined;
  if (refunded === 0n || isSwapped) return ZERO;
  const left = unitsOf(depositOf(plan).received) - refunded;
  return left >= unitsOf(plan.amountIn) ? ZERO : amountOf(refunded);
}
