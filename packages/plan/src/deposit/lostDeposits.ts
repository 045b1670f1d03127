import { isLess } from '../terms/amount.ts';
import { depositOf } from '../book/deposit.ts';
import { transfersOf } from '../book/ledger.ts';
import type { PlanCommand } from '../plan/commands.ts';
import { depositStep, dueStep, without, withStep } from '../plan/steps.ts';
import type { Hash, TimeMs } from '../terms/scalars.ts';
import type { LostTransactions, Plan } from '../plan/types.ts';

/** How long a deposit that a reorganisation took back is waited for: mostly it is mined again within some blocks. */
const WAIT_MS = 3_600_000;

/** Whether money of the deposit is missing and may still come: the deposit is due and has not failed. */
export function isDepositMissing(plan: Plan): boolean {
  const { stepId, status, expected } = depositStep(plan);
  const isOpen = plan.ended === undefined && dueStep(plan)?.stepId === stepId && status !== 'FAILED';
  return isOpen && isLess(depositOf(plan).received, expected);
}

/** What a reorganisation took back of a deposit that is missing; undefined when nothing of it is waited for. */
export function awaitedAgain(plan: Plan): LostTransactions | undefined {
  return isDepositMissing(plan) ? depositStep(plan).lost : undefined;
}

/**
 * The plan that knows which transactions of its deposit, and which refunds, are lost after a command. One that is on the
 * chain again is not waited for any more.
 */
export function withLostTransactions(before: Plan, after: Plan, command: PlanCommand, atMs: TimeMs): Plan {
  const isTaken = command.type === 'EVIDENCE_LOST' && command.cause === 'REORGANISED';
  return LISTS.reduce((plan, [name, hashesIn]) => {
    const step = depositStep(plan);
    const standing = hashesIn(plan);
    const taken = isTaken ? [...hashesIn(before)].filter((txHash) => !standing.has(txHash)) : [];
    if (taken.length === 0 && step[name] === undefined) return plan;
    const { txHashes: known = [], untilMs = 0 } = step[name] ?? {};
    const txHashes = [...new Set([...known, ...taken])].filter((txHash) => !standing.has(txHash));
    if (txHashes.length === known.length && taken.length === 0) return plan;
    if (txHashes.length === 0) return withStep(plan, without(step, name));
    return withStep(plan, {
      ...step,
      [name]: { txHashes, untilMs: taken.length > 0 ? atMs + WAIT_MS : untilMs },
    });
  }, after);
}

/** Where the step of the deposit keeps what is lost, and the transactions that the plan has of it. */
const LISTS = [
  ['lost', (plan: Plan) => hashesOf(depositOf(plan).transfers)],
  ['lostRefunds', (plan: Plan) => hashesOf(transfersOf(plan, 'REFUND'))],
] as const;

/** The plan that no longer waits for what a reorganisation took back. */
export function withoutLost(plan: Plan): Plan {
  return withStep(plan, without(depositStep(plan), 'lost'));
}

function hashesOf(transfers: readonly { readonly txHash: Hash }[]): ReadonlySet<Hash> {
  return new Set(transfers.map(({ txHash }) => txHash));
}
