import type { PlanScope } from '@fairway/store';
import { SERVICE_ACTOR } from '../payments/index.ts';
import type { StatementParts } from './statementParts.ts';

/** Matches the entries that may be the payments of a plan. May be repeated. */
export async function matchPayments(
  { statements, nowMs }: StatementParts,
  scope: PlanScope,
  planId: string,
): Promise<void> {
  await statements.matchPayments(scope, planId, {
    actor: SERVICE_ACTOR,
    atMs: nowMs(),
  });
}
