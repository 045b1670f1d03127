/** A duration in seconds, or what the text must be instead. */
export type ReadDuration =
  | { readonly ok: true; readonly seconds: number }
  | { readonly ok: false; readonly must: string };

const LONGEST_YEARS = 10;
const LAST_MOMENT_MS = Temporal.Instant.from('9999-01-01T00:00:00Z').epochMilliseconds;

/**
 * Reads an ISO 8601 duration as seconds. Months and years have their calendar length from `nowMs` on, in UTC. Whole
 * seconds, because blocks have no fractions.
 *
 * @example
 * ```ts
 * import { readDuration } from '@fairway/values';
 *
 * const read = readDuration('PT20M', Date.now(), 1);
 * ```
 */
export function readDuration(
  text: string,
  nowMs: number,
  leastSeconds: number,
  mostYears: number = LONGEST_YEARS,
): ReadDuration {
  const duration = parsed(text);
  if (duration === undefined) {
    return { ok: false, must: 'an ISO 8601 duration, such as PT20M or P1D' };
  }
  const start = Temporal.Instant.fromEpochMilliseconds(nowMs).toZonedDateTimeISO('UTC');
  const end = laterBy(start, duration);
  const latest = start.add({ years: mostYears });
  if (end === undefined || Temporal.ZonedDateTime.compare(end, latest) > 0) {
    return { ok: false, must: `at most ${mostYears === 1 ? '1 year' : `${mostYears} years`}` };
  }
  if (end.epochMilliseconds > LAST_MOMENT_MS)
    return { ok: false, must: 'so short that it ends before the year 9999' };
  const nanoseconds = end.epochNanoseconds - start.epochNanoseconds;
  if (nanoseconds % 1_000_000_000n !== 0n) return { ok: false, must: 'a whole number of seconds' };
  const seconds = Number(nanoseconds / 1_000_000_000n);
  if (seconds < leastSeconds) return { ok: false, must: `at least ${leastSeconds} s` };
  return { ok: true, seconds };
}

/**
 * Seconds as an ISO 8601 duration: in days where they are whole days.
 *
 * @example
 * ```ts
 * import { durationText } from '@fairway/values';
 *
 * durationText(86_400); // 'P1D'
 * ```
 */
export function durationText(seconds: number): string {
  return seconds % 86_400 === 0 ? `P${seconds / 86_400}D` : `PT${seconds}S`;
}

function parsed(text: string): Temporal.Duration | undefined {
  if (!/^[-+]?P[0-9A-Z.,]{1,64}$/i.test(text)) return undefined;
  try {
    return Temporal.Duration.from(text);
  } catch {
    return undefined;
  }
}

function laterBy(
  start: Temporal.ZonedDateTime,
  duration: Temporal.Duration,
): Temporal.ZonedDateTime | undefined {
  try {
    return start.add(duration);
  } catch {
    // Temporal cannot represent the end, which is far later than any allowed end.
    return undefined;
  }
}
