import { defined } from '@fairway/values';
import { isLess, unitsOf, ZERO } from '../terms/amount.ts';
import { depositOf, depositRow } from '../book/deposit.ts';
import { newestBlock, withDeposit } from './rules.ts';
import type { CommandOf, Ruling } from '../plan/commands.ts';
import { changed, unchanged } from '../plan/rulings.ts';
import { withoutGoneOthers } from '../book/swap.ts';
import { placeOf, reversalOf, standingMovements, transfersOf, withMovements } from '../book/ledger.ts';
import type { Movement, NewMovement, UnallocatedReason } from '../plan/movement.ts';
import { depositStep, evidenceOf, isReturned, lastStep, swapStep, without, withStep } from '../plan/steps.ts';
import type { StepId, TimeMs } from '../terms/scalars.ts';
import { isSamePlace, logName } from '../plan/transferPlaces.ts';
import type { Plan, RecordedTransfer, TransferPlace } from '../plan/types.ts';

/**
 * Records the transfers to the deposit address that a reading found, and how much of the deposit has its confirmations.
 * Each transfer is a movement, whatever the plan's status; those of the source token count towards the deposit. A
 * transfer from an address to itself brings nothing. One that had its confirmations keeps them until its block is gone.
 */
export function onRecordRead(plan: Plan, command: CommandOf<'RECORD_READ'>, atMs: TimeMs): Ruling {
  const before = depositStep(plan);
  const known = new Set(transfersOf(plan, 'DEPOSIT').map(logName));
  const fresh = command.added.filter(
    (transfer) => transfer.from !== transfer.to && transfer.amount !== ZERO && !known.has(logName(transfer)),
  );
  const rows = fresh.map((transfer) => movementOf(plan, transfer));
  const moved = withMovements(plan, rows, atMs);
  const isMore = fresh.some((transfer) => isOfSource(plan, transfer));
  const step = isMore ? { ...before, verification: 'VERIFIED' as const } : before;
  const read = withStep(moved, {
    ...step,
    ...defined({ finalBlock: finalBlockAt(moved, command.readNumber) }),
  });
  if (!isMore && depositOf(read).confirmed === depositOf(plan).confirmed)
    return fresh.length === 0 ? unchanged(plan) : changed(moved);
  return changed(withAmounts(plan, read));
}

/** The block of the newest transfer that has its confirmations, for a chain that was read up to a block. */
function finalBlockAt(plan: Plan, readNumber: number): number | undefined {
  const blockNumber = readNumber - plan.corridor.minConfirmations + 1;
  const { finalBlock = blockNumber } = depositStep(plan);
  return newestBlock(depositOf(plan).transfers, Math.max(blockNumber, finalBlock));
}

function isOfSource({ corridor }: Plan, { chainId, token }: RecordedTransfer): boolean {
  return chainId === corridor.source.chainId && token === corridor.source.token;
}

function movementOf(plan: Plan, transfer: RecordedTransfer): NewMovement {
  const { chainId, token, amount, to } = transfer;
  return {
    ...depositRow(plan, 'VERIFIED'),
    asset: { chainId, address: token },
    actual: amount,
    transfer: { ...placeOf(transfer), to },
    ...defined({ reason: whyUnasked(plan, transfer) }),
  };
}

/** Why the plan has no use for a transfer; undefined when it may have one. */
function whyUnasked(plan: Plan, transfer: RecordedTransfer): UnallocatedReason | undefined {
  if (!isOfSource(plan, transfer)) return 'OTHER_TOKEN';
  const isSwapped = standingMovements(plan, 'SWAP_IN').length > 0 || swapStep(plan).status === 'DONE';
  return isSwapped ? 'AFTER_SWAP' : undefined;
}

/** The plan with its deposit counted anew. The amounts change no status when the plan or the deposit is over. */
function withAmounts(before: Plan, after: Plan): Plan {
  const step = depositStep(after);
  if (after.ended === undefined && step.status !== 'FAILED') return withDeposit(after);
  const { received } = depositOf(after);
  if (received === ZERO) return withStep(after, without(step, 'isLate'));
  return isLess(depositOf(before).received, received) ? withStep(after, { ...step, isLate: true }) : after;
}

/** The plan with its deposit counted without the transfers that its ledger had before and has no longer. */
export function withoutTransfers(before: Plan, after: Plan): Plan {
  const { transfers } = depositOf(after);
  if (transfers.length === depositOf(before).transfers.length) return after;
  const { finalBlock = -1, ...step } = depositStep(after);
  const left = defined({ finalBlock: newestBlock(transfers, finalBlock) });
  return withAmounts(before, withStep(after, { ...step, ...left }));
}

/** The plan with all movements of a step taken back that rest on these transfers. */
export function withReversals(
  plan: Plan,
  stepId: StepId,
  gone: readonly TransferPlace[],
  atMs: TimeMs,
): Plan {
  const standing = standingMovements(plan);
  const lastReturn = standing.findLast(({ kind }) => kind === 'RETURN')?.seq ?? 0;
  const cameBack = new Set(
    (plan.ledger ?? []).flatMap((row) =>
      row.kind === 'PAYOUT' && row.seq < lastReturn && !isBackWithout(plan, row)
        ? (row.transfer?.txHash ?? [])
        : [],
    ),
  );
  const rests = isReturned(plan) ? evidenceOf(lastStep(plan))?.txHash : undefined;
  if (rests !== undefined) cameBack.add(rests);
  const lost = standing.filter(
    ({ stepId: of, kind, transfer }) =>
      of === stepId &&
      transfer !== undefined &&
      // A call has no log index: it is gone with any transfer of its transaction.
      gone.some((place) => isSamePlace({ ...place, ...transfer }, place)) &&
      // Returned money was paid out before, even if the chain has lost the transaction since.
      !(kind === 'PAYOUT' && cameBack.has(transfer.txHash)),
  );
  return withoutGoneOthers(withMovements(plan, lost.map(reversalOf), atMs));
}

/**
 * Whether all that came back is of other payments than one of the attempt to pay that is under way. Such a payment has not
 * come back, although returns were told since: they are of earlier attempts.
 */
function isBackWithout(plan: Plan, payment: Movement): boolean {
  if (isReturned(plan) || payment.seq <= (lastStep(plan).payout?.movements ?? 0)) return false;
  let others = 0n;
  for (const { kind, actual, transfer } of standingMovements(plan)) {
    if (kind === 'PAYOUT' && transfer?.txHash !== payment.transfer?.txHash) others += unitsOf(actual);
    if (kind === 'RETURN') others -= unitsOf(actual);
    if (others < 0n) return false;
  }
  return true;
}
