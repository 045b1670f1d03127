import { addJob, type TaskHandler } from '@fairway/postgres';
import { type Plan, providerReferencesOf, type RecordedEvent } from '@fairway/plan';
import { type RawBuilder, sql } from 'kysely';
import type { PlanScope } from '../plans/planScope.ts';

/** The task that matches entries with the payments of a plan. */
export const MATCHING_TASK = 'matching';

type Payload = PlanScope & { readonly planId: string };

/**
 * An expression that adds the matching job of a plan. That is due when a change adds a payment, names one, or tells that
 * one has failed. It is part of the query that writes the change. Entries of earlier bank statements may be these payments, and
 * no others. An organisation that has imported nothing gets no job.
 */
export function matchingJob(
  scope: PlanScope,
  before: Plan,
  after: Plan,
  { type }: RecordedEvent['command'],
): RawBuilder<unknown> {
  const added = (after.ledger ?? []).slice(before.ledger?.length ?? 0);
  const isPaid = added.some(({ kind, reverses }) => isPayment(kind) && reverses === undefined);
  const known = new Set(providerReferencesOf(before));
  const isNamed = providerReferencesOf(after).some((each) => !known.has(each));
  if (!isPaid && !isNamed && type !== 'PAYOUT_FAILED') return sql`null`;
  const { organisationId, environment } = scope;
  const { planId } = after;
  const payload: Payload = { ...scope, planId };
  const job = addJob({ task: MATCHING_TASK, key: `matching:${planId}`, payload });
  return sql`(select ${job} from reconciliation_books b
    where b.organisation_id = ${organisationId} and b.environment = ${environment})`;
}

function isPayment(kind: string): boolean {
  return kind === 'PAYOUT' || kind === 'RETURN';
}

/** Makes the handler of such jobs. `perform` may be repeated. */
export function matchingTask(perform: (scope: PlanScope, planId: string) => Promise<void>): TaskHandler {
  return async (payload) => {
    const { organisationId, environment, planId } = payload as Payload;
    await perform({ organisationId, environment }, planId);
  };
}
