import { type Amount, isLess } from './amount.ts';
import { withoutLink } from './collectRules.ts';
import { defined } from './defined.ts';
import { withDeposit } from './depositRules.ts';
import type { Decision, PlanEvent } from './events.ts';
import {
  changed,
  depositStep,
  dueSentence,
  isTurnOf,
  lostIsNoEvidence,
  notOfThisStep,
  notReady,
  owesDelivery,
  refused,
  swapStep,
  unchanged,
  without,
  withStep,
} from './planSteps.ts';
import type { TimeMs } from './scalars.ts';
import type { ExecuteSwapStep, Plan, SwapAttempt } from './types.ts';

type Event<Type extends PlanEvent['type']> = Extract<PlanEvent, { type: Type }>;

/**
 * How many instructions of one swap are given out whenever they are asked for. Every reading and every change of the
 * plan handles all of them, and their position is kept in 16 bits: further ones come as the last have expired, which is
 * 72 a day. Not a last number: a plan must always be able to go on.
 */
export const ATTEMPTS_AT_WILL = 200;

/** Whether instructions may be derived: the deposit is there and no transaction is being confirmed. */
export function takesInstructions(plan: Plan): boolean {
  const swap = swapStep(plan);
  return isTurnOf(plan, swap) && swap.status !== 'FAILED' && swap.evidence === undefined;
}

/**
 * Whether the service is to derive instructions by itself: the deposit has come, or a failed swap is tried again. Not
 * after a reorganisation took a transaction back: it may be mined again, and two would swap twice.
 */
export function owesInstructions(plan: Plan): boolean {
  const swap = swapStep(plan);
  const tried = lastTried(swap)?.outcome;
  return takesInstructions(plan) && tried !== 'LOST' && (swap.status === 'PENDING' || tried === 'FAILED');
}

/** The attempt whose transaction a reorganisation took back, while nothing has come of a later one. */
export function lostAttempt(swap: ExecuteSwapStep): SwapAttempt | undefined {
  const tried = lastTried(swap);
  return tried?.outcome === 'LOST' ? tried : undefined;
}

/** The last attempt that counts: instructions that were only replaced say nothing of what became of the swap. */
function lastTried({ attempts }: ExecuteSwapStep): SwapAttempt | undefined {
  return attempts.findLast(({ outcome }) => outcome !== 'SUPERSEDED');
}

/** The instructions to execute now, if any. */
export function openAttempt({ attempts }: ExecuteSwapStep): SwapAttempt | undefined {
  const last = attempts.at(-1);
  return last?.outcome === 'OPEN' ? last : undefined;
}

/** New instructions for a swap whose turn it is. */
export function onInstructionsDerived(
  plan: Plan,
  event: Event<'INSTRUCTIONS_DERIVED'>,
  atMs: TimeMs,
): Decision {
  const refusal = refuseInstructions(plan, event, atMs);
  if (refusal !== undefined) return refusal;
  // Calldata that an integrator may be executing is replaced at its own wish alone.
  if (event.askedBy === 'SERVICE' && !owesInstructions(plan)) return unchanged(plan);
  const swap = superseded(swapStep(plan));
  const { type: _type, stepId: _stepId, askedBy: _askedBy, ...derived } = event;
  const attempt: SwapAttempt = { ...derived, derivedAtMs: atMs, outcome: 'OPEN' };
  const ready = {
    ...without(swap, 'withheld'),
    status: 'READY' as const,
    attempts: [...swap.attempts, attempt],
  };
  return changed(withEstimate(withStep(plan, ready), derived.amountOut, false));
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
  const before = swapStep(plan);
  const { reason, detail } = event;
  if (before.status === 'PENDING' && before.withheld?.reason === reason && openAttempt(before) === undefined)
    return unchanged(plan);
  return changed(withStep(plan, { ...superseded(before), status: 'PENDING', withheld: { reason, detail } }));
}

