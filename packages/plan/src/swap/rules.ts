import { defined } from '@fairway/values';
import { isLess, ZERO } from '../terms/amount.ts';
import { needsApproval, refuseUnapproved } from '../plan/approvalRules.ts';
import { withoutLink } from '../collect/rules.ts';
import { withDeposit } from '../deposit/rules.ts';
import type { CommandOf, Ruling } from '../plan/commands.ts';
import { changed, dueSentence, mismatch, notReady, refused, unchanged } from '../plan/rulings.ts';
import {
  pendingTransactionsOf,
  refuseWhilePending,
  withoutPendingTransactions,
} from './pendingTransactions.ts';
import { isTurnOf, lastStep, standingEvidence, swapStep, without, withStep } from '../plan/steps.ts';
import { awaitedRefunds } from '../deposit/lostTransactions.ts';
import { restingOn, reversalOf, withMovements } from '../book/ledger.ts';
import { refundedBeforeSwap } from '../book/deposit.ts';
import type { Hash, TimeMs } from '../terms/scalars.ts';
import type { DerivedInstructions, Evidence, ExecuteSwapStep, Plan, SwapAttempt } from '../plan/types.ts';
import { executionsBy } from '../book/swap.ts';

/**
 * How many instructions of one swap the integrator gets whenever it asks. Every reading and every change of the plan
 * handles all of them, and their position is kept in 16 bits. Further instructions come only when the last have
 * expired, at most 72 a day. There is no last number, because a plan must always be able to go on.
 */
export const ATTEMPTS_AT_WILL = 200;

/**
 * Whether instructions may be derived: the deposit is there and did not go back, and no transaction has executed the swap.
 */
export function takesInstructions(plan: Plan): boolean {
  const swap = swapStep(plan);
  const isDue = isTurnOf(plan, swap) && swap.status !== 'FAILED' && swap.evidence === undefined;
  return isDue && refundedBeforeSwap(plan) === ZERO && awaitedRefunds(plan) === undefined;
}

/**
 * Whether the service has to derive instructions by itself: the deposit has come, or a failed swap is tried again. It
 * does not after a reorganisation took a transaction back, or while a submitted one is pending. That one may be
 * mined, and a second transaction would swap twice.
 */
export function owesInstructions(plan: Plan): boolean {
  const swap = swapStep(plan);
  const tried = lastTried(swap)?.outcome;
  if (
    !takesInstructions(plan) ||
    needsApproval(plan) ||
    tried === 'LOST' ||
    pendingTransactionsOf(plan).length > 0
  )
    return false;
  return swap.status === 'PENDING' || tried === 'FAILED';
}

/** The attempt whose transaction a reorganisation took back, unless a later attempt has an outcome. */
export function lostAttempt(swap: ExecuteSwapStep): SwapAttempt | undefined {
  const tried = lastTried(swap);
  return tried?.outcome === 'LOST' ? tried : undefined;
}

/** The last attempt that was not merely replaced by newer instructions. */
function lastTried({ attempts }: ExecuteSwapStep): SwapAttempt | undefined {
  return attempts.findLast(({ outcome }) => outcome !== 'SUPERSEDED');
}

/**
 * The instructions to execute now; undefined when there are none.
 *
 * @example
 * ```ts
 * import { openAttempt, type Plan, swapStep } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * const instructions = openAttempt(swapStep(plan))?.instructions ?? [];
 * ```
 */
export function openAttempt({ attempts }: ExecuteSwapStep): SwapAttempt | undefined {
  const last = attempts.at(-1);
  return last?.outcome === 'OPEN' ? last : undefined;
}

/**
 * The instructions that the integrator can execute; undefined when there are none, also because the deposit went back: they
 * would swap other money then. There are none while the payment has no approval either.
 *
 * @example
 * ```ts
 * import { executableAttempt, type Plan } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * const instructions = executableAttempt(plan)?.instructions ?? [];
 * ```
 */
