/** Counts answers by lie and service, and collects what must not have happened. */
export type Tally = {
  readonly faults: string[];
  count(lie: string, service: string, outcome: string): void;
  /** How many answers to a lie of a service had an outcome. */
  of(lie: string, service: string, outcome: RegExp): number;
  readonly total: () => number;
  /** A line for each lie. */
  table(): string[];
};

/** An empty tally. */
export function createTally(): Tally {
  const counts = new Map<string, Map<string, number>>();
  let total = 0;
  return {
    faults: [],
    total: () => total,
    count(lie, service, outcome) {
      total++;
      const key = `${lie} / ${service}`;
      const cell = counts.get(key) ?? new Map<string, number>();
      counts.set(key, cell);
      cell.set(outcome, (cell.get(outcome) ?? 0) + 1);
    },
    of(lie, service, outcome) {
      const cell = counts.get(`${lie} / ${service}`) ?? new Map<string, number>();
      return [...cell].filter(([name]) => outcome.test(name)).reduce((sum, [, count]) => sum + count, 0);
    },
    table: () =>
      [...counts].map(([key, cell]) => {
        const outcomes = [...cell]
          .toSorted(([a], [b]) => a.localeCompare(b))
          .map(([name, count]) => `${count} ${name}`);
        return `${key}: ${outcomes.join(', ')}`;
      }),
  };
}
