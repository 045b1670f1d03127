/// <reference types="node" />
import fc from 'fast-check';

/** The seed of this run's properties, in milliseconds of the clock unless `FC_SEED` repeats an earlier run. */
export const seed: number = Number(process.env['FC_SEED'] ?? Date.now() % 2 ** 31);

console.log(`FC_SEED=${seed}`);

const mostRuns = process.env['FC_RUNS'];
const scale = Number(process.env['FC_SCALE'] ?? 1);

// A mutation run caps the runs and needs to know that a property fails, not the smallest example.
if (mostRuns !== undefined) fc.configureGlobal({ endOnFailure: true });

/**
 * Runs of a property: `usual` in the everyday tests, `FC_SCALE` times that at night, at most `FC_RUNS` where that is
 * set.
 */
export function runs(usual: number): number {
  return Math.min(usual * scale, Number(mostRuns ?? usual * scale));
}
