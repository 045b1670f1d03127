import type { Report } from '@fairway/store';
import { dayOf } from './cells.ts';

/** The most characters that a name of a file has of an organisation's. */
const MOST_CHARACTERS = 40;

/**
 * The name of the file of a report: whose it is, what it has, and of which time. Files of one kind are listed in the
 * order of time. The name has letters, digits, hyphens, underscores and points alone, which every system takes.
 */
export function fileName(report: Report, organisation: string): string {
  const { type, format, filter } = report;
  const parts = [organisation, type, filter.corridorId, filter.kind, periodOf(report)];
  const ending = format === 'camt.053' ? 'xml' : format;
  return `${parts.flatMap((part) => (part === undefined ? [] : plain(part) || [])).join('-')}.${ending}`;
}

function plain(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9_]+/g, '-')
    .slice(0, MOST_CHARACTERS)
    .replace(/^-+|-+$/g, '')
    .toLowerCase();
}

/** The month, or the first and the last day in the time zone of the report. */
function periodOf({ period, fromMs, toMs, timezone }: Report): string {
  if (period !== undefined) return period;
  const day = dayOf(timezone);
  return `${day(fromMs)}_${day(toMs - 1)}`;
}
