import type { PlanScope, Report, PayoutStatementHead, TokenName } from '@fairway/store';
import { dayOf } from './cells.ts';
import { executionRow } from './executionCells.ts';
import { journalRows } from './journalRows.ts';
import { movementRow, tokenNames } from './movementCells.ts';
import { planRow } from './planCells.ts';
import type { ReportParts } from './reportParts.ts';
import type { ReadReconciled } from './reconciledRows.ts';
import type { ReadRows } from './reportRow.ts';
import { entryRow } from './entryRow.ts';

/** How many rows are read and written at once. The thread serves other requests between two parts. */
export const PART_ROWS = 100;

/** What the rows of a report are read with beside what was asked for. */
export type RowReading = {
  /** What tokens are called. */
  readonly tokens: readonly TokenName[];
  /** For a report that is a statement. */
  readonly statement?: PayoutStatementHead | undefined;
  /** For a report that shows what reconciliation says. */
  readonly reconciled?: ReadReconciled | undefined;
  /** How many rows are read at once; as many as usual where it is absent. */
  readonly partRows?: number | undefined;
};

/** Makes the reader of a report's rows, whose parts are read one after the other. */
export function rowsOf(
  reports: ReportParts['reports'],
  scope: PlanScope,
  { type, fromMs, toMs, filter, timezone, accounts }: Report,
  { tokens, statement, reconciled, partRows = PART_ROWS }: RowReading,
): ReadRows {
  const names = tokenNames(tokens);
  const part = { fromMs, toMs, filter, limit: partRows };
  switch (type) {
    case 'movements': {
      const day = dayOf(timezone);
      if (statement !== undefined) {
        const rowOf = entryRow(day, statement.currency);
        const account = { ...statement, corridorId: filter.corridorId ?? '' };
        return async (after) => {
          const { entries, next } = await reports.entriesOfPeriod(scope, account, { ...part, after });
          return { rows: entries.map(rowOf), next };
        };
      }
      const rowOf = movementRow(day, names);
      let rowsBefore = 0;
      return async (after) => {
        const { movements, next } = await reports.movementsOfPeriod(scope, { ...part, after });
        const told = (await reconciled?.(movements, rowsBefore)) ?? [];
        rowsBefore += movements.length;
        return { rows: movements.map((movement, index) => rowOf(movement, told[index] ?? undefined)), next };
      };
    }
    case 'journal': {
      const linesOf = journalRows(dayOf(timezone), names, accounts);
      return async (after) => {
        const { movements, next } = await reports.movementsOfPeriod(scope, { ...part, after });
        return { rows: movements.flatMap(linesOf), next };
      };
    }
    case 'execution-quality': {
      const rowOf = executionRow(names);
      return async (after) => {
        const { executions, next } = await reports.executionsOfPeriod(scope, { ...part, after });
        return { rows: executions.map(rowOf), next };
      };
    }
    case 'plans': {
      const rowOf = planRow(names);
      return async (after) => {
        const { plans, next } = await reports.plansOfPeriod(scope, { ...part, after });
        return { rows: plans.map(rowOf), next };
      };
    }
  }
}
