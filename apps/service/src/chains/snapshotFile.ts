import { createHash, type Hash, subtle } from 'node:crypto';
import { type FileHandle, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { SnapshotStore, StoredSnapshot } from '@fairway/evm';

/** Every version ends in this many bytes: the SHA-256 of all before them. */
const checksumBytes = 32;

/**
 * Keeps a snapshot in a file, readable by its owner alone. A crash at any moment leaves the previous snapshot or the
 * new one, whole; whatever else is found there is told apart by the checksum.
 */
export function snapshotFile(path: string): SnapshotStore {
  return {
    read: () => read(path),
    async save(pieces) {
      const unfinished = `${path}.new`;
      await rm(unfinished, { force: true });
      try {
        await write(unfinished, pieces);
        await rename(unfinished, path);
      } catch (error) {
        await rm(unfinished, { force: true }).catch(() => undefined);
        throw error;
      }
      await syncFolder(dirname(path));
    },
  };
}

async function read(path: string): Promise<StoredSnapshot> {
  try {
    // Opening anything else, such as a pipe, may wait for ever.
    if (!(await stat(path)).isFile()) return { state: 'UNUSABLE', detail: 'it is not a file' };
    const content = await readFile(path);
    const bytes = content.subarray(0, Math.max(0, content.length - checksumBytes));
    // Not createHash: this one computes beside the event loop.
    const checksum = new Uint8Array(await subtle.digest('SHA-256', bytes));
    const isWhole = Buffer.compare(content.subarray(bytes.length), checksum) === 0;
    return isWhole
      ? { state: 'READ', bytes }
      : { state: 'UNUSABLE', detail: 'it is damaged or cut off: its checksum does not match' };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { state: 'ABSENT' };
    return { state: 'UNUSABLE', detail: `it cannot be read: ${(error as Error).message}` };
  }
}

async function write(path: string, pieces: Iterable<Uint8Array>): Promise<void> {
  // The file must not be there: nobody's link is followed.
  const file = await open(path, 'wx', 0o600);
  try {
    await writePieces(file, pieces, createHash('sha256'));
    await file.sync();
  } finally {
    await file.close();
  }
}

/** One piece after the other, each made only when the one before is written: that is when other work has its turn. */
async function writePieces(file: FileHandle, pieces: Iterable<Uint8Array>, hash: Hash): Promise<void> {
  for (const piece of pieces) {
    hash.update(piece);
    await file.writeFile(piece);
  }
  await file.writeFile(hash.digest());
}

/** Makes the new name last through a power cut. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
