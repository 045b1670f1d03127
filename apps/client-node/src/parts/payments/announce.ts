import type { Leaving, RelayPorts } from '@fairway/relay';
import { ProblemError, UnknownProblemError } from '@fairway/sdk';
import type { Payments } from '@fairway/sdk/payments';
import type { Logger } from 'pino';
import { placeOf } from '../../platform/database/executions.ts';
import { paymentOf } from '../../platform/database/paymentOf.ts';
import { findPayment, isApproval, PLAN_REFUSED } from '../../platform/database/payments.ts';
import { createRelayStore } from '../../platform/database/relayStore.ts';
import type { Database } from '../../platform/database/schema.ts';

/** What tells the service of transactions before they leave. */
export type AnnounceOptions = {
  readonly database: Database;
  readonly payments: Pick<Payments, 'steps'>;
  readonly log: Pick<Logger, 'warn'>;
};

/** Other transactions of the relayer wait meanwhile. */
const PATIENCE_MS = 3_000;

/**
 * Tells the service of each transaction that pays for a plan, before it leaves: from then on the plan gives out no other
 * calls. Without the service's answer it stays here. Where the service does not take it, its nonce is cancelled.
 */
export function createAnnouncer({ database, payments, log }: AnnounceOptions): RelayPorts['mayLeave'] {
  return async (leaving) => {
    const place = await paidFor(database, leaving);
    if (place === undefined) return true;
    const { planId, stepId, attemptId } = place;
    const { about, attempt } = leaving;
    const told = { outcome: 'SUBMITTED', attemptId, txHash: attempt.hash } as const;
    try {
      await payments.steps.report(
        planId,
        stepId,
        { ...told, sender: about.call.sender, nonce: about.nonce },
        { budgetMs: PATIENCE_MS },
      );
      return true;
    } catch (error) {
      log.warn({ err: error, planId, txHash: attempt.hash }, 'The service did not take a report');
      if (isFinal(error)) {
        const detail = `The plan does not take the transaction: ${error.message}`;
        await createRelayStore(database).refuse(about, { code: PLAN_REFUSED, detail });
      }
      return false;
    }
  };
}

/** What a transaction pays for. Undefined for all that pays for no plan, and for what a restored database does not know. */
async function paidFor(database: Database, { about, attempt }: Leaving) {
  const { executionId } = placeOf(about.relayTransactionId);
  const paymentId = paymentOf(executionId);
  if (paymentId === undefined || attempt.purpose === 'CANCEL' || isApproval(about.call)) return undefined;
  const kept = await findPayment(database, paymentId);
  const execution = kept?.executions.find((each) => each.executionId === executionId);
  if (kept === undefined || execution?.attemptId === undefined || execution.stepId === undefined)
    return undefined;
  return { planId: kept.planId, attemptId: execution.attemptId, stepId: execution.stepId };
}

/** Statuses by which the service says that it will never take a report. */
const FINAL: ReadonlySet<number> = new Set([400, 404, 409, 410, 422]);

function isFinal(error: unknown): error is ProblemError | UnknownProblemError {
  const isProblem = error instanceof ProblemError || error instanceof UnknownProblemError;
  return isProblem && FINAL.has(error.status) && error.retryAfterSeconds === undefined;
}
