import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileExamples, readExamples } from './examples.ts';
import { runCommand } from './process.ts';
import { repositoryRoot, treeFiles } from './repository.ts';
import { type Finding, retiredFindings, tidyFindings } from './tidy.ts';
import { checkTypes } from './types.ts';

/** How a gate ended: `output` is what to show when it failed. */
export type GateResult = { passed: boolean; output: string };

/** One condition for a change to be accepted, under the name people know it by. */
export type Gate = { name: string; run(): Promise<GateResult> };

/** The gates that only read the tree, cheapest last so that the long ones start first. */
export const readingGates: readonly Gate[] = [
  { name: 'types', run: types },
  { name: 'lint', run: () => command('oxlint/bin/oxlint', '--disable-nested-config') },
  { name: 'examples', run: examples },
  { name: 'dependencies', run: () => command('knip/bin/knip.js', '--no-progress', '--no-config-hints') },
  { name: 'openapi', run: openapi },
  { name: 'contracts', run: () => script('scripts/contracts.ts', '--check') },
  { name: 'format', run: () => command('@biomejs/biome/bin/biome', 'format', '--error-on-warnings', '.') },
  {
    name: 'architecture',
    run: () =>
      script(
        '--test',
        'scripts/architecture.test.ts',
        'scripts/lockfile.test.ts',
        'scripts/changeTable.test.ts',
      ),
  },
  { name: 'tidy', run: tidy },
];

/** All tests. */
export const testGate: Gate = { name: 'tests', run: tests };

/** Runs a command-line tool of node_modules, named by its JavaScript entry, with the Node that runs this. */
function command(entry: string, ...arguments_: string[]): Promise<GateResult> {
  return script(join(repositoryRoot, 'node_modules', entry), ...arguments_);
}

async function script(...arguments_: string[]): Promise<GateResult> {
  const { exitCode, output } = await runCommand(process.execPath, arguments_, { output: 'collected' });
  return { passed: exitCode === 0, output: exitCode === 0 ? '' : `${output}(exit code ${exitCode})\n` };
}

/** What is committed of the contract is what its sources say, and linters find nothing in the document. */
async function openapi(): Promise<GateResult> {
  const committed = await script('scripts/openapi.ts', '--check');
  return committed.passed ? script('scripts/lintOpenapi.ts') : committed;
}

async function types(): Promise<GateResult> {
  const { complaints } = await checkTypes(existingFiles());
  return { passed: complaints === '', output: complaints };
}

function tidy(): Promise<GateResult> {
  const paths = existingFiles();
  const sources = paths.filter(
    (path) => /^(apps|packages|bench|examples|scripts)\/.*\.ts$/.test(path) && !path.includes('/generated/'),
  );
  const texts = paths.filter((path) => /\.(?:md|js|mjs|sol|sh|html|txt)$/.test(path));
  return Promise.resolve(
    resultOf([
      ...sources.flatMap((path) => tidyFindings(path, textOf(path))),
      ...texts.flatMap((path) => retiredFindings(path, textOf(path))),
    ]),
  );
}

async function examples(): Promise<GateResult> {
  const paths = existingFiles().filter((path) => /^packages\/[^/]+\/src\/.*\.ts$/.test(path));
  const sources = new Map(paths.map((path) => [path, textOf(path)]));
  const readings = paths
    .filter((path) => path.endsWith('/src/index.ts') && !path.startsWith('packages/testing/'))
    .map((path) => readExamples(`@fairway/${path.split('/')[1]}`, path, sources));
  const complaints = await compileExamples(readings.flatMap((reading) => reading.examples));
  return resultOf([...readings.flatMap((reading) => reading.findings), ...complaints]);
}

function resultOf(findings: readonly Finding[]): GateResult {
  const output = findings.map(({ place, message }) => `${place}: ${message}\n`).join('');
  return { passed: output === '', output };
}

function textOf(path: string): string {
  return readFileSync(join(repositoryRoot, path), 'utf8');
}

async function tests(): Promise<GateResult> {
  const { exitCode } = await runCommand(process.execPath, ['scripts/test.ts'], { output: 'shown' });
  return { passed: exitCode === 0, output: '' };
}

function existingFiles(): string[] {
  return treeFiles().filter((path) => existsSync(join(repositoryRoot, path)));
}
