/**
 * `npm run nightly:model`: random payments and faults on real processes. FC_RUNS: how many runs (60); FC_SEED: the
 * seed of the first, which is printed. Ends with exit code 1 when a run fails, and prints its seed.
 */
import { mostRuns, seed as first } from '@fairway/testing/properties';
import { startGround } from './ground.ts';
import { liveThrough } from './run.ts';

const runs = mostRuns ?? 60;
/** Each ground starts with an empty chain and database. After ten runs its node holds more than a gigabyte of blocks. */
const RUNS_OF_A_GROUND = 5;
const SIZE = { acts: 30, kills: 2, restores: 1 };
let failed = 0;
for (let done = 0; done < runs; done += RUNS_OF_A_GROUND) {
  const ground = await startGround();
  try {
    for (let seed = first + done; seed < first + Math.min(runs, done + RUNS_OF_A_GROUND); seed += 1)
      await liveThrough(ground, seed, SIZE).then(
        (way) => console.log(`${seed}: ${way.join(', ')}`),
        (cause: unknown) => {
          failed += 1;
          console.log(`BROKEN: ${String(cause)}`);
        },
      );
  } finally {
    await ground.close();
  }
}
console.log(`${runs} runs, ${failed} broken`);
process.exitCode = failed === 0 ? 0 : 1;
