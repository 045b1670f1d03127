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

/** The places of unit tests, which start no database and no chain. */
const UNIT_TEST =
  /^(?:apps\/service\/src|packages\/(?:engine|plan|recipients|wire)|packages\/(?:evm|statements|store|webhooks)\/src|scripts)\//;

/** Code of tests that start programs, or that change what other tests in their process would see. */
const NEEDS_OWN_PROCESS =
  /\b(?:start(?:Test|Sandbox|SwapSandbox|Embedded|Temporary)\w*|spawn|fork|execFile|createServer|registerHooks|mock|beforeEach|afterEach)\b/;

/** The place of tests on one sandbox alone. Files that use it as it is share a process, and so a sandbox. */
const CASE = /^apps\/service\/test\/cases\//;
const USUAL_SANDBOX = /\bstartPaymentsTest\(\);/;

/** Files that share a sandbox: one start serves this many, and none takes so long that the others wait for it. */
const FILES_OF_A_SANDBOX = 5;

/** Several test files for one process, and the program that imports them. */
export type SharedRun = { files: string[]; program: string };

/**
 * Parts test files into those that get a process each and those that share one. At most `count` runs share unit
 * tests, because loading the same modules again takes longer than most of these tests. Tests on the usual sandbox
 * share runs, too.
 */
export function shareProcesses(
  files: readonly string[],
  count: number,
  root: string = repositoryRoot,
): { alone: string[]; shared: SharedRun[] } {
  const textOf = (path: string) => readFileSync(join(root, path), 'utf8');
  const units = files.filter((path) => UNIT_TEST.test(path) && !NEEDS_OWN_PROCESS.test(textOf(path)));
  const onSandbox = files.filter((path) => CASE.test(path) && USUAL_SANDBOX.test(textOf(path)));
  const together = new Set([...units, ...onSandbox]);
  const runOf = (paths: string[], importOf: (url: string) => string): SharedRun => ({
    files: paths,
    program: paths.map((path) => importOf(JSON.stringify(pathToFileURL(join(root, path)).href))).join(''),
  });
  return {
    alone: files.filter((path) => !together.has(path)),
    shared: [
      // All are known before the first test runs: else the hooks that end them could run while the next file is being loaded.
      ...dealt(units, Math.min(count, units.length)).map((paths) =>
        runOf(paths, (url) => `import ${url};\n`),
      ),
      // One after the other, because each begins where the sandbox of the one before is.
      ...dealt(onSandbox, Math.ceil(onSandbox.length / FILES_OF_A_SANDBOX)).map((paths) =>
        runOf(paths, (url) => `await import(${url});\n`),
      ),
    ],
  };
}

/** Deals the files out in turns: neighbours, which are alike in length, come to different runs. */
function dealt(files: readonly string[], count: number): string[][] {
  return Array.from({ length: count }, (_, place) => files.filter((_path, index) => index % count === place));
}