export function executableAttempt(plan: Plan): SwapAttempt | undefined {
  return refundedBeforeSwap(plan) === ZERO && !needsApproval(plan) ? openAttempt(swapStep(plan)) : undefined;
}

/**
 * Whether the open instructions stay, because others could be executed beside them: whoever lost an answer asks once more.
 * Those that have expired, that the chain would revert as it is now, or whose slippage is not the one named, are replaced.
 */
function isStillGood(plan: Plan, command: CommandOf<'INSTRUCTED'>, atMs: TimeMs): boolean {
  const open = openAttempt(swapStep(plan));
  if (!('derived' in command) || open === undefined || atMs >= open.notAfterMs) return false;
  const { derived, force, slippageBps } = command;
  const isGivenUp = force === true && pendingTransactionsOf(plan).length > 0;
  const isOther = slippageBps !== undefined && slippageOf(derived) !== slippageOf(open);
  return (
    !isGivenUp && !isOther && !isLess(derived.amountOut, open.minAmountOut) && !lacksCalls(open, derived)
  );
}

function slippageOf({ instructions }: DerivedInstructions): number | undefined {
  return instructions.at(-1)?.constraints.maxSlippageBps;
}

/** Whether the wallet now needs more approvals before the swap than instructions have. It may have executed some since. */
function lacksCalls(open: DerivedInstructions, fresh: DerivedInstructions): boolean {
  const isSameRouter = open.instructions.at(-1)?.to === fresh.instructions.at(-1)?.to;
  return isSameRouter && fresh.instructions.length > open.instructions.length;
}

/** Records new instructions for a swap that is due, or why there are none at the moment. */
export function onInstructed(plan: Plan, command: CommandOf<'INSTRUCTED'>, atMs: TimeMs): Ruling {
  const refusal = refuseInstructions(plan, command, atMs);
  if (refusal !== undefined) return refusal;
  // An integrator may be executing the open calldata, so only the integrator's own request replaces it.
  if (!owesInstructions(plan) && (command.askedBy === 'SERVICE' || isStillGood(plan, command, atMs)))
    return unchanged(plan);
  const freed = command.force ? withoutPendingTransactions(plan) : plan;
  const before = swapStep(freed);
  const swap = superseded(before);
  if ('derived' in command) {
    const attempt: SwapAttempt = { ...command.derived, derivedAtMs: atMs, outcome: 'OPEN' };
    const attempts = [...swap.attempts, attempt];
    const ready = { ...without(swap, 'withheld'), status: 'READY' as const, attempts };
    return changed(withReadiness(withStep(freed, ready), false));
  }
  const { withheld } = command;
  const isKnown = before.status === 'PENDING' && before.withheld?.reason === withheld.reason;
  if (isKnown && openAttempt(before) === undefined) return unchanged(plan);
  return changed(withStep(freed, { ...swap, status: 'PENDING', withheld }));
}

function refuseInstructions(
  plan: Plan,
  { askedBy, force }: CommandOf<'INSTRUCTED'>,
  atMs: TimeMs,
): Ruling | undefined {
  const swap = swapStep(plan);
  // What the service owes is never refused: nobody could ask for it in its place.
  if (takesInstructions(plan)) {
    if (askedBy === 'SERVICE') return undefined;
    return (
      refuseUnapproved(plan) ??
      refuseAnotherAttempt(swap, atMs) ??
      (force ? undefined : refuseWhilePending(plan))
    );
  }
  if (swap.evidence?.status === 'CONFIRMING')
    return notReady(
      plan,
      `The transaction ${swap.evidence.txHash} executed the swap and is being confirmed.`,
    );
  const [refund] = awaitedRefunds(plan)?.txHashes ?? [];
  if (refund !== undefined)
    return notReady(
      plan,
      `The transaction ${refund}, which sent money back to the payer, may be mined again.`,
    );
  const isShort = isTurnOf(plan, swap) && refundedBeforeSwap(plan) !== ZERO;
  return notReady(
    plan,
    isShort ? 'The deposit went back to the payer in part or whole: end the plan.' : dueSentence(plan),
  );
}

