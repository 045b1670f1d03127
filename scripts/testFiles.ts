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
  /^(?:apps\/service\/src|packages\/(?:engine|plan|recipients|wire)|packages\/evm\/src|scripts)\//;

/** Code of tests that start programs, or that change what other tests in their process would see. */
const NEEDS_OWN_PROCESS =
  /\b(?:start(?:Test|Sandbox|Embedded|Temporary)\w*|spawn|fork|execFile|createServer|registerHooks|mock|beforeEach|afterEach)\b/;

/** Several test files for one process, and the program that imports one after the other. */
export type SharedRun = { files: string[]; program: string };

/**
 * Parts test files into those that get a process each and at most `count` runs of unit tests that share one:
 * loading the same modules again takes longer than most of these tests.
 */
export function shareProcesses(
  files: readonly string[],
  count: number,
  root: string = repositoryRoot,
): { alone: string[]; shared: SharedRun[] } {
  const isUnitTest = (path: string) =>
    UNIT_TEST.test(path) && !NEEDS_OWN_PROCESS.test(readFileSync(join(root, path), 'utf8'));
  const units = files.filter(isUnitTest);
  const runs = Array.from({ length: Math.min(count, units.length) }, (_, place) =>
    units.filter((_path, index) => index % count === place),
  );
  return {
    alone: files.filter((path) => !units.includes(path)),
    shared: runs.map((paths) => ({
      files: paths,
      program: paths.map((path) => importOf(join(root, path))).join(''),
    })),
  };
}

function importOf(path: string): string {
  return `await import(${JSON.stringify(pathToFileURL(path).href)});\n`;
}
