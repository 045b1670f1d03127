import { type Amount, isLess, ZERO } from '../terms/amount.ts';
import { needsApproval, refuseUnapproved } from '../plan/approvalRules.ts';
import { withoutLink } from '../collect/collectRules.ts';
import { defined } from '../terms/defined.ts';
import { withDeposit } from '../deposit/depositRules.ts';
import type { Decision, PlanEvent } from '../plan/events.ts';
import {
  hasPendingTransaction,
  refuseWhilePending,
  withoutPendingTransactions,
} from './pendingTransactions.ts';
import {
  changed,
  depositStep,
  dueSentence,
  isTurnOf,
  lostIsNoEvidence,
  mismatch,
  notOfThisStep,
  notReady,
  owesDelivery,
  refused,
  swapStep,
  unchanged,
  without,
  withStep,
} from '../plan/planSteps.ts';
import { dueOf } from '../book/payoutTurn.ts';
import { refundedBeforeSwap } from '../book/refundedBeforeSwap.ts';
import type { TimeMs } from '../terms/scalars.ts';
import type { Evidence, ExecuteSwapStep, Plan, SwapAttempt } from '../plan/types.ts';

type Event<Type extends PlanEvent['type']> = Extract<PlanEvent, { type: Type }>;

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
  return isDue && refundedBeforeSwap(plan) === ZERO;
}

/**
 * Whether the service has to derive instructions by itself: the deposit has come, or a failed swap is tried again. It
 * does not after a reorganisation took a transaction back, or while a submitted one is pending. That one may be
 * mined, and a second transaction would swap twice.
 */