/** Refuses the integrator another attempt too soon after very many. */
export function refuseAnotherAttempt({ attempts }: ExecuteSwapStep, atMs: TimeMs): Ruling | undefined {
  const retryAfterMs = (attempts.at(-1)?.notAfterMs ?? atMs) - atMs;
  if (attempts.length < ATTEMPTS_AT_WILL || retryAfterMs <= 0) return undefined;
  const detail = `The swap was given instructions ${attempts.length} times; others come when the last have expired. Ask again then.`;
  return refused({ reason: 'TOO_SOON', retryAfterMs, detail });
}

function superseded(swap: ExecuteSwapStep): ExecuteSwapStep {
  return {
    ...swap,
    attempts: swap.attempts.map((attempt) =>
      attempt.outcome === 'OPEN' ? { ...attempt, outcome: 'SUPERSEDED' } : attempt,
    ),
  };
}

/** The plan with its swap executed by a transaction: confirming at first, then final. */
export function withSwapEvidence(
  plan: Plan,
  swap: ExecuteSwapStep,
  { evidence, attemptIndex }: { readonly evidence: Evidence; readonly attemptIndex: number },
): Plan {
  const attempts = superseded(swap).attempts.map((attempt, index): SwapAttempt => {
    if (index === attemptIndex)
      return { ...without(attempt, 'failure'), outcome: 'EXECUTED', txHash: evidence.txHash };
    if (attempt.outcome === 'EXECUTED') return { ...without(attempt, 'txHash'), outcome: 'SUPERSEDED' };
    // The failure of a later attempt is kept, but is no longer the outcome of the swap.
    const isMoot = attempt.outcome === 'FAILED' && index > attemptIndex;
    return isMoot ? { ...attempt, outcome: 'SUPERSEDED' } : attempt;
  });
  const isDone = evidence.status === 'FINAL' || swap.status === 'DONE';
  const executed: ExecuteSwapStep = {
    ...without(swap, 'withheld', 'failure'),
    status: isDone ? 'DONE' : 'READY',
    attempts,
    evidence: restingOn(evidence),
    verification: 'VERIFIED',
  };
  return withReadiness(withStep(plan, executed), isDone);
}

/** Records that the swap failed. */
export function onSwapFailed(plan: Plan, command: CommandOf<'SWAP_FAILED'>): Ruling {
  const swap = swapStep(plan);
  const { failure, verification, txHash } = command;
  if (isKnownFailure(swap, command)) return unchanged(plan);
  if (isOnlyAwaited(plan, txHash)) return changed(withStep(plan, withFailure(swap, command)));
  if (!isTurnOf(plan, swap) || swap.status !== 'READY') return notReady(plan, dueSentence(plan));
  if (swap.evidence !== undefined) {
    const detail = `The transaction ${swap.evidence.txHash} executed the swap, so it has not failed. Read the plan, and go on with the step that is due.`;
    return mismatch(detail);
  }
  return changed(withStep(plan, { ...withFailure(swap, command), status: 'FAILED', failure, verification }));
}

/** The step with the attempt failed that a transaction is of, else the last one. */
function withFailure(swap: ExecuteSwapStep, { failure, txHash }: CommandOf<'SWAP_FAILED'>): ExecuteSwapStep {
  const named = swap.attempts.findIndex((attempt) => txHash !== undefined && attempt.txHash === txHash);
  const failed = named < 0 ? swap.attempts.length - 1 : named;
  const attempts = swap.attempts.map(
    (attempt, index): SwapAttempt =>
      index === failed ? { ...attempt, outcome: 'FAILED', failure, ...defined({ txHash }) } : attempt,
  );
  return { ...swap, attempts };
}

/**
 * Whether nothing rests on a lost transaction any more: newer instructions can be executed, or the step is not the one that
 * is due. That it was reverted when it was mined again is recorded then, and changes no status.
 */
