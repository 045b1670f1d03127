import fc from 'fast-check';

/** What a batch of cases ended with. */
export type BatchResult = { readonly runs: number; readonly failure?: Failure };

/** A case that failed, as small as it could be made. */
export type Failure = {
  /** What `npm run nightly:fuzz -- --again` takes to run the case again. */
  readonly again: string;
  readonly message: string;
};

/** The kinds of cases. */
export type CaseKind = 'requests' | 'sequences';

/** Which cases a batch has, or which single case is run again. */
export type BatchPlace = { readonly kind: CaseKind; readonly seed: number; readonly path?: string };

/** Runs a batch of cases one after the other; a case fails when `check` throws, and is then made smaller. */
export async function runBatch<Case>(
  { kind, seed, path }: BatchPlace,
  cases: fc.Arbitrary<Case>,
  count: number,
  check: (given: Case) => Promise<void>,
): Promise<BatchResult> {
  const details = await fc.check(fc.asyncProperty(cases, check), {
    seed,
    numRuns: count,
    ...(path === undefined ? {} : { path, endOnFailure: true }),
  });
  const { numRuns, failed, counterexamplePath, errorInstance } = details;
  if (!failed) return { runs: numRuns };
  const message = errorInstance instanceof Error ? errorInstance.message : String(errorInstance);
  return { runs: numRuns, failure: { again: `${kind}:${seed}:${counterexamplePath ?? ''}`, message } };
}

/** Reads what `--again` takes. */
export function readAgain(text: string): BatchPlace | undefined {
  const [, kind, seed, path] = /^(requests|sequences):(-?\d+):([\d:]+)$/.exec(text) ?? [];
  if (kind === undefined || path === undefined) return undefined;
  return { kind: kind as CaseKind, seed: Number(seed), path };
}

/** Runs batches in lanes beside each other, until all have run or enough have failed. */
export async function runLanes<Case>(
  plan: { readonly kind: CaseKind; readonly seed: number; readonly count: number; readonly lanes: number },
  cases: fc.Arbitrary<Case>,
  check: (given: Case) => Promise<void>,
): Promise<{ readonly runs: number; readonly failures: readonly Failure[] }> {
  const { kind, seed, count, lanes } = plan;
  const batches = Math.ceil(count / BATCH_SIZE[kind]);
  const failures: Failure[] = [];
  let runs = 0;
  let next = 0;
  const lane = async () => {
    while (next < batches && failures.length < MOST_FAILURES) {
      const batch = next++;
      const size = Math.min(BATCH_SIZE[kind], count - batch * BATCH_SIZE[kind]);
      const result = await runBatch({ kind, seed: seedOf(seed, batch) }, cases, size, check);
      runs += result.runs;
      if (result.failure !== undefined) failures.push(result.failure);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return { runs, failures };
}

/** Cases of a batch: large enough for fast-check's own variety, small enough that lanes end together. */
const BATCH_SIZE = { requests: 100, sequences: 5 } as const;
/** After this many failed batches the rest would say nothing new. */
const MOST_FAILURES = 5;

/** The seed of a part of a run: a mix of the run's seed and the part's number (Thomas Wang's integer hash). */
export function seedOf(seed: number, part: number): number {
  let mixed = Math.imul(seed ^ 61 ^ (part + 1), 0x9e3779b1);
  mixed ^= mixed >>> 15;
  mixed = Math.imul(mixed, 0x85ebca6b);
  return (mixed ^ (mixed >>> 13)) | 0;
}
