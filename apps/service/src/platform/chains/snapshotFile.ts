import { createHash, type Hash, subtle } from 'node:crypto';
import { type FileHandle, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { SnapshotStore, StoredSnapshot } from '@fairway/evm';

/** Every version of the format ends with the SHA-256 of all bytes before it; this is its length. */
const CHECKSUM_BYTES = 32;

/**
 * Keeps a snapshot in a file that only its owner can read. A crash at any moment leaves either the previous snapshot
 * or the new one, whole; the checksum detects any other content.
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
    // Opening something other than a file, such as a pipe, may wait for ever.
    if (!(await stat(path)).isFile()) return { state: 'UNUSABLE', detail: 'it is not a file' };
    const content = await readFile(path);
    const bytes = content.subarray(0, Math.max(0, content.length - CHECKSUM_BYTES));
    // Not createHash, because `subtle` computes outside the event loop.
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
  // Fails if the path exists, so that no link is followed.
  const file = await open(path, 'wx', 0o600);
  try {
    await writePieces(file, pieces, createHash('sha256'));
    await file.sync();
  } finally {
    await file.close();
  }
}

/**
 * Writes one piece after the other. A piece is made only when the previous one is written, so that other work can run
 * in between.
 */
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
