import type { KeptReconciliation, PlanScope, Reconciled, Report, PeriodMovement } from '@fairway/store';
import { RECONCILIATION_COLUMNS } from '@fairway/wire';
import type { ReportParts } from './reportParts.ts';

/** Reads what reconciliation says of a part of the movements of a report, in their order. `firstRow`: how many are before them. */
export type ReadReconciled = (
  movements: readonly PeriodMovement[],
  firstRow: number,
) => Promise<readonly (Reconciled | null)[]>;

const isOfReconciliation = (column: string) => RECONCILIATION_COLUMNS.some((each) => each === column);

/** Whether a report names a column that says what reconciliation says. */
export function showsReconciliation({ type, columns }: Pick<Report, 'type' | 'columns'>): boolean {
  return type === 'movements' && columns.some(isOfReconciliation);
}

/** A report as a process made it that did not know of these columns: without them. */
export function withoutReconciliation<Asked extends Report>(report: Asked): Asked {
  return { ...report, columns: report.columns.filter((column) => !isOfReconciliation(column)) };
}

/** Reads what reconciliation says now, and keeps it, because it may say another thing when the file is downloaded. */
export function reconciledNow(
  reports: ReportParts['reports'],
  scope: PlanScope,
  { reportId }: Report,
  { making }: KeptReconciliation,
): ReadReconciled {
  return async (movements, firstRow) => {
    const { reconciled } = await reports.reconciledMovements(scope, movements);
    await reports.keepReconciled(scope, { reportId, making, firstRow }, reconciled);
    return reconciled;
  };
}

/** Reads what was kept when the report was made. */
export function reconciledThen(
  reports: ReportParts['reports'],
  scope: PlanScope,
  { reportId }: Report,
  { making }: KeptReconciliation,
): ReadReconciled {
  return async (_, firstRow) =>
    (await reports.keptReconciled(scope, { reportId, making, firstRow })).reconciled;
}
