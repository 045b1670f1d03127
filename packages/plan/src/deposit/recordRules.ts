import { type Amount, isLess, sumOf, unitsOf, ZERO } from '../terms/amount.ts';
import { defined } from '../terms/defined.ts';
import { withDeposit } from './depositRules.ts';
import type { Decision, PlanEvent } from '../plan/events.ts';
import { withoutGoneOthers } from '../book/finalExecutions.ts';
import { reversalOf, standingMovements, withMovements } from '../book/ledger.ts';
import type { NewMovement, UnallocatedReason } from '../plan/movement.ts';
import { placeOf, reportedWithoutTransfer } from '../book/stepMovements.ts';
import { lastStep } from '../book/payoutTurn.ts';
import {
  changed,
  depositStep,
  evidenceOf,
  isReturned,
  notOfThisStep,
  swapStep,
  unchanged,
  without,
  withStep,
} from '../plan/planSteps.ts';
import type { StepId, TimeMs } from '../terms/scalars.ts';
import { isSamePlace, logName } from '../plan/transferPlaces.ts';
import type { AwaitDepositStep, Plan, RecordedTransfer, Transfer, TransferPlace } from '../plan/types.ts';

type Event<Type extends PlanEvent['type']> = Extract<PlanEvent, { type: Type }>;

/**
 * Records transfers to the deposit address. Each is a movement, whatever the plan's status; those of the source token
 * count towards the deposit. A transfer from an address to itself brings nothing.
 */
export function onTransfersRecorded(plan: Plan, event: Event<'TRANSFERS_RECORDED'>, atMs: TimeMs): Decision {
  const before = depositStep(plan);
  if (before.stepId !== event.stepId) return notOfThisStep(plan, event.stepId);
  const known = knownLogs(plan);
  const fresh = event.added.filter(
    (transfer) => transfer.from !== transfer.to && transfer.amount !== ZERO && !known.has(logName(transfer)),
  );
  if (fresh.length === 0) return unchanged(plan);
  const moved = withMovements(
    plan,
    fresh.map((transfer) => depositRow(plan, transfer)),
    atMs,
  );
  const own = fresh.filter((transfer) => isOfSource(plan, transfer));
  if (own.length === 0) return changed(moved);
  const transfers = [...before.transfers, ...own.map(plainTransfer)];
  return changed(withReading(moved, { ...before, transfers, verification: 'VERIFIED' }, event.readNumber));
}

/**
 * Records how much of the deposit has its confirmations. A transfer that had them once keeps them until its block is
 * gone.
 */
export function onDepositConfirmed(plan: Plan, event: Event<'DEPOSIT_CONFIRMED'>): Decision {
  const before = depositStep(plan);
  if (before.stepId !== event.stepId) return notOfThisStep(plan, event.stepId);
  const next = withReading(plan, before, event.readNumber);
  return depositStep(next).confirmed === before.confirmed ? unchanged(plan) : changed(next);
}

/** The logs that count already. */
function knownLogs(plan: Plan): ReadonlySet<string> {
  const deposits = standingMovements(plan).filter(({ kind }) => kind === 'DEPOSIT');
  return new Set(deposits.flatMap(({ transfer }) => transfer ?? []).map(logName));
}

function isOfSource({ corridor }: Plan, { chainId, token }: RecordedTransfer): boolean {
  return chainId === corridor.source.chainId && token === corridor.source.token;
}

function depositRow(plan: Plan, transfer: RecordedTransfer): NewMovement {
  const { chainId, token, amount, to } = transfer;
  return {
    kind: 'DEPOSIT',
    side: 'SOURCE',
    stepId: depositStep(plan).stepId,
    asset: { chainId, address: token },
    actual: amount,
    transfer: { ...placeOf(transfer), to },
    verification: 'VERIFIED',
    ...defined({ reason: whyUnasked(plan, transfer) }),
  };
}

/** Why the plan has no use for a transfer; undefined when it may have one. */
function whyUnasked(plan: Plan, transfer: RecordedTransfer): UnallocatedReason | undefined {
  if (!isOfSource(plan, transfer)) return 'OTHER_TOKEN';
  return isSwapped(plan) ? 'AFTER_SWAP' : undefined;
}