function refuseInstructions(
  plan: Plan,
  { stepId, askedBy }: Event<'INSTRUCTIONS_DERIVED' | 'INSTRUCTIONS_WITHHELD'>,
  atMs: TimeMs,
): Decision | undefined {
  const swap = swapStep(plan);
  if (swap.stepId !== stepId) return notOfThisStep(plan, stepId);
  // What the service owes is never refused: nobody could ask for it in its place.
  if (takesInstructions(plan)) return askedBy === 'SERVICE' ? undefined : refuseAnotherAttempt(swap, atMs);
  if (swap.evidence?.status === 'CONFIRMING')
    return notReady(
      plan,
      `The transaction ${swap.evidence.txHash} executed the swap and is being confirmed.`,
    );
  return notReady(plan, dueSentence(plan));
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

/** A transaction that executed the swap: confirming at first, then final. */
export function onSwapEvidenced(plan: Plan, event: Event<'SWAP_EVIDENCED'>): Decision {
  const swap = swapStep(plan);
  if (swap.stepId !== event.stepId) return notOfThisStep(plan, event.stepId);
  const { evidence, attemptIndex } = event;
  if (evidence.status === 'LOST') return lostIsNoEvidence(evidence);
  const attempt = swap.attempts[attemptIndex];
  if (attempt === undefined)
    return refused({
      reason: 'EVIDENCE_MISMATCH',
      detail: 'The transaction executes no instructions of this step.',
    });
  if (isLess(evidence.amount, attempt.minAmountOut)) {
    const detail = `The transaction brought ${evidence.amount} to the settlement address, at least ${attempt.minAmountOut} is due.`;
    return refused({ reason: 'EVIDENCE_MISMATCH', detail });
  }
  const known = swap.evidence;
  if (known?.txHash === evidence.txHash && known.status !== 'LOST') {
    const isSame = known.status === evidence.status && known.blockHash === evidence.blockHash;
    // A final transaction stays final: that it has to confirm again is said by losing it first.
    if (isSame || (known.status === 'FINAL' && evidence.status === 'CONFIRMING')) return unchanged(plan);
  } else if (known?.status === 'CONFIRMING' || known?.status === 'FINAL') {
    return notReady(plan, `The transaction ${known.txHash} executed the swap already. ${dueSentence(plan)}`);
  } else if (swap.status !== 'DONE' && (!isTurnOf(plan, swap) || swap.status === 'FAILED')) {
    return notReady(plan, dueSentence(plan));
  }
  return changed(withSwapEvidence(plan, swap, event));
}

function withSwapEvidence(plan: Plan, swap: ExecuteSwapStep, event: Event<'SWAP_EVIDENCED'>): Plan {
  const { evidence, attemptIndex } = event;
  const attempts = superseded(swap).attempts.map((attempt, index): SwapAttempt => {
    if (index === attemptIndex)
      return { ...without(attempt, 'failure'), outcome: 'EXECUTED', txHash: evidence.txHash };
    if (attempt.outcome === 'EXECUTED') return { ...without(attempt, 'txHash'), outcome: 'SUPERSEDED' };
    // The failure of a later attempt stays known, but is not what became of the swap.
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

/** A swap that did not go through. */
export function onSwapFailed(plan: Plan, event: Event<'SWAP_FAILED'>): Decision {
  const swap = swapStep(plan);
  if (swap.stepId !== event.stepId) return notOfThisStep(plan, event.stepId);
  const { failure, verification, txHash } = event;
  if (isKnownFailure(swap, event)) return unchanged(plan);
  if (!isTurnOf(plan, swap) || swap.status !== 'READY') return notReady(plan, dueSentence(plan));
  if (swap.evidence !== undefined) {
    const detail = `The transaction ${swap.evidence.txHash} executed the swap, so it has not failed.`;
    return refused({ reason: 'EVIDENCE_MISMATCH', detail });
  }
  const named = swap.attempts.findIndex((attempt) => txHash !== undefined && attempt.txHash === txHash);
  const failed = named < 0 ? swap.attempts.length - 1 : named;
  const attempts = swap.attempts.map(
    (attempt, index): SwapAttempt =>
      index === failed ? { ...attempt, outcome: 'FAILED', failure, ...defined({ txHash }) } : attempt,
  );
  return changed(withStep(plan, { ...swap, status: 'FAILED', attempts, failure, verification }));
}

/** A transaction fails a swap once, also when it is told again after a retry; without one the code has to do. */
function isKnownFailure(swap: ExecuteSwapStep, { failure, txHash }: Event<'SWAP_FAILED'>): boolean {
  if (txHash === undefined) return swap.status === 'FAILED' && swap.failure?.code === failure.code;
  return swap.attempts.some((attempt) => attempt.failure !== undefined && attempt.txHash === txHash);
}

/** The chain took the swap back. A later step that is done keeps it DONE, with its evidence marked LOST. */
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
  // What the chain said of the deposit meanwhile was only noted, as the swap had moved the money on. Now it counts.
  return withDeposit(next, depositStep(next));
}

/** The payout is no longer done: the swap, left DONE on its account, stands as its evidence does now. */
export function onPayoutUndone(plan: Plan): Plan {
  const swap = swapStep(plan);
  if (swap.evidence === undefined) return plan;
  if (swap.evidence.status === 'LOST') return onSwapEvidenceLost(plan, swap);
  const isFinal = swap.evidence.status === 'FINAL';
  const stands = withStep(plan, { ...swap, status: isFinal ? 'DONE' : 'READY' });
  return withEstimate(stands, swap.evidence.amount, isFinal);
}

/** What the last step works with; it becomes READY with what really arrived, and PENDING again with an estimate. */
export function withEstimate(plan: Plan, amount: Amount, isFinal: boolean): Plan {
  const last = plan.steps.at(-1);
  if (last === undefined || last.type === 'AWAIT_DEPOSIT' || last.type === 'EXECUTE_SWAP') return plan;
  // What was paid out was due; a recipient who chose and is not paid yet gets what is there.
  const isOwed = isFinal && last.type === 'SEND_DIGITAL_COLLECT' && owesDelivery(last);
  if (last.status === 'DONE' && !isOwed) return plan;
  const asset = { amount, isFinal };
  if (isFinal)
    return withStep(plan, { ...last, status: last.status === 'PENDING' ? 'READY' : last.status, asset });
  const told = last.status === 'FAILED' ? without(last, 'failure', 'verification') : last;
  const waiting = { ...told, status: 'PENDING', asset } as typeof last;
  // When its turn came is no longer so; a transaction that paid out remains one, whatever became of the swap.
  return withStep(
    plan,
    waiting.type === 'CUSTODIAN_PAYOUT' ? without(waiting, 'readyAtMs') : withoutLink(waiting),
  );
}
