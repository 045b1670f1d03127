import { isLess, ZERO } from '../terms/amount.ts';
import { isDepositMoved } from '../plan/dust.ts';
import type { Decision, PlanEvent } from '../plan/events.ts';
import {
  changed,
  depositStep,
  dueSentence,
  dueStep,
  hasMoneyMoved,
  mismatch,
  notOfThisStep,
  notReady,
  swapStep,
  unchanged,
  without,
  withStep,
} from '../plan/planSteps.ts';
import type { TimeMs } from '../terms/scalars.ts';
import { depositsAfterSwap } from '../book/sentBack.ts';
import { isSameLog, isSamePlace } from '../plan/transferPlaces.ts';
import type { AwaitDepositStep, Plan, Transfer } from '../plan/types.ts';

type Event<Type extends PlanEvent['type']> = Extract<PlanEvent, { type: Type }>;

/**
 * Records what the chain shows in place of what it showed before: a reorganisation can take a deposit back. A reading
 * at an older block than the last one changes nothing: its node lags behind, or the reading came late.
 */
export function onDepositObserved(plan: Plan, event: Event<'DEPOSIT_OBSERVED'>): Decision {
  const before = depositStep(plan);
  if (before.stepId !== event.stepId) return notOfThisStep(plan, event.stepId);
  if (event.headNumber !== undefined && event.headNumber < headOf(plan, before)) return unchanged(plan);
  const { received, confirmed, transfers } = event;
  if (received === before.received && confirmed === before.confirmed && same(transfers, before.transfers))
    return unchanged(plan);
  const seen = { ...before, received, confirmed, transfers, verification: 'VERIFIED' as const };
  if (plan.ended !== undefined || before.status === 'FAILED') {
    // Too late for the plan, but recorded, so that people find the money.
    if (received === ZERO) return changed(withStep(plan, without(seen, 'outcome')));
    return changed(withStep(plan, isLess(before.received, received) ? { ...seen, outcome: 'LATE' } : seen));
  }
  return changed(withDeposit(plan, seen));
}

/** The block that a recorded deposit was read at, or an earlier one: the latest that the deposit proves. */
function headOf({ corridor }: Plan, { transfers, received, confirmed }: AwaitDepositStep): number {
  const latest = transfers.reduce((most, { blockNumber }) => (blockNumber > most ? blockNumber : most), 0);
  return received === confirmed && latest > 0 ? latest + corridor.minConfirmations - 1 : latest;
}

/**
 * Records a deposit that the integrator reports, with or without a transaction. A transfer after the swap is recorded
 * already: then the report says that it is not money of the plan which the custodian sent on.
 */
export function onDepositReported(plan: Plan, event: Event<'DEPOSIT_REPORTED'>): Decision {
  const before = depositStep(plan);
  if (before.stepId !== event.stepId) return notOfThisStep(plan, event.stepId);
  const { amount, verification, transfers } = event;
  if (transfers.length > 0 && transfers.every((each) => isAfterSwap(plan, each)))
    return withPayersOwn(plan, before, transfers);
  if (before.status === 'DONE') {
    const addsNothing = transfers.length === 0 || same(transfers, before.transfers);
    if (amount === before.received && addsNothing) return unchanged(plan);
    return notReady(plan, `The deposit is DONE already. ${dueSentence(plan)}`);
  }
  if (plan.ended !== undefined || before.status === 'FAILED') return notReady(plan, dueSentence(plan));
  if (isLess(amount, before.expected)) {
    const detail = `The deposit is ${amount} of the ${before.expected} expected; report it when all of it is there.`;
    return mismatch(detail);
  }
  const step = { ...before, received: amount, confirmed: amount, transfers, verification };
  return changed(withDeposit(plan, step));
}

function isAfterSwap(plan: Plan, told: Transfer): boolean {
  return depositsAfterSwap(plan).some(({ transfer }) => transfer !== undefined && isSameLog(transfer, told));
}

function withPayersOwn(plan: Plan, step: AwaitDepositStep, transfers: readonly Transfer[]): Decision {
  const { payersOwn = [] } = step;
  const hashes = [...new Set(transfers.map(({ txHash }) => txHash))].filter(
    (each) => !payersOwn.includes(each),
  );
  if (hashes.length === 0) return unchanged(plan);
  return changed(withStep(plan, { ...step, payersOwn: [...payersOwn, ...hashes] }));
}

/** Derives the deposit's outcome and status from its amounts, and from them the status of the swap. */
export function withDeposit(plan: Plan, seen: AwaitDepositStep): Plan {
  const swapMoved = swapStep(plan).status === 'DONE' || swapStep(plan).evidence !== undefined;
  const { expected, received } = seen;
  const outcome = isLess(received, expected) ? 'PARTIAL' : received === expected ? 'EXACT' : 'OVER';
  const bare = without(seen, 'outcome', 'failure');
  const settled: AwaitDepositStep = received === ZERO ? bare : { ...bare, outcome };
  // The swap has moved the money on: what the chain shows of the deposit is recorded and undoes nothing.
  const status = swapMoved ? seen.status : statusOf(plan, settled);
  const next = withStep(plan, { ...settled, status });
  if (status === 'DONE' || swapMoved) return next;
  const swap = swapStep(next);
  return withStep(next, { ...without(swap, 'failure', 'verification'), status: 'PENDING' });
}

function statusOf(plan: Plan, step: AwaitDepositStep): AwaitDepositStep['status'] {
  if (!isLess(step.confirmed, step.expected)) return 'DONE';
  return isDepositMoved(plan, step) ? 'READY' : 'PENDING';
}

function same(a: readonly Transfer[], b: readonly Transfer[]): boolean {
  return a.length === b.length && a.every((transfer, index) => isSamePlace(transfer, b[index] ?? transfer));
}

/**
 * Whether the plan expires at this time: money is missing. A plan that only waits for confirmations does not expire.
 */
export function expiresByTime(plan: Plan, nowMs: number): boolean {
  const step = depositStep(plan);
  return (
    plan.ended === undefined &&
    dueStep(plan)?.stepId === step.stepId &&
    step.status !== 'FAILED' &&
    isLess(step.received, step.expected) &&
    nowMs >= plan.expiresAtMs
  );
}

/** Fails a deposit that did not come in time. The plan ends with it, unless a part of the money has moved. */
export function expireDeposit(plan: Plan, atMs: TimeMs): Plan {
  const step = depositStep(plan);
  const detail = `Received ${step.received} of ${step.expected} in the time the plan had.`;
  const failed = withStep(plan, { ...step, status: 'FAILED', failure: { code: 'DEPOSIT_EXPIRED', detail } });
  const isMoved = hasMoneyMoved(plan) || isDepositMoved(plan, step);
  return isMoved ? failed : { ...failed, ended: { reason: 'EXPIRED', atMs } };
}
