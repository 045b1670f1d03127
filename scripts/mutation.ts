/**
 * `npm run mutation`: changes the exact mathematics and the finish of quotes in hundreds of small ways, one at a
 * time. It shows the changes that no test notices; docs/mutation.md has the last score and explains what is left.
 *
 * `npm run mutation -- v2 tickMath` changes only the files whose path contains one of the texts; options that start
 * with a dash go to Stryker: `npm run mutation -- --concurrency=1`.
 */
import { globSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { runCommand } from './process.ts';
import { repositoryRoot } from './repository.ts';

const tools = join(repositoryRoot, 'mutation');
const given = process.argv.slice(2);
const options = given.filter((argument) => argument.startsWith('-'));
const filters = given.filter((argument) => !argument.startsWith('-'));
const config = join(tools, 'stryker.config.json');

const files = mutatedFiles().filter(
  (path) => filters.length === 0 || filters.some((text) => path.includes(text)),
);
if (files.length === 0) {
  console.error(
    `No mutated file matches ${filters.join(', ')}. They are listed in mutation/stryker.config.json.`,
  );
  process.exit(1);
}

// The tools are not part of the root's `npm ci`: they double its packages, and few need them.
const install = ['ci', '--prefix', tools, '--prefer-offline', '--loglevel=error'];
const npm = await runCommand('npm', install, { output: 'shown' });
if (npm.exitCode !== 0) {
  console.error('npm could not install the tools of the folder mutation: it says why above.');
  process.exit(npm.exitCode);
}

const { exitCode } = await runCommand(
  process.execPath,
  [
    join(tools, 'node_modules/@stryker-mutator/core/bin/stryker.js'),
    'run',
    config,
    `--mutate=${files.join(',')}`,
    ...options,
  ],
  {
    output: 'shown',
    environment: {
      // Stryker starts the tests with the first node of the PATH.
      PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH'] ?? ''}`,
      // Few runs of each property, and the same ones for every mutant: a score that repeats, within minutes.
      FC_SEED: process.env['FC_SEED'] ?? '1',
      FC_RUNS: process.env['FC_RUNS'] ?? '10',
    },
  },
);
process.exitCode = exitCode;

/** The files that the configuration mutates, relative to the root. */
function mutatedFiles(): string[] {
  const { mutate } = JSON.parse(readFileSync(config, 'utf8')) as { mutate: readonly string[] };
  const included = mutate.filter((glob) => !glob.startsWith('!'));
  const exclude = mutate.filter((glob) => glob.startsWith('!')).map((glob) => glob.slice(1));
  return globSync(included, { cwd: repositoryRoot, exclude }).sort();
}
