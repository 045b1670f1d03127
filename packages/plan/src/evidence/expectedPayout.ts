import { isLess } from '../terms/amount.ts';
import { standingMovements } from '../book/ledger.ts';
import { lastStep, payingState } from '../plan/steps.ts';
import { paidWallet } from './payoutJudgement.ts';
import { isSamePlace, mayBeSameTransfer } from '../plan/transferPlaces.ts';
import type { Movement } from '../plan/movement.ts';
import type { Plan, RecordedTransfer, TransferPlace } from '../plan/types.ts';

/**
 * Finds, among the transfers to a plan's wallet, the one that can only be the payment that is due. It brings exactly
 * what is due, or it is a part that was paid before a reorganisation. Such a part is no more than what is due.
 * Undefined when nothing is due, or when each transfer is in the ledger already. Whether other plans pay the same
 * wallet is not asked here.
 *
 * @example
 * ```ts
 * import { expectedPayout, type Plan, type RecordedTransfer } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * declare const transfersToItsWallet: readonly RecordedTransfer[];
 * const txHash = expectedPayout(plan, transfersToItsWallet)?.txHash;
 * ```
 */
export function expectedPayout(
  plan: Plan,
  transfers: readonly RecordedTransfer[],
): RecordedTransfer | undefined {
  const wallet = paidWallet(plan);
  const step = lastStep(plan);
  if (wallet === undefined || step.status === 'PENDING' || payingState(step) !== 'DUE') return undefined;
  return transfers.find(
    (each) =>
      (each.amount === wallet.due || (isLess(each.amount, wallet.due) && isLostPayment(plan, each))) &&
      !isCounted(plan, each),
  );
}

/**
 * Whether a transfer is a part that a reorganisation took back and that is mined again. The transaction must have
 * paid the same amount, by as many transfers as it had in one block. Others of the same transaction are for something
 * else.
 */
function isLostPayment(plan: Plan, { txHash, amount }: RecordedTransfer): boolean {
  const isAlike = ({ kind, transfer, reverses, actual }: Movement) =>
    kind === 'PAYOUT' && reverses === undefined && transfer?.txHash === txHash && actual === amount;
  const paid = (plan.ledger ?? []).filter(isAlike);
  const blocks = Map.groupBy(paid, ({ transfer }) => transfer?.blockHash);
  const logs = [...blocks.values()].map(
    (rows) => new Set(rows.map(({ transfer }) => transfer?.logIndex)).size,
  );
  return standingMovements(plan).filter(isAlike).length < Math.max(0, ...logs);
}

/**
 * Whether a transfer is in the ledger already, such as a payout that came back before this one became due. In another
 * block only a payout may be this transfer.
 */
function isCounted(plan: Plan, place: TransferPlace): boolean {
  return standingMovements(plan).some(({ kind, transfer }) =>
    kind === 'PAYOUT' ? mayBeSameTransfer(transfer, place) : isSamePlace(transfer, place),
  );
}
