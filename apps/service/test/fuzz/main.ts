/**
 * `npm run nightly:fuzz -- [--requests N] [--sequences N] [--rounds N] [--seed N]`: a million cases, in rounds.
 * `npm run nightly:fuzz -- --again CASE`: runs a case again that a run or a test printed. Ends with exit code 1 when
 * anything was found.
 */
import { readAgain, seedOf } from './batches.ts';
import { type HeapSample, judgeHeap } from './heap.ts';
import { readFuzzOptions } from './options.ts';
import { type FuzzRun, startFuzzRun } from './run.ts';

const options = readFuzzOptions(process.argv.slice(2));
const startMs = performance.now();
const run = await startFuzzRun();
// Ended by hand, it ends its service and its database, too.
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => void run.close().finally(() => process.exit(130)));
let findings: readonly string[] = [];
try {
  findings = options.again === undefined ? await runAll(run) : await runAgain(run, options.again);
} finally {
  findings = [...findings, ...(await run.close())];
}
for (const finding of findings) console.log(`FOUND: ${finding}`);
console.log(
  `${run.census.report()}\n${findings.length} findings in ${minutes(performance.now() - startMs)} minutes`,
);
process.exit(findings.length === 0 ? 0 : 1);

async function runAll({
  newGround,
  journeys,
  round,
  service,
  census,
  cast,
}: FuzzRun): Promise<readonly string[]> {
  const { seed, rounds } = options;
  console.log(`--seed ${seed}`);
  const found: string[] = [];
  const samples: HeapSample[] = [];
  const counts = {
    requests: Math.ceil(options.requests / rounds),
    sequences: Math.ceil(options.sequences / rounds),
  };
  for (let index = 0; index < rounds && found.length === 0 && service.findings().length === 0; index++) {
    const ground = await newGround();
    found.push(...(await journeys(ground)));
    const failures = await round(ground, seedOf(seed, index), counts);
    found.push(
      ...failures.map(({ again, message }) => `${message}\nAgain: npm run nightly:fuzz -- --again ${again}`),
    );
    const bytes = await service.heapBytes();
    samples.push({ atMs: performance.now() - startMs, bytes });
    console.log(
      `round ${index + 1} of ${rounds}, ${minutes(performance.now() - startMs)} min, heap ${megabytes(bytes)} MB`,
    );
  }
  const heap = judgeHeap(samples, options.isWhole);
  console.log(heap.sentence);
  if (heap.isFault && found.length === 0) found.push(heap.sentence);
  const unserved = census.neverServed(cast.description.operations);
  if (found.length === 0 && counts.requests > 0 && unserved.length > 0)
    found.push(`Never answered 200: ${unserved.join(', ')}.`);
  return found;
}

async function runAgain({ newGround, again }: FuzzRun, text: string): Promise<readonly string[]> {
  const place = readAgain(text);
  if (place === undefined) return [`--again ${text}: is no case; a run prints it as requests:SEED:PATH.`];
  return (await again(await newGround(), place)).map(({ message }) => message);
}

function minutes(ms: number): string {
  return (ms / 60_000).toFixed(1);
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}
