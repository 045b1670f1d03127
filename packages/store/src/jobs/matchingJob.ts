import { addJob, type TaskHandler } from '@fairway/postgres';
import { endToEndIdOf, isFailure, type Plan, providerReferencesOf, type RecordedEvent } from '@fairway/plan';
import { type RawBuilder, sql } from 'kysely';
import type { PlanScope } from '../plans/planScope.ts';

/** The task that matches entries with the payments of a plan. */
export const MATCHING_TASK = 'matching';

type Payload = PlanScope & { readonly planId: string };

/**
 * An expression that adds the matching job of a plan, where a change may tell what entries of earlier bank statements
 * are. Such a change adds a payment or takes one back, has a new reference, or says that a payment failed. The
 * expression is part of the query that writes the change. `before`: undefined where the plan is new. An organisation
 * that has imported nothing gets no job.
 */
export function matchingJob(
  scope: PlanScope,
  before: Plan | undefined,
  after: Plan,
  command?: RecordedEvent['command'],
): RawBuilder<unknown> {
  const added = (after.ledger ?? []).slice(before?.ledger?.length ?? 0);
  const isPaid = added.some(({ kind }) => isPayment(kind));
  const known = new Set(before === undefined ? [] : referencesOf(before));
  const isNamed = referencesOf(after).some((each) => !known.has(each));
  const hasFailed = command !== undefined && command.type !== 'PLAN_CREATED' && isFailure(command);
  if (!isPaid && !isNamed && !hasFailed) return sql`null`;
  const { organisationId, environment } = scope;
  const { planId } = after;
  const payload: Payload = { ...scope, planId };
  const job = addJob({ task: MATCHING_TASK, key: `matching:${planId}`, payload });
  return sql`(select ${job} from reconciliation_books b
    where b.organisation_id = ${organisationId} and b.environment = ${environment})`;
}

function referencesOf(plan: Plan): readonly string[] {
  return [plan.clientReference, endToEndIdOf(plan), ...providerReferencesOf(plan)];
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
