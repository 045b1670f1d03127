const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** How long after the one before each attempt is made. */
const WAITS_MS = [
  0,
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];

/** At most this part of a wait is added to it, so that receivers that were away do not get everything at once. */
const JITTER = 0.1;
const LONGEST_RETRY_AFTER_MS = HOUR_MS;

/** The form of HTTP dates that senders must write. The two older ones are ignored. */
const HTTP_DATE =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d\d:\d\d:\d\d GMT$/;

/**
 * How long to wait after `failedAttempts` attempts that failed until the next one, in milliseconds; undefined when there
 * is none. `random` is from 0 to 1. `retryAfterMs` is what the receiver asked for: it can make a wait longer, never shorter.
 */
export function nextAttemptMs(failedAttempts: number, random: number, retryAfterMs = 0): number | undefined {
  const waitMs = WAITS_MS[failedAttempts];
  if (waitMs === undefined) return undefined;
  return Math.round(Math.max(waitMs, retryAfterMs) * (1 + JITTER * random));
}

/**
 * How long a `Retry-After` header asks to wait, at most an hour: seconds, or a date that is compared with `nowMs`.
 * Undefined for any other text.
 */
export function readRetryAfterMs(text: string, nowMs: number): number | undefined {
  const isSeconds = /^\d{1,10}$/.test(text);
  const waitMs = isSeconds ? Number(text) * SECOND_MS : HTTP_DATE.test(text) ? Date.parse(text) - nowMs : NaN;
  return Number.isNaN(waitMs) ? undefined : Math.min(Math.max(waitMs, 0), LONGEST_RETRY_AFTER_MS);
}
