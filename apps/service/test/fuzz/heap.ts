/** The size of a heap after a collection, at a time of a run. */
export type HeapSample = { readonly atMs: number; readonly bytes: number };

const WINDOW_MS = 10 * 60_000;
/**
 * Before this time, memories that have a limit still grow. Snapshots of the heap, ten rounds apart, showed these: compiled
 * functions, the tables of pools as far as quotes have asked, and memories of addresses.
 */
const WARM_UP_MS = 10 * 60_000;
/** Samples of which the middle one counts, because a collection leaves now more and now less. */
const NEIGHBOURS = 2;

/** How much of itself the heap may grow by over ten minutes. */
const MOST_GROWTH = 0.05;

/** What a run says about its heap. A run that is too short to judge it is a fault where it `mustJudge`. */
export function judgeHeap(
  samples: readonly HeapSample[],
  mustJudge: boolean,
): { readonly sentence: string; readonly isFault: boolean } {
  const growth = heapGrowth(samples);
  if (growth === undefined) {
    const minutes = (WARM_UP_MS + WINDOW_MS) / 60_000;
    return {
      sentence: `The growth of the heap was NOT judged: the run must take more than ${minutes} minutes.`,
      isFault: mustJudge,
    };
  }
  const percent = (100 * growth).toFixed(1);
  return {
    sentence: `The heap grew by at most ${percent} % over ten minutes.`,
    isFault: growth > MOST_GROWTH,
  };
}

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
