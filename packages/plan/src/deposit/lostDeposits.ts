import { isLess } from '../terms/amount.ts';
import { depositOf } from '../book/deposit.ts';
import type { PlanCommand } from '../plan/commands.ts';
import { depositStep, dueStep, without, withStep } from '../plan/steps.ts';
import type { Hash, TimeMs } from '../terms/scalars.ts';
import type { LostDeposits, Plan } from '../plan/types.ts';

/** How long a deposit that a reorganisation took back is waited for: mostly it is mined again within some blocks. */
const WAIT_MS = 3_600_000;

/** Whether money of the deposit is missing and may still come: the deposit is due and has not failed. */
export function isDepositMissing(plan: Plan): boolean {
  const { stepId, status, expected } = depositStep(plan);
  const isOpen = plan.ended === undefined && dueStep(plan)?.stepId === stepId && status !== 'FAILED';
  return isOpen && isLess(depositOf(plan).received, expected);
}

/** What a reorganisation took back of a deposit that is missing; undefined when nothing of it is waited for. */
export function awaitedAgain(plan: Plan): LostDeposits | undefined {
  return isDepositMissing(plan) ? depositStep(plan).lost : undefined;
}

/**
 * The plan that knows which transactions of its deposit are lost after a command. One that is on the chain again is not
 * waited for any more.
 */
export function withLostDeposits(before: Plan, after: Plan, command: PlanCommand, atMs: TimeMs): Plan {
  const step = depositStep(after);
  const standing = hashesIn(after);
  const isTaken = command.type === 'EVIDENCE_LOST' && command.cause === 'REORGANISED';
  const taken = isTaken ? [...hashesIn(before)].filter((txHash) => !standing.has(txHash)) : [];
  if (taken.length === 0 && step.lost === undefined) return after;
  const { txHashes: known = [], untilMs = 0 } = step.lost ?? {};
  const txHashes = [...new Set([...known, ...taken])].filter((txHash) => !standing.has(txHash));
  if (txHashes.length === known.length && taken.length === 0) return after;
  if (txHashes.length === 0) return withoutLost(after);
  return withStep(after, {
    ...step,
    lost: { txHashes, untilMs: taken.length > 0 ? atMs + WAIT_MS : untilMs },
  });
}

/** The plan that no longer waits for what a reorganisation took back. */
export function withoutLost(plan: Plan): Plan {
  return withStep(plan, without(depositStep(plan), 'lost'));
}

function hashesIn(plan: Plan): ReadonlySet<Hash> {
  return new Set(depositOf(plan).transfers.map(({ txHash }) => txHash));
}
