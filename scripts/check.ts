/**
 * `npm run check`: every gate a change must pass. The gates that read the tree all run, whatever the others say. The tests
 * take longest: they run last, and only when every other gate passed. The last line names what failed.
 * `npm run check -- lint types` runs only the named ones.
 */
import { constants } from 'node:os';
import { type Gate, readingGates, testGate } from './gates.ts';

/** Gates wait for other programs more than they compute; more at once only slows two cores down. */
const GATES_AT_ONCE = 2;

const gates = [...readingGates, testGate];
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !gates.some((gate) => gate.name === name));
if (unknown.length > 0) {
  console.error(
    `No gate is named ${unknown.join(', ')}. Gates: ${gates.map(({ name }) => name).join(', ')}.`,
  );
  process.exit(2);
}

const failed: string[] = [];
const isWanted = (gate: Gate) => wanted.length === 0 || wanted.includes(gate.name);
const reading = readingGates.filter(isWanted);
const testing = [testGate].filter(isWanted);

let stoppedBy: NodeJS.Signals | undefined;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    stoppedBy = signal;
  });
}

await Promise.all(Array.from({ length: GATES_AT_ONCE }, () => passAll(reading)));
if (failed.length === 0) await passAll(testing);

if (stoppedBy !== undefined) {
  console.log(`check: stopped by ${stoppedBy}`);
  process.exitCode = 128 + constants.signals[stoppedBy];
} else {
  const skipped = testing.length > 0 ? '; the tests were not run' : '';
  console.log(
    failed.length === 0 ? 'check: every gate passed' : `check: failed at ${failed.join(', ')}${skipped}`,
  );
  process.exitCode = failed.length === 0 ? 0 : 1;
}

/** Takes gates from the queue until it is empty or a signal came. */
async function passAll(queue: Gate[]): Promise<void> {
  while (stoppedBy === undefined) {
    const gate = queue.shift();
    if (gate === undefined) return;
    await pass(gate);
  }
}

async function pass(gate: Gate): Promise<void> {
  const startedMs = performance.now();
  const { passed, output } = await gate.run();
  if (stoppedBy !== undefined) return;
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  console.log(`${passed ? 'pass' : 'FAIL'}  ${gate.name.padEnd(12)} ${seconds.padStart(6)} s`);
  if (passed) return;
  failed.push(gate.name);
  if (output !== '') console.log(output.trimEnd().replace(/^/gm, '      '));
}
