import { defined } from '@fairway/values';
import { withDeposit } from '../deposit/rules.ts';
import type { CommandOf, Ruling } from '../plan/commands.ts';
import { changed, lostIsNoEvidence, refused, unchanged } from '../plan/rulings.ts';
import { executionsBy, withFinalOther, withoutGoneOthers } from '../book/swap.ts';
import { minedAs, placeOf, restingOn, reversalOf, transfersOf, withMovements } from '../book/ledger.ts';
import { depositStep, standingEvidence, swapStep, without, withStep } from '../plan/steps.ts';
import { assetsOf } from '../terms/money.ts';
import type { NewMovement } from '../plan/movement.ts';
import type { Amount } from '../terms/amount.ts';
import type { TimeMs } from '../terms/scalars.ts';
import { withSwapEvidence } from './rules.ts';
import type { Evidence, FurtherExecution, Plan, StepEvidence, SwapAttempt } from '../plan/types.ts';

type Found = CommandOf<'EXECUTION_FOUND'>;

/**
 * Records a transaction that executed instructions of the plan, whoever found it. The first one swaps; any other is
 * money that nobody asked for, but is not lost from sight. The executions of further calls of one transaction are
 * recorded in the same way.
 */
export function onExecutionFound(before: Plan, command: Found, atMs: TimeMs): Ruling {
  const { evidence, position } = command;
  if (evidence.status === 'LOST') return lostIsNoEvidence(evidence);
  const plan = withForgotten(before, command, atMs);
  const swap = swapStep(plan);
  if (swap.attempts[position] === undefined)
    return refused({
      reason: 'EVIDENCE_MISMATCH',
      detail:
        'The transaction executes no instructions of this step. Report the transaction that executed them.',
    });
  const known = standingEvidence(swap);
  if (known?.txHash === evidence.txHash) {
    // A final transaction stays final: before it can be confirming again, its block must be gone.
    if (known.status === 'FINAL' && evidence.status === 'CONFIRMING') return unchanged(plan);
    if (known.blockHash === evidence.blockHash) return onKnownExecution(plan, known, command, atMs);
  }
  const isSecond = known !== undefined && known.txHash !== evidence.txHash;
  // A plan that was closed has the swap again that it had when it was closed.
  const isFoundAgain = swap.evidence?.txHash === evidence.txHash;
  if (isSecond || (plan.ended !== undefined && !isFoundAgain))
    return onUnaskedExecution(plan, command, isSecond, atMs);
  const moved = withDepositDone(withExecution(plan, command, undefined, atMs));
  const next = withSwapEvidence(moved, swap, { evidence, attemptIndex: position });
  return changed(withDeposit(next));
}

/**
 * How many attempts may lie between the last that a plan has and one that it has lost.
 *
 * @example
 * ```ts
 * import { MOST_FORGOTTEN, type Plan, swapStep } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * const end = swapStep(plan).attempts.length + MOST_FORGOTTEN; // the first position that no execution can have
 * ```
 */
export const MOST_FORGOTTEN = 16;

/**
 * The plan with the instructions again that it had lost, at their position. Others that it lost before them stay unknown,
 * but have their places, so that each attempt has the id that it had.
 */
function withForgotten(plan: Plan, { position, forgotten }: Found, atMs: TimeMs): Plan {
  const swap = swapStep(plan);
  const missing = position - swap.attempts.length;
  if (forgotten === undefined || missing < 0 || missing > MOST_FORGOTTEN) return plan;
  const found: SwapAttempt = { ...forgotten, derivedAtMs: atMs, outcome: 'SUPERSEDED' };
  const unknown = Array.from({ length: missing }, (): SwapAttempt => ({ ...found, instructions: [] }));
  return withStep(plan, { ...swap, attempts: [...swap.attempts, ...unknown, found] });
}

/**
 * An execution whose movements the plan has. Two facts can be new: that it is final, and further calls of its
 * transaction that were not told before.
 */
