/// <reference types="node" />
/** The seed of this run's properties, in milliseconds of the clock unless `FC_SEED` repeats an earlier run. */
export const seed: number = Number(process.env['FC_SEED'] ?? Date.now() % 2 ** 31);

console.log(`FC_SEED=${seed}`);
