import type { ReportAsk } from '@fairway/store';
import {
  LIMITS,
  MOVEMENT_KINDS,
  NAMEABLE_COLUMNS,
  RECONCILIATION_COLUMNS,
  REPORT_COLUMNS,
  REPORT_FORMATS,
  REPORT_TYPES,
} from '@fairway/wire';
import { defined } from '@fairway/plan';
import { nearestName } from '../text/spelling.ts';
import { listField } from '../fields/listFields.ts';
import {
  addError,
  complete,
  type FieldReader,
  type Fields,
  innerFields,
  optional,
  required,
  textField,
  timestampField,
  wordField,
} from '../fields/fields.ts';

/** Columns of a type of report. */
function columnsField(known: readonly string[]): FieldReader<readonly string[]> {
  return listField(columnField(known), {
    what: 'columns',
    minimum: 1,
    maximum: known.length,
    uniqueBy: (column) => column,
  });
}

function columnField(known: readonly string[]): FieldReader<string> {
  const word = wordField(known);
  return {
    must: word.must,
    read(given, origin) {
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
  const fromMs = required(fields, 'from', timestampField);
  const toMs = required(fields, 'to', timestampField);
  const timezone = optional(fields, 'timezone', timezoneField) ?? 'UTC';
  const [known, usual] = [NAMEABLE_COLUMNS[type ?? 'movements'], REPORT_COLUMNS[type ?? 'movements']];
  const isPayoutStatement = format === 'camt.053';
  const columns = optional(fields, 'columns', columnsField(known)) ?? (isPayoutStatement ? [] : usual);
  if (isPayoutStatement && columns.length > 0)
    addError(
      fields,
      'columns',
      'columns are for csv, json and xlsx: leave them out, or ask for one of these.',
    );
  const filtered = innerFields(fields, 'filter', ['corridorId', 'kind']);
  const filter = filtered === undefined ? {} : filterOf(filtered);
  if (filtered !== undefined && filter.kind !== undefined && type !== 'movements')
    addError(filtered, 'kind', 'kind is for the report movements; leave it out.');
  if (toMs !== undefined && toMs > nowMs)
    addError(fields, 'to', 'to must not be in the future: a report tells of a time that is over.');
  if (fromMs !== undefined && toMs !== undefined && fromMs >= toMs)
    addError(fields, 'from', 'from must be before to.');
  return complete(fields, { type, format, fromMs, toMs, timezone, columns, filter });
}

function filterOf(fields: Fields): ReportAsk['filter'] {
  const corridorId = optional(fields, 'corridorId', textField(LIMITS.corridorIdLength));
  const kind = optional(fields, 'kind', wordField(MOVEMENT_KINDS));
  return defined({ corridorId, kind });
}
