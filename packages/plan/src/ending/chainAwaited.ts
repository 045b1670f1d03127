import { depositOf } from '../book/deposit.ts';
import { closingsOf } from '../book/equations.ts';
import { confirmingOthers } from '../book/swap.ts';
import { standingMovements } from '../book/ledger.ts';
import { lostPartsOf } from '../payout/lostParts.ts';
import { pendingPayoutsOf } from '../payout/pendingPayouts.ts';
import { takesRepeatedPayment } from '../payout/repeatedPayment.ts';
import { fateProofs, type PendingTransaction, pendingTransactionsOf } from '../swap/pendingTransactions.ts';
import { depositStep, lastStep, payingState, standingEvidence } from '../plan/steps.ts';
import { isOver } from '../next/next.ts';
import type { Plan, StepEvidence } from '../plan/types.ts';

/**
 * The block of the plan's chain at which a transaction that the plan rests on has its confirmations; the earliest, where
 * there are several. Undefined when all have them.
 *
 * @example
 * ```ts
 * import { awaitedBlock, type Plan } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * const dueBlock = awaitedBlock(plan);
 * ```
 */
export function awaitedBlock(plan: Plan): number | undefined {
  const deposit = unconfirmedBlock(plan);
  const confirming = evidencesOf(plan).filter(({ status }) => status === 'CONFIRMING');
  const blockNumbers = [
    ...(deposit === undefined ? [] : [deposit]),
    ...[...confirming, ...confirmingOthers(plan)].map((each) => each.blockNumber),
  ];
  if (blockNumbers.length === 0) return undefined;
  return Math.min(...blockNumbers) + plan.corridor.minConfirmations - 1;
}

/**
 * The transactions that were told and are looked for on the chain. Those that swap are among them. Payments to the
 * recipient's wallet and lost parts are, too, while the payment is due, and beside the one that paid all.
 *
 * @example
 * ```ts
 * import { pendingOf, type Plan } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * for (const { txHash } of pendingOf(plan)) console.log(`look for ${txHash}`);
 * ```
 */
export function pendingOf(plan: Plan): readonly PendingTransaction[] {
  const step = lastStep(plan);
  const isLookedFor = payingState(step) === 'DUE' || takesRepeatedPayment(plan);
  if (!isLookedFor) return pendingTransactionsOf(plan);
  // A part can have been told before it was mined, and can have paid by several transfers.
  const paying = Map.groupBy([...pendingPayoutsOf(plan), ...lostPartsOf(plan)], ({ txHash }) => txHash);
  return [...pendingTransactionsOf(plan), ...[...paying.values()].flatMap(([first]) => first ?? [])];
}

/**
 * The block at which a change makes it necessary to compare the plan with its chain again; undefined when it does not.
 * A transaction that is new to the plan is compared as soon as its block is read. Another block may be in its place,
 * or the transaction may have to be recorded. A plan that is open again is compared at once, because transfers after
 * its end may belong to it now. A plan with another transaction that waits to be mined is compared at once, too. "At once"
 * is 0: as soon as the record is at the head. A plan with a deposit address is also compared at once when it is over or is closed again: the
 * address may hold native currency.
 */
export function blockAwaitedBy(before: Plan, after: Plan): number | undefined {
  if (before.ended !== undefined && after.ended === undefined) return 0;
  if (pendingOf(after).length > pendingOf(before).length) return 0;
  const known = new Set(placesOf(before).map(({ name }) => name));
  const added = placesOf(after).filter(({ name }) => !known.has(name));
  const blockNumbers = added.map(({ blockNumber }) => blockNumber);
  const isEnded = !isOver(before) || closingsOf(after).length > closingsOf(before).length;
  const isResting = after.options.depositAddress !== undefined && isOver(after) && isEnded;
  if (blockNumbers.length === 0) return awaitedBlock(after) ?? (isResting ? 0 : undefined);
  return Math.max(...blockNumbers);
}

function evidencesOf({ steps }: Plan): readonly StepEvidence[] {
  return steps.flatMap((step) => standingEvidence(step) ?? []);
}

function placesOf(plan: Plan): readonly { readonly name: string; readonly blockNumber: number }[] {
  const moved = standingMovements(plan).flatMap(({ transfer }) => transfer ?? []);
  const transfers = [...evidencesOf(plan), ...moved, ...fateProofs(plan)];
  return transfers.map(({ txHash, blockHash, blockNumber }) => ({
    name: `${txHash} ${blockHash}`,
    blockNumber,
  }));
}

/** The block of the oldest transfer of a deposit that is not confirmed. */
function unconfirmedBlock(plan: Plan): number | undefined {
  const { finalBlock = -1 } = depositStep(plan);
  const blockNumbers = depositOf(plan).transfers.map(({ blockNumber }) => blockNumber);
  const waitingBlockNumbers = blockNumbers.filter((blockNumber) => blockNumber > finalBlock);
  return waitingBlockNumbers.length === 0 ? undefined : Math.min(...waitingBlockNumbers);
}