function isOnlyAwaited(plan: Plan, txHash: Hash | undefined): boolean {
  const swap = swapStep(plan);
  const isLost = swap.attempts.some((each) => each.outcome === 'LOST' && each.txHash === txHash);
  const isDue = isTurnOf(plan, swap) && swap.status === 'READY' && lostAttempt(swap)?.txHash === txHash;
  return plan.ended === undefined && isLost && standingEvidence(swap) === undefined && !isDue;
}

/**
 * Whether the transaction that brought the money was taken back, and was reverted when it was mined again. A later step is DONE
 * all the same.
 */
export function isSwapUndone(plan: Plan): boolean {
  const { evidence, attempts } = swapStep(plan);
  return evidence?.status === 'LOST' && !attempts.some(({ outcome }) => outcome === 'LOST');
}

/** A transaction fails a swap once, even when it is reported again after a retry. Without one the code is compared. */
function isKnownFailure(swap: ExecuteSwapStep, { failure, txHash }: CommandOf<'SWAP_FAILED'>): boolean {
  if (txHash === undefined) return swap.status === 'FAILED' && swap.failure?.code === failure.code;
  return swap.attempts.some((attempt) => attempt.failure !== undefined && attempt.txHash === txHash);
}

/**
 * Records that the chain took the swap back. A later step that is DONE keeps the swap DONE, with its evidence LOST. A
 * payment that is held does so, too: what becomes of it is still to be reported.
 */
export function onSwapEvidenceLost(plan: Plan, atMs: TimeMs): Plan {
  const swap = swapStep(plan);
  const { evidence } = swap;
  if (evidence === undefined) return plan;
  const attempts = swap.attempts.map(
    (attempt): SwapAttempt => (attempt.outcome === 'EXECUTED' ? { ...attempt, outcome: 'LOST' } : attempt),
  );
  const own = executionsBy(plan, evidence.txHash).filter(({ reason }) => reason === undefined);
  const moved = withMovements(plan, own.map(reversalOf), atMs);
  const last = lastStep(plan);
  if (last.status === 'DONE' || last.hold !== undefined)
    return withStep(moved, { ...swap, attempts, evidence: { ...evidence, status: 'LOST' } });
  const back = { ...without(swap, 'evidence', 'verification'), status: 'READY' as const, attempts };
  // What the chain showed of the deposit meanwhile was only recorded. Now that the swap is undone, it counts.
  return withDeposit(withReadiness(withStep(moved, back), false));
}

/** The swap no longer stays DONE on account of a payout that was undone or is not held any more: its own evidence decides. */
export function onPayoutUndone(plan: Plan, atMs: TimeMs): Plan {
  const swap = swapStep(plan);
  if (swap.evidence === undefined || lastStep(plan).status === 'DONE') return plan;
  if (swap.evidence.status === 'LOST') return onSwapEvidenceLost(plan, atMs);
  const isFinal = swap.evidence.status === 'FINAL';
  return withReadiness(withStep(plan, { ...swap, status: isFinal ? 'DONE' : 'READY' }), isFinal);
}

/** Makes the last step READY once the swap is final, and PENDING again when it no longer is. One that is DONE stays so. */
function withReadiness(plan: Plan, isFinal: boolean): Plan {
  const last = lastStep(plan);
  if (last.status === 'DONE') return plan;
  if (isFinal) return last.status === 'PENDING' ? withStep(plan, { ...last, status: 'READY' }) : plan;
  const told = last.status === 'FAILED' ? without(last, 'failure', 'verification') : last;
  const waiting = { ...told, status: 'PENDING' } as typeof last;
  // The step is no longer due. A transaction that paid out is kept, even though the swap was undone.
  return withStep(
    plan,
    waiting.type === 'CUSTODIAN_PAYOUT' ? without(waiting, 'readyAtMs') : withoutLink(waiting),
  );
}
