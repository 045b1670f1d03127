import { existsSync } from 'node:fs';
import { join } from 'node:path';
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
