import type { PlanScope, Report, StatementHead, TokenName } from '@fairway/store';
import { dayOf } from './cells.ts';
import { executionRow } from './executionCells.ts';
import { movementRow, tokenNames } from './movementCells.ts';
import { planRow } from './planCells.ts';
import type { ReportParts } from './reportParts.ts';
import type { ReadRows } from './reportRow.ts';
import { entryRow } from './entryRow.ts';

/** How many rows are read and written at once. The thread serves other requests between two parts. */
const PART_ROWS = 100;

/** The database is away: the job is to be tried again, and a download ends early. */
class AwayError extends Error {}

/** What the database answered; throws where it is away. */
export function answered<Answer extends { readonly ok: boolean }>(
  answer: Answer,
): Extract<Answer, { ok: true }> {
  if (!answer.ok) throw new AwayError('The database is away.');
  return answer as Extract<Answer, { ok: true }>;
}

/** Makes the reader of a report's rows. `tokens`: what tokens are called. `statement`: of a report that is one. */
export function rowsOf(
  reports: ReportParts['reports'],
  scope: PlanScope,
  { type, fromMs, toMs, filter, timezone }: Report,
  tokens: readonly TokenName[],
  statement?: StatementHead,
): ReadRows {
  const names = tokenNames(tokens);
  const part = { fromMs, toMs, filter, limit: PART_ROWS };
  switch (type) {
    case 'movements': {
      const day = dayOf(timezone);
      const rowOf = statement === undefined ? movementRow(day, names) : entryRow(day, statement.currency);
      const account = statement && { ...statement, corridorId: filter.corridorId ?? '' };
      return async (after) => {
        const ask = { ...part, after, account };
        const { movements, next } = answered(await reports.reportedMovements(scope, ask));
        return { rows: movements.map(rowOf), next };
      };
    }
    case 'execution-quality': {
      const rowOf = executionRow(names);
      return async (after) => {
        const { executions, next } = answered(await reports.reportedExecutions(scope, { ...part, after }));
        return { rows: executions.map(rowOf), next };
      };
    }
    case 'plans': {
      const rowOf = planRow(names);
      return async (after) => {
        const { plans, next } = answered(await reports.reportedPlans(scope, { ...part, after }));
        return { rows: plans.map(rowOf), next };
      };
    }
  }
}