/** Whether the swap was executed already, so that a deposit comes too late for it. */
function isSwapped(plan: Plan): boolean {
  const isExecuted = standingMovements(plan).some(({ kind }) => kind === 'SWAP_IN');
  return isExecuted || swapStep(plan).status === 'DONE';
}

/** A transfer as a deposit keeps it: its token and its receiver are the plan's own. */
function plainTransfer({ token: _token, to: _to, ...transfer }: RecordedTransfer): Transfer {
  return transfer;
}

/** The plan with the amounts of a deposit counted anew, for a chain that was read up to a block. */
function withReading(plan: Plan, step: AwaitDepositStep, readNumber: number): Plan {
  const newestFinal = readNumber - plan.corridor.minConfirmations + 1;
  const final = step.transfers.filter(({ blockNumber }) => blockNumber <= newestFinal);
  const told = reportedWithoutTransfer(depositStep(plan));
  const received = sumOf([told, ...step.transfers.map(({ amount }) => amount)]);
  const confirmed = sumOf([told, ...final.map(({ amount }) => amount)]);
  const most = isLess(step.confirmed, confirmed) ? confirmed : step.confirmed;
  return withAmounts(plan, { ...step, received, confirmed: most });
}

/** The plan with the deposit's amounts. They change no status when the plan or the deposit is over. */
function withAmounts(plan: Plan, seen: AwaitDepositStep): Plan {
  if (plan.ended === undefined && seen.status !== 'FAILED') return withDeposit(plan, seen);
  if (seen.received === ZERO) return withStep(plan, without(seen, 'outcome'));
  const isMore = isLess(depositStep(plan).received, seen.received);
  return withStep(plan, isMore ? { ...seen, outcome: 'LATE' } : seen);
}

/** The plan with its deposit counted without transfers that are no longer on the chain. */
export function withoutTransfers(plan: Plan, step: AwaitDepositStep, gone: readonly TransferPlace[]): Plan {
  const isGone = (transfer: Transfer) => gone.some((place) => isAt(transfer, place));
  if (!step.transfers.some(isGone)) return plan;
  const told = reportedWithoutTransfer(step);
  const transfers = step.transfers.filter((transfer) => !isGone(transfer));
  const confirmed = confirmedOf(step, told).filter((transfer) => !isGone(transfer));
  return withAmounts(plan, {
    ...step,
    transfers,
    received: sumOf([told, ...transfers.map(({ amount }) => amount)]),
    confirmed: sumOf([told, ...confirmed.map(({ amount }) => amount)]),
  });
}

/** The transfers that have their confirmations: the oldest ones, up to the amount that is confirmed. */
function confirmedOf({ transfers, confirmed }: AwaitDepositStep, told: Amount): readonly Transfer[] {
  let rest = unitsOf(confirmed) - unitsOf(told);
  return transfers
    .toSorted((a, b) => a.blockNumber - b.blockNumber)
    .filter(({ amount }) => {
      rest -= unitsOf(amount);
      return rest >= 0n;
    });
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
    (plan.ledger ?? []).flatMap(({ kind, seq, transfer }) =>
      kind === 'PAYOUT' && seq < lastReturn ? (transfer?.txHash ?? []) : [],
    ),
  );
  const last = lastStep(plan);
  const rests = last !== undefined && isReturned(plan) ? evidenceOf(last)?.txHash : undefined;
  if (rests !== undefined) cameBack.add(rests);
  const lost = standing.filter(
    ({ stepId: of, kind, transfer }) =>
      of === stepId &&
      transfer !== undefined &&
      gone.some((place) => isAt(transfer, place)) &&
      // Returned money was paid out before, even if the chain has lost the transaction since.
      !(kind === 'PAYOUT' && cameBack.has(transfer.txHash)),
  );
  return withoutGoneOthers(withMovements(plan, lost.map(reversalOf), atMs));
}

/** Whether a movement is at a place. A call has no log index: it is gone with any transfer of its transaction. */
function isAt(
  at: Omit<TransferPlace, 'logIndex'> & { readonly logIndex?: number },
  place: TransferPlace,
): boolean {
  return isSamePlace({ ...at, logIndex: at.logIndex ?? place.logIndex }, place);
}
