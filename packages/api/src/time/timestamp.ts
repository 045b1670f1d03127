import { TIMESTAMP_PATTERN } from '@fairway/wire';

const TIMESTAMP = new RegExp(TIMESTAMP_PATTERN);

/** RFC 3339 has years of four digits: an offset can carry the last hours of 9999 beyond them. */
const LAST_MOMENT_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
/** PostgreSQL has no year 0000. */
const FIRST_MOMENT_MS = Date.parse('0001-01-01T00:00:00Z');

/**
 * Reads an RFC 3339 date-time as milliseconds since 1970; undefined for any other text or a date that does not exist.
 *
 * @example
 * ```ts
 * import { timestampToMs } from '@fairway/api';
 *
 * timestampToMs('2026-11-28T00:00:00Z');
 * ```
 */
export function timestampToMs(text: string): number | undefined {
  const match = TIMESTAMP.exec(text);
  if (match === null) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const fraction = Number(match[7] ?? '0');
  const offsetMinutes = offsetOf(match[8] ?? 'Z');
  if (offsetMinutes === undefined || hour > 23 || minute > 59 || second > 59) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  // A day or month out of range rolls over into another month: the date does not exist.
  if (date.getUTCMonth() !== month - 1) return undefined;
  date.setUTCHours(hour, minute, second, Math.floor(fraction * 1000));
  const ms = date.getTime() - offsetMinutes * 60_000;
  return ms < FIRST_MOMENT_MS || ms > LAST_MOMENT_MS ? undefined : ms;
}

function offsetOf(zone: string): number | undefined {
  if (zone === 'Z' || zone === 'z') return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(4, 6));
  if (hours > 23 || minutes > 59) return undefined;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}

/**
 * An instant as the API writes it.
 *
 * @example
 * ```ts
 * import { timestampOf } from '@fairway/api';
 *
 * timestampOf(0); // '1970-01-01T00:00:00.000Z'
 * ```
 */
export function timestampOf(ms: number): string {
  const wholeMs = Math.trunc(ms);
  const second = Math.floor(wholeMs / 1_000);
  const fraction = String(wholeMs - 1_000 * second).padStart(3, '0');
  // One piece, as JSON.stringify writes it fastest: a template would only refer to its parts.
  return [wholeSecond(second), fraction, 'Z'].join('');
}

/** Whole seconds as written, up to the point: most instants are now, or as long after it as a quote holds. */
const written = new Map<number, string>();
const MOST_WRITTEN = 1_000;

function wholeSecond(second: number): string {
  const known = written.get(second);
  if (known !== undefined) return known;
  if (written.size >= MOST_WRITTEN) written.clear();
  const text = new Date(1_000 * second).toISOString().slice(0, -'000Z'.length);
  written.set(second, text);
  return text;
}
