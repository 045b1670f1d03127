import type { CommandOf, Ruling } from '../plan/commands.ts';
import { mismatch, refused } from '../plan/rulings.ts';
import { transfersOf } from '../book/ledger.ts';
import { isOfNonce, onFate, onSubmission, type Submissions, withoutFatesOf } from '../plan/submissions.ts';
import { lastStep, standingEvidence, swapStep, withStep } from '../plan/steps.ts';
import type { Hash, StepId, TimeMs } from '../terms/scalars.ts';
import { isTransferOnly } from '../terms/corridor.ts';
import type { MinedTransaction } from '../plan/movement.ts';
import type { Plan, StepEvidence, Submission, SubmissionFate, SwapAttempt } from '../plan/types.ts';

/** How long to wait for a transaction whose sender and nonce are unknown, when no node has it. */
const FORGOTTEN_AFTER_MS = 24 * 3_600_000;

/**
 * A transaction that was told and may still be mined. `position`: of the attempt to swap that it executes. Absent where it
 * pays a wallet. `submittedAtMs`: absent of a part that was mined and is lost.
 */
export type PendingTransaction = Pick<Submission, 'txHash' | 'sender' | 'nonce'> & {
  readonly position?: number;
  readonly submittedAtMs?: TimeMs;
};

type PendingSwap = Submission & { readonly position: number };

/** What the chain shows of a submitted transaction. */
export type TransactionSight = {
  /**
   * EXECUTED: it is mined, and executed instructions of the plan or may have paid its recipient. OTHER: it is mined, and
   * did nothing of the plan.
   */
  readonly found: 'EXECUTED' | 'OTHER' | 'PENDING' | 'NONE';
  /** Whether a transaction that is mined has the confirmations that the corridor asks for. */
  readonly isFinal: boolean;
  /** Whether another transaction of its sender and nonce has these confirmations, and did nothing of the plan. */
  readonly isReplaced: boolean;
  /** The time of the newest block that has these confirmations. */
  readonly finalBlockTimeMs: TimeMs;
  readonly nowMs: TimeMs;
  /** Whether the integrator asks. Only then a mere absence, however long, counts for anything. */
  readonly canForget: boolean;
};

/**
 * The submitted transactions that may still be mined and execute the plan.
 *
 * @example
 * ```ts
 * import { pendingTransactionsOf, type Plan } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * const hashes = pendingTransactionsOf(plan).map(({ txHash }) => txHash);
 * ```
 */
export function pendingTransactionsOf(plan: Plan): readonly PendingSwap[] {
  const { attempts } = swapStep(plan);
  const evidence = standingEvidence(swapStep(plan));
  const executed = new Set(transfersOf(plan, 'SWAP_IN').map(({ txHash }) => txHash));
  return attempts.flatMap((attempt, position) =>
    (attempt.submissions ?? [])
      .filter(
        (each) =>
          each.fate === undefined &&
          !isConcluded(each, attempt, evidence) &&
          // As another execution than the swap's own.
          !executed.has(each.txHash),
      )
      .map((submission) => ({ ...submission, position })),
  );
}

/** Whether the plan itself shows what became of a transaction: it is the one that was mined, or that one has its nonce. */
function isConcluded(each: Submission, attempt: SwapAttempt, evidence: StepEvidence | undefined): boolean {
  if (attempt.failure !== undefined && attempt.txHash === each.txHash) return true;
  return evidence !== undefined && isOfNonce(evidence, each);
}

/** The refusal of what must wait for pending transactions; undefined while there are none. */
export function refuseWhilePending(plan: Plan): Ruling | undefined {
  const pending = pendingTransactionsOf(plan).at(-1);
  if (pending === undefined) return undefined;
  const { txHash } = pending;
  const detail = `The transaction ${txHash} was submitted and may still be mined: a second execution would swap twice. Ask again when it is mined, replaced or expired, or send force: true if you know that it never will be.`;
  return refused({ reason: 'EXECUTION_PENDING', detail });
}

/** The plan with its pending transactions ended, because the integrator says that none of them will be mined. */
export function withoutPendingTransactions(plan: Plan): Plan {
  const pending = new Set(pendingTransactionsOf(plan).map(({ txHash }) => txHash));
  return withEachAttempt(plan, (submissions) =>
    submissions.map((each) => (pending.has(each.txHash) ? { ...each, fate: 'FORCED' } : each)),
  );
}

