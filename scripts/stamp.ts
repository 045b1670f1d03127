import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { repositoryRoot, treeFiles } from './repository.ts';

/** A full test run that passed: the tree it ran on (hex SHA-256) and when it ended (ISO 8601). */
export type TestStamp = { tree: string; endedAt: string };

/** Where the stamp lies: outside the tree, gone with the next `npm ci`. */
export const stampPath: string = join(repositoryRoot, 'node_modules/.cache/fairway/test-stamp.json');

/**
 * Hashes everything a test run depends on: the path and content of every file of the tree, and the Node that
 * runs it. Returns hex SHA-256.
 */
export function hashTree(root: string = repositoryRoot): string {
  const hash = createHash('sha256').update(process.version);
  for (const path of treeFiles(root)) {
    const content = contentOf(join(root, path));
    if (content === undefined) continue;
    hash.update(`\0${path}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

/** Reads the stamp of the last full run that passed; `undefined` when there is none, or it cannot be read. */
export function readStamp(path: string = stampPath): TestStamp | undefined {
  try {
    const stamp = JSON.parse(readFileSync(path, 'utf8')) as Partial<TestStamp>;
    if (typeof stamp.tree !== 'string' || typeof stamp.endedAt !== 'string') return undefined;
    return { tree: stamp.tree, endedAt: stamp.endedAt };
  } catch {
    return undefined;
  }
}

/** Writes the stamp of a full run that passed. */
export function writeStamp(stamp: TestStamp, path: string = stampPath): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(stamp)}\n`);
}

/** Forgets the last run, so that a failure is never covered by an older success. */
export function clearStamp(path: string = stampPath): void {
  rmSync(path, { force: true });
}

/** A file git tracks may be deleted in the work tree: then it is not part of the tree. */
function contentOf(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
