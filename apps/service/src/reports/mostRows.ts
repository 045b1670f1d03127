import type { ReportFormat } from '@fairway/store';
import { LIMITS } from '@fairway/wire';

/** How many rows a file of a format may have; undefined where there is no limit. */
export function mostRowsOf(format: ReportFormat): number | undefined {
  return format === 'xlsx' ? LIMITS.spreadsheetRows : undefined;
}

/** What is said of a report with more rows than its format holds. */
export function tooManyRows(format: ReportFormat, most: number): string {
  return `${format} holds at most ${most.toLocaleString('en')} rows, and the period has more; ask for csv or json, or for a shorter period.`;
}