/** Records that a transaction that swaps is signed and may be sent. It changes no step: only the chain says what it did. */
export function onExecutionSubmitted(
  plan: Plan,
  command: CommandOf<'EXECUTION_SUBMITTED'>,
  atMs: TimeMs,
): Ruling {
  const swap = swapStep(plan);
  const { position = -1, txHash } = command;
  if (swap.attempts[position] === undefined)
    return mismatch('The plan has no such attempt. Give an attemptId that next gave out.');
  const elsewhere = swap.attempts.findIndex(
    (attempt, index) =>
      index !== position && attempt.submissions?.some((submission) => submission.txHash === txHash),
  );
  if (elsewhere >= 0)
    return mismatch(
      `The transaction ${txHash} was submitted for another attempt (number ${elsewhere + 1}). Give the attemptId of that one.`,
    );
  return onSubmission(submissionsOf(plan, position), command, atMs);
}

/** Records that a submitted transaction can execute nothing any more. */
export function onExecutionEnded(plan: Plan, command: CommandOf<'EXECUTION_ENDED'>): Ruling {
  return onFate(submissionsOf(plan, command.position), command);
}

/**
 * Tells whether it is certain that a submitted transaction can execute nothing any more, and why. Undefined while it
 * may still be mined, or is mined and may be mined in another block.
 *
 * @example
 * ```ts
 * import { type PendingTransaction, type TransactionSight, fateOf, type Plan } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * declare const pending: PendingTransaction;
 * declare const sight: TransactionSight;
 * const fate = fateOf(plan, pending, sight); // such as 'EXPIRED'
 * ```
 */
export function fateOf(
  plan: Plan,
  { position, sender, submittedAtMs = Infinity }: PendingTransaction,
  { found, isFinal, isReplaced, finalBlockTimeMs, nowMs, canForget }: TransactionSight,
): Exclude<SubmissionFate, 'FORCED'> | undefined {
  if (found === 'EXECUTED') return undefined;
  if (found === 'OTHER') return isFinal ? 'NOT_EXECUTED' : undefined;
  if (isReplaced) return 'REPLACED';
  const attempt = position === undefined ? undefined : swapStep(plan).attempts[position];
  // The router enforces the deadline of a swap. Nothing enforces one of a transfer, or of a payout.
  const canExpire = !isTransferOnly(plan.corridor);
  if (canExpire && attempt !== undefined && finalBlockTimeMs > attempt.notAfterMs) return 'EXPIRED';
  const isForgotten =
    canForget && found === 'NONE' && sender === undefined && nowMs - submittedAtMs >= FORGOTTEN_AFTER_MS;
  return isForgotten ? 'FORGOTTEN' : undefined;
}

function submissionsOf(plan: Plan, position = -1): Submissions {
  const swap = swapStep(plan);
  const withSubmissions = (submissions: readonly Submission[]) => {
    const attempts = swap.attempts.map((attempt, index) =>
      index === position ? { ...attempt, submissions } : attempt,
    );
    return withStep(plan, { ...swap, attempts });
  };
  return { plan, submissions: swap.attempts[position]?.submissions ?? [], withSubmissions };
}

function withEachAttempt(
  plan: Plan,
  changedIn: (submissions: readonly Submission[]) => readonly Submission[],
): Plan {
  const swap = swapStep(plan);
  const attempts = swap.attempts.map((attempt) =>
    attempt.submissions === undefined ? attempt : { ...attempt, submissions: changedIn(attempt.submissions) },
  );
  return withStep(plan, { ...swap, attempts });
}

/** A mined transaction by which a step knows that a submitted one will do nothing. */
export type FateProof = MinedTransaction & { readonly stepId: StepId };

/**
 * The mined transactions by which a plan knows that submitted ones will do nothing, each once for a step. When a reorganisation takes
 * one back, those that it had replaced may be mined after all.
 *
 * @example
 * ```ts
 * import { fateProofs, type Plan } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * const blocks = fateProofs(plan).map(({ blockNumber }) => blockNumber);
 * ```
 */
export function fateProofs(plan: Plan): readonly FateProof[] {
  const { stepId, attempts } = swapStep(plan);
  const swaps = proofsIn(
    stepId,
    attempts.flatMap(({ submissions = [] }) => submissions),
  );
  const last = lastStep(plan);
  return [...swaps, ...proofsIn(last.stepId, last.payout?.submissions ?? [])];
}

function proofsIn(stepId: StepId, submissions: readonly Submission[]): readonly FateProof[] {
  const shown = submissions.flatMap(({ shownBy }) => shownBy ?? []);
  return [...new Map(shown.map((each) => [each.txHash, { ...each, stepId }])).values()];
}

/** The plan whose submitted transactions wait again that a transaction had replaced, which the chain has no longer. */
export function withoutFatesBy(plan: Plan, txHash: Hash): Plan {
  if (!fateProofs(plan).some((each) => each.txHash === txHash)) return plan;
  const next = withEachAttempt(plan, (submissions) => withoutFatesOf(submissions, txHash));
  const last = lastStep(next);
  const { payout } = last;
  if (payout?.submissions === undefined) return next;
  const submissions = withoutFatesOf(payout.submissions, txHash);
  return withStep(next, { ...last, payout: { ...payout, submissions } });
}