function onKnownExecution(plan: Plan, known: StepEvidence, command: Found, atMs: TimeMs): Ruling {
  const { evidence, position, others = [] } = command;
  const isLacking = others.some(({ transfers: [first] }) => !hasCall(plan, evidence, first?.logIndex));
  if (known.status === evidence.status && !isLacking) return unchanged(plan);
  const isOther = String(known.logIndexes) !== String(restingOn(evidence).logIndexes);
  const moved = isLacking || isOther ? withExecution(plan, command, undefined, atMs) : plan;
  return changed(withSwapEvidence(moved, swapStep(moved), { evidence, attemptIndex: position }));
}

/** Whether the ledger has a call of a transaction: the first one, or the one that brought this log. */
function hasCall(plan: Plan, { txHash, blockHash }: Evidence, logIndex?: number): boolean {
  return transfersOf(plan, 'SWAP_IN').some(
    (each) => each.txHash === txHash && each.blockHash === blockHash && each.logIndex === logIndex,
  );
}

/** An execution that changes no step: the swap was executed by another transaction, or the plan has ended. */
function onUnaskedExecution(plan: Plan, command: Found, isSecond: boolean, atMs: TimeMs): Ruling {
  const { evidence, others = [] } = command;
  const calls = [undefined, ...others.map(({ transfers: [first] }) => first?.logIndex)];
  const isKnown = calls.every((logIndex) => hasCall(plan, evidence, logIndex));
  const reason = isSecond ? 'SECOND_EXECUTION' : 'AFTER_END';
  const moved = isKnown ? plan : withExecution(plan, command, reason, atMs);
  const next = withFinalOther(moved, evidence);
  return next === plan ? unchanged(plan) : changed(next);
}

/** The plan with the movements of an execution, in place of those that the ledger has of the same transaction. */
function withExecution(
  plan: Plan,
  { evidence, position, amountIn, gas, marketAmount, others = [] }: Found,
  reason: 'SECOND_EXECUTION' | 'AFTER_END' | undefined,
  atMs: TimeMs,
): Plan {
  const replaced = executionsBy(plan, evidence.txHash);
  const [spent, ...brought] = executionRows(plan, evidence, position, amountIn, reason);
  const rows = [
    { ...spent, ...defined({ gas, marketAmount }) },
    ...brought,
    ...others.flatMap((other) => furtherRows(plan, evidence, other)),
  ];
  return withoutGoneOthers(withMovements(plan, [...replaced.map(reversalOf), ...rows], atMs));
}

/** The movements of an executed swap: what it spent, and each transfer that it brought to the settlement address. */
function executionRows(
  plan: Plan,
  evidence: Evidence,
  attempt: number,
  amountIn: Amount,
  reason?: 'SECOND_EXECUTION' | 'AFTER_END',
): [NewMovement, ...NewMovement[]] {
  const { stepId, attempts } = swapStep(plan);
  const { source, target } = assetsOf(plan);
  const row = { stepId, attempt, verification: 'VERIFIED', ...defined({ reason }) } as const;
  const transfer = minedAs(evidence);
  const expected = attempts[attempt]?.amountOut;
  return [
    { kind: 'SWAP_IN', side: 'SOURCE', ...row, asset: source, actual: amountIn, transfer },
    ...evidence.transfers.map(
      (moved): NewMovement => ({
        kind: 'SWAP_OUT',
        side: 'TARGET',
        ...row,
        asset: target,
        ...defined({ expected }),
        actual: moved.amount,
        transfer: placeOf(moved),
      }),
    ),
  ];
}

/** The movements of what a further call of a transaction executed. Its own logs tell them apart from the first call's. */
function furtherRows(
  plan: Plan,
  evidence: Evidence,
  { position, amountIn, transfers }: FurtherExecution,
): NewMovement[] {
  const [first] = transfers;
  const rows = executionRows(plan, { ...evidence, transfers }, position, amountIn, 'SECOND_EXECUTION');
  return rows.map((row) =>
    row.kind === 'SWAP_IN' && row.transfer !== undefined
      ? { ...row, transfer: { ...row.transfer, ...defined({ logIndex: first?.logIndex }) } }
      : row,
  );
}

/** The plan with its deposit done: what was executed needs no deposit any more, whatever is known of it. */
function withDepositDone(plan: Plan): Plan {
  const step = depositStep(plan);
  return withStep(plan, { ...without(step, 'failure'), status: 'DONE' });
}
