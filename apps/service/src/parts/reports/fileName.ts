import { createHash } from 'node:crypto';
import type { Report } from '@fairway/store';
import { COLUMNS_OF_SET } from '@fairway/wire';
import { dayOf } from './cells.ts';
import { showsReconciliation } from './reconciledRows.ts';

/** The most characters that a name of a file has of an organisation's. */
const MOST_CHARACTERS = 40;
/** How many digits of the hash a name has. */
const HASH_DIGITS = 8;

/**
 * The name of the file of a report: whose it is, what it has, and of which time. Files of one kind are listed in the
 * order of time. The name has letters, digits, hyphens, underscores and points alone, which every system takes. It ends with
 * digits of a hash where the report is not the usual one of its time. So two other files never have one name.
 */
export function fileName(report: Report, organisation: string): string {
  const { type, format, filter } = report;
  const parts = [organisation, type, filter.corridorId, filter.kind, periodOf(report), hashOf(report)];
  const ending = format === 'camt.053' ? 'xml' : format;
  return `${parts.flatMap((part) => (part === undefined ? [] : plain(part) || [])).join('-')}.${ending}`;
}

/** Digits that stand for what the name does not tell; undefined for a whole month in UTC with the usual columns. */
function hashOf(report: Report): string | undefined {
  const { period, fromMs, toMs, timezone, type, format, columns, accounts, byteOrderMark, filter } = report;
  const { corridorId } = filter;
  const isUsual =
    period !== undefined &&
    timezone === 'UTC' &&
    (format === 'camt.053' || String(columns) === String(COLUMNS_OF_SET.full[type])) &&
    accounts === undefined &&
    byteOrderMark === undefined &&
    (corridorId === undefined || plain(corridorId) === corridorId);
  if (isUsual) return undefined;
  const made = showsReconciliation(report) ? report.reportId : null;
  const told = [
    fromMs,
    toMs,
    timezone,
    columns,
    accounts ?? null,
    byteOrderMark ?? null,
    corridorId ?? null,
    made,
  ];
  return createHash('sha256').update(JSON.stringify(told)).digest('hex').slice(0, HASH_DIGITS);
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
