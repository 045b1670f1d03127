/** The first moment of a month (2026-10) in a time zone, and that of the next month. */
export function monthOf(
  period: string,
  timezone: string,
): { readonly fromMs: number; readonly toMs: number } {
  const [year = 0, month = 0] = period.split('-').map(Number);
  const shownAt = clockOf(timezone);
  return {
    fromMs: firstAt(Date.UTC(year, month - 1, 1), shownAt),
    toMs: firstAt(Date.UTC(year, month, 1), shownAt),
  };
}

const DAY_MS = 86_400_000;

/**
 * The first moment at which a clock shows a time or a later one. Its offset of the day before or that of the day
 * after holds at it, also where the clock is changed at midnight.
 */
function firstAt(soughtMs: number, shownAt: (timeMs: number) => number): number {
  const offsets = [-DAY_MS, DAY_MS].map((away) => shownAt(soughtMs + away) - (soughtMs + away));
  const moments = offsets.map((offset) => soughtMs - offset).filter((timeMs) => shownAt(timeMs) >= soughtMs);
  return Math.min(...moments);
}

/** What a clock of a time zone shows at a moment, as if it were UTC. */
function clockOf(timezone: string): (timeMs: number) => number {
  const format = new Intl.DateTimeFormat('en-u-ca-gregory', {
    timeZone: timezone,
    hourCycle: 'h23',
    ...({ year: 'numeric', month: 'numeric', day: 'numeric' } as const),
    ...({ hour: 'numeric', minute: 'numeric', second: 'numeric' } as const),
  });
  return (timeMs) => {
    const shown = new Map(format.formatToParts(timeMs).map(({ type, value }) => [type, Number(value)]));
    const [year, month, day] = (['year', 'month', 'day'] as const).map((name) => shown.get(name) ?? 0);
    const [hour, minute, second] = (['hour', 'minute', 'second'] as const).map(
      (name) => shown.get(name) ?? 0,
    );
    return Date.UTC(year ?? 0, (month ?? 1) - 1, day, hour, minute, second);
  };
}
