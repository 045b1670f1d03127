/**
 * The settings of this run's properties, from `FC_SEED`, `FC_SCALE` and `FC_RUNS`. A door of its own beside the
 * index. Tests of pure rules take milliseconds, and with the index they would load the chain and the database.
 */
import fc from 'fast-check';
import { readPropertySettings } from './propertySettings.ts';

const settings = readPropertySettings(process.env, Date.now());

/** The seed of this run, from the clock unless `FC_SEED` repeats an earlier run. */
export const seed: number = settings.seed;
/** Whether `FC_SEED` gave the seed. */
export const isSeedGiven: boolean = settings.isSeedGiven;
/** The most runs: `FC_RUNS`; undefined where nothing bounds them. */
export const mostRuns: number | undefined = settings.mostRuns;
/** How many times the everyday number of cases: `FC_SCALE`, 1 by day. */
export const scale: number = settings.scale;

console.log(`FC_SEED=${seed}`);

// A mutation run caps the runs and needs to know that a property fails, not the smallest example.
if (mostRuns !== undefined) fc.configureGlobal({ endOnFailure: true });

/** Runs of a property: `usual` by day, `FC_SCALE` times that at night, at most `FC_RUNS` where that is set. */
export function runs(usual: number): number {
  return Math.min(usual * scale, mostRuns ?? usual * scale);
}
