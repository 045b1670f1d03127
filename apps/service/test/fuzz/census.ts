import type { Described } from './described.ts';

/** Counts answers by operation and status. */
export type Census = {
  count(operation: string, status: number, tookMs: number): void;
  /** The operations without a single success. */
  neverServed(operations: readonly Described[]): readonly string[];
  /** The share of answers that told the caller to wait. */
  deferredShare(): number;
  /** A table of all counts. */
  report(): string;
};

/** Makes an empty census. */
export function createCensus(): Census {
  const byOperation = new Map<string, Map<number, number>>();
  let total = 0;
  let deferred = 0;
  let slowestMs = 0;
  let slowest = '';
  return {
    count(operation, status, tookMs) {
      const statuses = byOperation.get(operation) ?? new Map<number, number>();
      byOperation.set(operation, statuses.set(status, (statuses.get(status) ?? 0) + 1));
      total += 1;
      if (status === 429 || status === 503) deferred += 1;
      if (tookMs > slowestMs) [slowestMs, slowest] = [tookMs, operation];
    },
    neverServed: (operations) =>
      operations
        .map(({ id }) => id)
        .filter((id) => ![200, 201, 202].some((status) => byOperation.get(id)?.has(status))),
    deferredShare: () => deferred / Math.max(1, total),
    report() {
      const lines = [...byOperation].toSorted().map(([operation, statuses]) => {
        const counts = [...statuses].toSorted(([one], [other]) => one - other);
        return `${operation.padEnd(20)} ${counts.map(([status, count]) => `${status}: ${count}`).join(', ')}`;
      });
      return [...lines, `${total} answers; the slowest took ${Math.round(slowestMs)} ms (${slowest})`].join(
        '\n',
      );
    },
  };
}
