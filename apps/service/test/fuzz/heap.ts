/** The size of a heap after a collection, at a time of a run. */
export type HeapSample = { readonly atMs: number; readonly bytes: number };

const WINDOW_MS = 10 * 60_000;
/** Until then caches fill that have a limit. */
const WARM_UP_MS = 3 * 60_000;
/** Samples of which the middle one counts, because a collection leaves now more and now less. */
const NEIGHBOURS = 2;

/**
 * The largest growth of a heap over ten minutes, as a share of what it was. Undefined when the run was shorter.
 */
export function heapGrowth(samples: readonly HeapSample[]): number | undefined {
  const smooth = samples.map(({ atMs }, index) => ({
    atMs,
    bytes: median(
      samples.slice(Math.max(0, index - NEIGHBOURS), index + NEIGHBOURS + 1).map(({ bytes }) => bytes),
    ),
  }));
  let most: number | undefined;
  for (const first of smooth.filter(({ atMs }) => atMs >= WARM_UP_MS)) {
    const later = smooth.find(({ atMs }) => atMs >= first.atMs + WINDOW_MS);
    if (later !== undefined) most = Math.max(most ?? -1, later.bytes / first.bytes - 1);
  }
  return most;
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? 0;
}
