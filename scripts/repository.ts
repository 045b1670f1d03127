import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join, sep } from 'node:path';

/** The folder of the root package.json: absolute, without a trailing separator. */
export const repositoryRoot: string = join(import.meta.dirname, '..');

/** Folders that are never part of the tree, also when git knows them. */
const SKIPPED_FOLDERS: ReadonlySet<string> = new Set(['.git', 'node_modules', 'coverage', 'screenshots']);

/**
 * Lists the files of the tree below `root`, relative with forward slashes, sorted: what git tracks or would
 * track. When git is missing, or refuses a checkout that another user owns, the folders are walked instead.
 */
export function treeFiles(root: string = repositoryRoot): string[] {
  return (gitFiles(root) ?? walkedFiles(root)).sort();
}

/** What git tracks or would track below `root`; `undefined` when git cannot say. */
export function gitFiles(root: string): string[] | undefined {
  const arguments_ = ['ls-files', '--cached', '--others', '--exclude-standard', '-z', '--deduplicate'];
  const git = spawnSync('git', arguments_, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  if (git.error !== undefined || git.status !== 0) return undefined;
  return git.stdout.split('\0').filter((path) => path !== '');
}

/** Every file below `root` except in folders that are never part of the tree. */
export function walkedFiles(root: string, folder = ''): string[] {
  const found: string[] = [];
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!SKIPPED_FOLDERS.has(entry.name)) found.push(...walkedFiles(root, path));
    } else if (entry.isFile()) {
      found.push(path.split(sep).join('/'));
    }
  }
  return found;
}