export function owesInstructions(plan: Plan): boolean {
  const swap = swapStep(plan);
  const tried = lastTried(swap)?.outcome;
  if (!takesInstructions(plan) || needsApproval(plan) || tried === 'LOST' || hasPendingTransaction(plan))
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

/** Records new instructions for a swap that is due. */
export function onInstructionsDerived(
  plan: Plan,
  event: Event<'INSTRUCTIONS_DERIVED'>,
  atMs: TimeMs,
): Decision {
  const refusal = refuseInstructions(plan, event, atMs);
  if (refusal !== undefined) return refusal;
  // An integrator may be executing the open calldata, so only the integrator's own request replaces it.
  if (event.askedBy === 'SERVICE' && !owesInstructions(plan)) return unchanged(plan);
  const { type: _type, stepId: _stepId, askedBy: _askedBy, force, ...derived } = event;
  const freed = force ? withoutPendingTransactions(plan) : plan;
  const swap = superseded(swapStep(freed));
  const attempt: SwapAttempt = { ...derived, derivedAtMs: atMs, outcome: 'OPEN' };
  const ready = {
    ...without(swap, 'withheld'),
    status: 'READY' as const,
    attempts: [...swap.attempts, attempt],
  };
  return changed(withEstimate(withStep(freed, ready), derived.amountOut, false));
}

/** Why there are none at the moment; asked again later. */
export function onInstructionsWithheld(
  plan: Plan,
  event: Event<'INSTRUCTIONS_WITHHELD'>,
  atMs: TimeMs,
): Decision {
  const refusal = refuseInstructions(plan, event, atMs);
  if (refusal !== undefined) return refusal;
  if (event.askedBy === 'SERVICE' && !owesInstructions(plan)) return unchanged(plan);
  const freed = event.force ? withoutPendingTransactions(plan) : plan;
  const before = swapStep(freed);
  const { reason, detail } = event;
  if (before.status === 'PENDING' && before.withheld?.reason === reason && openAttempt(before) === undefined)
    return unchanged(plan);
  return changed(withStep(freed, { ...superseded(before), status: 'PENDING', withheld: { reason, detail } }));
}

function refuseInstructions(
  plan: Plan,
  { stepId, askedBy, force }: Event<'INSTRUCTIONS_DERIVED' | 'INSTRUCTIONS_WITHHELD'>,
  atMs: TimeMs,
): Decision | undefined {
  const swap = swapStep(plan);
  if (swap.stepId !== stepId) return notOfThisStep(plan, stepId);
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
  const isShort = isTurnOf(plan, swap) && refundedBeforeSwap(plan) !== ZERO;
  return notReady(
    plan,
    isShort ? 'The deposit went back to the payer in part or whole: end the plan.' : dueSentence(plan),
  );
}

/** Refuses the integrator another attempt too soon after very many. */
export function refuseAnotherAttempt({ attempts }: ExecuteSwapStep, atMs: TimeMs): Decision | undefined {
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

/** Records a transaction that executed the swap: confirming at first, then final. */
export function onSwapEvidenced(plan: Plan, event: Event<'SWAP_EVIDENCED'>): Decision {
  const swap = swapStep(plan);
  if (swap.stepId !== event.stepId) return notOfThisStep(plan, event.stepId);
  const { evidence, attemptIndex } = event;
  if (evidence.status === 'LOST') return lostIsNoEvidence(evidence);
  const attempt = swap.attempts[attemptIndex];
  if (attempt === undefined)
    return refused({
      reason: 'EVIDENCE_MISMATCH',
      detail:
        'The transaction executes no instructions of this step. Report the transaction that executed them.',
    });
  if (isLess(evidence.amount, attempt.minAmountOut)) {
    const detail = `The transaction brought ${evidence.amount} to the settlement address, at least ${attempt.minAmountOut} is due. Report the transaction that executed the swap of this plan.`;
    return mismatch(detail);
  }
  const known = swap.evidence;
  if (known?.txHash === evidence.txHash && known.status !== 'LOST') {
    const isSame = known.status === evidence.status && known.blockHash === evidence.blockHash;
    // A final transaction stays final: before it can be confirming again, it must be reported as lost.
    if (isSame || (known.status === 'FINAL' && evidence.status === 'CONFIRMING')) return unchanged(plan);
  } else if (known?.status === 'CONFIRMING' || known?.status === 'FINAL') {
    return notReady(plan, `The transaction ${known.txHash} executed the swap already. ${dueSentence(plan)}`);
  } else if (swap.status !== 'DONE' && (!isTurnOf(plan, swap) || swap.status === 'FAILED')) {
    return notReady(plan, dueSentence(plan));
  }
  return changed(withSwapEvidence(plan, swap, event));
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
    evidence,
    verification: 'VERIFIED',
  };
  return withEstimate(withStep(plan, executed), evidence.amount, isDone);
}

/** Records that the swap failed. */
export function onSwapFailed(plan: Plan, event: Event<'SWAP_FAILED'>): Decision {
  const swap = swapStep(plan);
  if (swap.stepId !== event.stepId) return notOfThisStep(plan, event.stepId);
  const { failure, verification, txHash } = event;
  if (isKnownFailure(swap, event)) return unchanged(plan);
  if (!isTurnOf(plan, swap) || swap.status !== 'READY') return notReady(plan, dueSentence(plan));
  if (swap.evidence !== undefined) {
    const detail = `The transaction ${swap.evidence.txHash} executed the swap, so it has not failed. Read the plan, and go on with the step that is due.`;
    return mismatch(detail);
  }
  const named = swap.attempts.findIndex((attempt) => txHash !== undefined && attempt.txHash === txHash);
  const failed = named < 0 ? swap.attempts.length - 1 : named;
  const attempts = swap.attempts.map(
    (attempt, index): SwapAttempt =>
      index === failed ? { ...attempt, outcome: 'FAILED', failure, ...defined({ txHash }) } : attempt,
  );
  return changed(withStep(plan, { ...swap, status: 'FAILED', attempts, failure, verification }));
}

/** A transaction fails a swap once, even when it is reported again after a retry. Without one the code is compared. */
function isKnownFailure(swap: ExecuteSwapStep, { failure, txHash }: Event<'SWAP_FAILED'>): boolean {
  if (txHash === undefined) return swap.status === 'FAILED' && swap.failure?.code === failure.code;
  return swap.attempts.some((attempt) => attempt.failure !== undefined && attempt.txHash === txHash);
}

/** Records that the chain took the swap back. A later step that is DONE keeps the swap DONE, with its evidence LOST. */
export function onSwapEvidenceLost(plan: Plan, swap: ExecuteSwapStep): Plan {
  const { evidence } = swap;
  if (evidence === undefined) return plan;
  const attempts = swap.attempts.map(
    (attempt): SwapAttempt => (attempt.outcome === 'EXECUTED' ? { ...attempt, outcome: 'LOST' } : attempt),
  );
  if (plan.steps.at(-1)?.status === 'DONE')
    return withStep(plan, { ...swap, attempts, evidence: { ...evidence, status: 'LOST' } });
  const back = { ...without(swap, 'evidence', 'verification'), status: 'READY' as const, attempts };
  const next = withEstimate(withStep(plan, back), evidence.amount, false);
  // What the chain showed of the deposit meanwhile was only recorded. Now that the swap is undone, it counts.
  return withDeposit(next, depositStep(next));
}

/** After its payout was undone, the swap no longer stays DONE on its account: its own evidence decides. */
export function onPayoutUndone(plan: Plan): Plan {
  const swap = swapStep(plan);
  if (swap.evidence === undefined) return plan;
  if (swap.evidence.status === 'LOST') return onSwapEvidenceLost(plan, swap);
  const isFinal = swap.evidence.status === 'FINAL';
  const stands = withStep(plan, { ...swap, status: isFinal ? 'DONE' : 'READY' });
  return withEstimate(stands, swap.evidence.amount, isFinal);
}

/** Sets the amount of the last step: with the final amount the step becomes READY, with an estimate PENDING again. */
export function withEstimate(plan: Plan, amount: Amount, isFinal: boolean): Plan {
  const last = plan.steps.at(-1);
  if (last === undefined || last.type === 'AWAIT_DEPOSIT' || last.type === 'EXECUTE_SWAP') return plan;
  // The amount of a done step stays, unless a recipient who has chosen is not paid yet.
  const isOwed = isFinal && last.type === 'SEND_DIGITAL_COLLECT' && owesDelivery(last);
  if (last.status === 'DONE' && !isOwed) return plan;
  const asset = { amount: dueOf(plan, amount), isFinal };
  if (isFinal)
    return withStep(plan, { ...last, status: last.status === 'PENDING' ? 'READY' : last.status, asset });
  const told = last.status === 'FAILED' ? without(last, 'failure', 'verification') : last;
  const waiting = { ...told, status: 'PENDING', asset } as typeof last;
  // The step is no longer due. A transaction that paid out is kept, even though the swap was undone.
  return withStep(
    plan,
    waiting.type === 'CUSTODIAN_PAYOUT' ? without(waiting, 'readyAtMs') : withoutLink(waiting),
  );
}
