import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { repositoryRoot, treeFiles } from './repository.ts';

/** Lists every test file of the tree, relative to its root, sorted. */
export function testFiles(root: string = repositoryRoot): string[] {
  return treeFiles(root).filter(
    (path) =>
      /^(apps|packages|bench|examples|scripts)\/.*\.test\.ts$/.test(path) && existsSync(join(root, path)),
  );
}

/** Keeps the files whose path contains one of the filters (`./` in front is ignored); all without a filter. */
export function selectTestFiles(files: readonly string[], filters: readonly string[]): string[] {
  if (filters.length === 0) return [...files];
  const wanted = filters.map((filter) => filter.replace(/^\.\//, ''));
  return files.filter((file) => wanted.some((filter) => file.includes(filter)));
}

/** The line with which a test file asks for a process of its own, and says why. */
const OWN_PROCESS = /^\/\/ Own process: \S/m;

/** Files of `cases` that use the sandbox of `startPaymentsTest()` as it is. */
const CASE = /^apps\/service\/test\/cases\//;
const USUAL_SANDBOX = /\bstartPaymentsTest\(\);/;
const SANDBOX_HARNESS = 'apps/service/test/paymentsHarness.ts';

/** Unit tests: those beside their sources, and those of pure packages. */
const UNIT_TEST = /^scripts\/|\/src\/|^packages\/(?:engine|plan|recipients|wire)\//;

/** Loading the same modules again takes longer than most tests, and a process that takes long makes the others wait at the end. */
const FILES_OF_A_PROCESS = { sandbox: 5, service: 8, package: 16, unit: 32 } as const;

/** Several test files for one process, and the program that runs them. */
export type SharedRun = { files: string[]; program: string };

/**
 * Parts test files into those that share processes, and those that ask for one of their own. A process runs one file to its
 * end before it loads the next. Files of `cases` share the usual sandbox too.
 */
export function shareProcesses(
  files: readonly string[],
  root: string = repositoryRoot,
): { alone: string[]; shared: SharedRun[] } {
  const textOf = (path: string) => readFileSync(join(root, path), 'utf8');
  const alone = files.filter((path) => OWN_PROCESS.test(textOf(path)));
  const kindOf = (path: string) => {
    if (CASE.test(path) && USUAL_SANDBOX.test(textOf(path))) return 'sandbox';
    if (UNIT_TEST.test(path)) return 'unit';
    return path.startsWith('packages/') ? 'package' : 'service';
  };
  const sharing = Object.groupBy(
    files.filter((path) => !alone.includes(path)),
    kindOf,
  );
  const shared = (['service', 'sandbox', 'package', 'unit'] as const).flatMap((kind) =>
    dealt(sharing[kind] ?? [], FILES_OF_A_PROCESS[kind]).map((paths) => ({
      files: paths,
      program: programOf(paths, root, kind === 'sandbox'),
    })),
  );
  return { alone, shared };
}

/** A program that runs each file as a suite. A sandbox that it starts first stays open. */
function programOf(paths: readonly string[], root: string, withSandbox: boolean): string {
  const urlOf = (path: string) => JSON.stringify(pathToFileURL(join(root, path)).href);
  const runner = JSON.stringify(pathToFileURL(join(import.meta.dirname, 'testFile.ts')).href);
  const suites = paths.map((path) => `await runTestFile(${JSON.stringify(path)}, ${urlOf(path)});\n`);
  const opened = withSandbox
    ? `const sandbox = await (await import(${urlOf(SANDBOX_HARNESS)})).startPaymentsTest();\n`
    : '';
  const closed = withSandbox ? 'await sandbox.close();\n' : '';
  return `import { runTestFile } from ${runner};\n${opened}${suites.join('')}${closed}`;
}

/** Deals the files out in turns to as few runs as are needed: neighbours, which are alike in length, come to different runs. */
function dealt(files: readonly string[], most: number): string[][] {
  const count = Math.ceil(files.length / most);
  return Array.from({ length: count }, (_, place) => files.filter((_path, index) => index % count === place));
}
