import { unitsOf } from '../terms/amount.ts';
import { closingsOf } from '../book/closings.ts';
import { confirmingOthers } from '../book/finalExecutions.ts';
import { standingMovements } from '../book/ledger.ts';
import { reportedWithoutTransfer } from '../book/stepMovements.ts';
import { pendingPayoutsOf } from '../payout/pendingPayouts.ts';
import { isOver } from '../next/planStatus.ts';
import { depositStep, evidenceOf } from '../plan/planSteps.ts';
import type { AwaitDepositStep, Evidence, Plan } from '../plan/types.ts';

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
  const deposit = unconfirmedBlock(depositStep(plan));
  const confirming = evidencesOf(plan).filter(({ status }) => status === 'CONFIRMING');
  const blockNumbers = [
    ...(deposit === undefined ? [] : [deposit]),
    ...[...confirming, ...confirmingOthers(plan)].map((each) => each.blockNumber),
  ];
  if (blockNumbers.length === 0) return undefined;
  return Math.min(...blockNumbers) + plan.corridor.minConfirmations - 1;
}

/**
 * The block at which a change makes it necessary to compare the plan with its chain again; undefined when it does not.
 * A transaction that is new to the plan is compared as soon as its block is read. Another block may be in its place,
 * or the transaction may have to be recorded. A plan that is open again is compared at once, because transfers after
 * its end may belong to it now. A plan with another payment that waits to be mined is compared at once, too. "At once"
 * is 0: as soon as the record is at the head. A plan with a deposit address is also compared at once when it is over or is closed again: the
 * address may hold native currency.
 */
export function blockAwaitedBy(before: Plan, after: Plan): number | undefined {
  if (before.ended !== undefined && after.ended === undefined) return 0;
  if (pendingPayoutsOf(after).length > pendingPayoutsOf(before).length) return 0;
  const known = new Set(placesOf(before).map(({ name }) => name));
  const added = placesOf(after).filter(({ name }) => !known.has(name));
  const blockNumbers = added.map(({ blockNumber }) => blockNumber);
  const isEnded = !isOver(before) || closingsOf(after).length > closingsOf(before).length;
  const isResting = after.options.depositAddress !== undefined && isOver(after) && isEnded;
  if (blockNumbers.length === 0) return awaitedBlock(after) ?? (isResting ? 0 : undefined);
  return Math.max(...blockNumbers);
}

function evidencesOf({ steps }: Plan): readonly Evidence[] {
  return steps.flatMap((step) => evidenceOf(step) ?? []);
}

function placesOf(plan: Plan): readonly { readonly name: string; readonly blockNumber: number }[] {
  const moved = standingMovements(plan).flatMap(({ transfer }) => transfer ?? []);
  const standing = evidencesOf(plan).filter(({ status }) => status !== 'LOST');
  const transfers = [...depositStep(plan).transfers, ...standing, ...moved];
  return transfers.map(({ txHash, blockHash, blockNumber }) => ({
    name: `${txHash} ${blockHash}`,
    blockNumber,
  }));
}

/** The block of the oldest transfer of a deposit that is not confirmed. */
function unconfirmedBlock(step: AwaitDepositStep): number | undefined {
  let rest = unitsOf(step.confirmed) - unitsOf(reportedWithoutTransfer(step));
  const oldest = step.transfers
    .toSorted((a, b) => a.blockNumber - b.blockNumber)
    .find(({ amount }) => {
      rest -= unitsOf(amount);
      return rest < 0n;
    });
  return oldest?.blockNumber;
}
