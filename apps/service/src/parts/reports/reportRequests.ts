import type { ReportAsk } from '@fairway/store';
import {
  ACCOUNT_LENGTH,
  ACCOUNT_ROLES,
  COLUMN_SETS,
  COLUMNS_OF_SET,
  LIMITS,
  METADATA_COLUMN_PATTERN,
  MOVEMENT_KINDS,
  NAMEABLE_COLUMNS,
  PERIOD_PATTERN,
  RECONCILIATION_COLUMNS,
  REPORT_FORMATS,
  REPORT_TYPES,
} from '@fairway/wire';
import { defined } from '@fairway/values';
import {
  addError,
  booleanField,
  complete,
  type FieldReader,
  type Fields,
  innerFields,
  listField,
  nearestName,
  optional,
  required,
  textField,
  timestampField,
  wordField,
} from '@fairway/api';
import { monthOf } from './months.ts';

/** Columns of a type of report. */
function columnsField(known: readonly string[]): FieldReader<readonly string[]> {
  return listField(columnField(known), {
    what: 'columns',
    minimum: 1,
    maximum: known.length + LIMITS.metadata.maximum,
    uniqueBy: (column) => column,
  });
}

const METADATA_COLUMN = new RegExp(METADATA_COLUMN_PATTERN, 'u');

function columnField(known: readonly string[]): FieldReader<string> {
  const word = wordField(known);
  return {
    must: word.must,
    read(given, origin) {
      if (typeof given === 'string' && METADATA_COLUMN.test(given)) return { ok: true, value: given };
      const reading = word.read(given, origin);
      if (reading.ok || typeof given !== 'string') return reading;
      if (RECONCILIATION_COLUMNS.some((column) => column === given))
        return { ok: false, must: `one of this report (${given} is only of the report movements)` };
      const meant = nearestName(given, known);
      return { ok: false, suggestions: meant === undefined ? [] : [meant] };
    },
  };
}

const timezoneField: FieldReader<string> = {
  must: 'an IANA time zone, such as "Australia/Sydney"',
  read: (given) =>
    typeof given === 'string' && isTimezone(given) ? { ok: true, value: given } : { ok: false },
};

/** Whether a text names a time zone. Offsets, which some runtimes take as well, are no names. */
function isTimezone(text: string): boolean {
  if (text.length > LIMITS.timezoneLength || !/^[A-Za-z][A-Za-z0-9_+/-]*$/.test(text)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** Reads a request for a report; undefined when a field is wrong. */
export function readReportRequest(fields: Fields, nowMs: number): ReportAsk | undefined {
  const type = required(fields, 'type', wordField(REPORT_TYPES));
  const format = required(fields, 'format', wordField(REPORT_FORMATS));
  const timezone = optional(fields, 'timezone', timezoneField) ?? 'UTC';
  const { period, fromMs, toMs } = readTime(fields, timezone, nowMs);
  const columns = readColumns(fields, type ?? 'movements', format);
  const byteOrderMark = optional(fields, 'byteOrderMark', booleanField);
  if (byteOrderMark === true && format !== 'csv')
    addError(fields, 'byteOrderMark', 'byteOrderMark is for csv; leave it out.');
  const named = innerFields(fields, 'accounts', ACCOUNT_ROLES);
  if (named !== undefined && type !== 'journal')
    addError(fields, 'accounts', 'accounts are for the report journal; leave them out.');
  const accounts = named && accountsOf(named);
  const filtered = innerFields(fields, 'filter', ['corridorId', 'kind']);
  const filter = filtered === undefined ? {} : filterOf(filtered);
  if (filtered !== undefined && filter.kind !== undefined && type !== 'movements')
    addError(filtered, 'kind', 'kind is for the report movements; leave it out.');
  const asked = complete(fields, { type, format, fromMs, toMs, timezone, columns, filter });
  return asked && { ...asked, ...defined({ period, accounts, byteOrderMark: byteOrderMark || undefined }) };
}

/** Reads the time that a report is of: a month, or from and to. */
function readTime(fields: Fields, timezone: string, nowMs: number) {
  const period = optional(fields, 'period', periodField);
  if (fields.values.has('period')) {
    for (const name of ['from', 'to'])
      if (fields.values.has(name))
        addError(fields, name, `${name} goes without period; leave one of them out.`);
    const month = period === undefined ? undefined : monthOf(period, timezone);
    if (month !== undefined && month.toMs > nowMs)
      addError(
        fields,
        'period',
        'period must be over: a report tells of a time that is over. Give from and to for a part of it.',
      );
    return { period, fromMs: month?.fromMs, toMs: month?.toMs };
  }
  const fromMs = required(fields, 'from', timestampField);
  const toMs = required(fields, 'to', timestampField);
  if (toMs !== undefined && toMs > nowMs)
    addError(fields, 'to', 'to must not be in the future: a report tells of a time that is over.');
  if (fromMs !== undefined && toMs !== undefined && fromMs >= toMs)
    addError(fields, 'from', 'from must be before to.');
  return { period: undefined, fromMs, toMs };
}

const PERIOD = new RegExp(PERIOD_PATTERN);

const periodField: FieldReader<string> = {
  must: 'a month, such as "2026-10"',
  read: (given) =>
    typeof given === 'string' && PERIOD.test(given) ? { ok: true, value: given } : { ok: false },
};

/** Reads the columns of a file: those that are named, or those of a set. */
function readColumns(
  fields: Fields,
  type: ReportAsk['type'],
  format: ReportAsk['format'] | undefined,
): readonly string[] {
  const set = optional(fields, 'columnSet', wordField(COLUMN_SETS));
  const named = optional(fields, 'columns', columnsField(NAMEABLE_COLUMNS[type]));
  if (format !== 'camt.053') {
    if (set !== undefined && named !== undefined)
      addError(fields, 'columnSet', 'columnSet goes without columns; leave one of them out.');
    return named ?? COLUMNS_OF_SET[set ?? 'full'][type];
  }
  for (const [name, value] of Object.entries({ columns: named, columnSet: set }))
    if (value !== undefined)
      addError(
        fields,
        name,
        `${name} ${name === 'columns' ? 'are' : 'is'} for csv, json and xlsx: leave it out, or ask for one of these.`,
      );
  return [];
}

function accountsOf(fields: Fields): NonNullable<ReportAsk['accounts']> {
  const named = ACCOUNT_ROLES.map(
    (role) => [role, optional(fields, role, textField(ACCOUNT_LENGTH))] as const,
  );
  return Object.fromEntries(
    named.flatMap(([role, account]) => (account === undefined ? [] : [[role, account]])),
  );
}

function filterOf(fields: Fields): ReportAsk['filter'] {
  const corridorId = optional(fields, 'corridorId', textField(LIMITS.corridorIdLength));
  const kind = optional(fields, 'kind', wordField(MOVEMENT_KINDS));
  return defined({ corridorId, kind });
}
