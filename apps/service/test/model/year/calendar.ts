/** A time from a moment on and before another. */
export type Period = { readonly fromMs: number; readonly toMs: number };

export const DAY_MS = 86_400_000;

/** The begins of the months of the year, and its end. */
export const MONTHS_MS: readonly number[] = Array.from({ length: 13 }, (_, month) =>
  Date.UTC(2025, month, 1),
);

const [BEGIN_MS = 0, ...ENDS_MS] = MONTHS_MS;

/** The year that is reported. */
export const YEAR: Period = { fromMs: BEGIN_MS, toMs: ENDS_MS.at(-1) ?? 0 };
/** Its months. */
export const MONTHS: readonly Period[] = ENDS_MS.map((toMs, month) => ({
  fromMs: MONTHS_MS[month] ?? 0,
  toMs,
}));
/** All that comes behind it. */
export const AFTER: Period = { fromMs: YEAR.toMs, toMs: YEAR.toMs + 400 * DAY_MS };
