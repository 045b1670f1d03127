import type { ReportAsk } from '@fairway/store';
import { LIMITS } from '@fairway/wire';

/** The most lines of a journal that a movement has. */
const MOST_LINES = 6;

/**
 * How much a file of a report may have, in what is counted before it is made: rows, or the movements of a journal.
 * Undefined where there is no limit.
 */
export function mostRowsOf({ format, type }: Pick<ReportAsk, 'format' | 'type'>): number | undefined {
  if (format !== 'xlsx') return undefined;
  return type === 'journal' ? Math.floor(LIMITS.spreadsheetRows / MOST_LINES) : LIMITS.spreadsheetRows;
}

/** What is said of a report with more than its format holds. */
export function tooManyRows({ format, type }: Pick<ReportAsk, 'format' | 'type'>, most: number): string {
  const what = type === 'journal' ? 'movements of a journal' : 'rows';
  return `${format} holds at most ${most.toLocaleString('en')} ${what}, and the period has more; ask for csv or json, or for a shorter period.`;
}
