/**
 * `npm test`: runs every test with one `node --test`. Files share processes, except those that ask for their own.
 *
 * `npm test -- packages/engine` runs the files whose path contains the given text; options that start with a
 * dash go to the test runner: `npm test -- packages/engine --test-name-pattern=tick`. With options each file has a process.
 *
 * `npm test -- --changed` runs the files that the change since main can reach.
 *
 * Property tests use one seed, so that a run fails for what was changed; `FC_SEED` gives another one, and
 * `npm run nightly` a new one each time.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { changedTests } from './changedTests.ts';
import { runCommand } from './process.ts';
import { repositoryRoot } from './repository.ts';
import { makeTemporaryFolder } from './temporaryFolder.ts';
import { selectTestFiles, shareProcesses, testFiles } from './testFiles.ts';

/** Above what the slowest test needs on a busy two-core machine: only a hang reaches it. */
const TEST_TIMEOUT_MS = 300_000;

/** The runner waits for ever for a file that ended its tests and left something open: this ends the run. */
const RUN_DEADLINE_MS = 55 * 60_000;

/** One file more than there are cores, because tests also wait: for timers, e-mails, blocks and databases. */
const FILES_AT_ONCE = availableParallelism() + 1;

const given = process.argv.slice(2);
const isChangedOnly = given.includes('--changed');
const runnerOptions = given.filter((argument) => argument.startsWith('-') && argument !== '--changed');
const filters = given.filter((argument) => !argument.startsWith('-'));
const selected = selectTestFiles(testFiles(), filters);
if (selected.length === 0) {
  console.error(`No test file matches ${filters.join(', ') || 'apps, packages, bench, examples, scripts'}.`);
  process.exit(1);
}
const files = isChangedOnly ? changedTests(selected) : selected;
if (isChangedOnly) console.log(`The change reaches ${files.length} of ${selected.length} test files.`);
if (files.length === 0) process.exit(0);

const temporary = makeTemporaryFolder('fairway-tests-');
const entries = runnerOptions.length === 0 ? sharedEntries() : files;
const { exitCode, durationMs, leftBehind } = await runCommand(
  process.execPath,
  [
    '--test',
    '--test-reporter=spec',
    '--test-reporter-destination=stdout',
    `--test-reporter=${join(import.meta.dirname, 'slowFiles.ts')}`,
    '--test-reporter-destination=stdout',
    `--test-concurrency=${FILES_AT_ONCE}`,
    `--test-timeout=${TEST_TIMEOUT_MS}`,
    ...runnerOptions,
    ...entries,
  ],
  {
    output: 'shown',
    deadlineMs: RUN_DEADLINE_MS,
    environment: {
      FC_SEED: process.env.FC_SEED ?? '10000',
      TMPDIR: temporary,
      NODE_COMPILE_CACHE: join(repositoryRoot, 'node_modules/.cache/fairway/compile'),
    },
  },
);
rmSync(temporary, { recursive: true, force: true, maxRetries: 5 });
if (durationMs >= RUN_DEADLINE_MS) {
  console.error('The tests did not end in time: the file named above is stuck, or left something open.');
}
for (const commandLine of leftBehind) console.error(`A test left this process running: ${commandLine}`);

process.exitCode = leftBehind.length === 0 ? exitCode : exitCode || 1;

/** Writes a program for each group of files, and lists the programs and the files that run alone. */
function sharedEntries(): string[] {
  const { alone, shared } = shareProcesses(files);
  const programs = join(temporary, 'programs');
  mkdirSync(programs);
  const paths = shared.map(({ program }, index) => {
    const path = join(programs, `group${String(index + 1).padStart(2, '0')}.mjs`);
    writeFileSync(path, program);
    return path;
  });
  return [...paths, ...alone];
}
