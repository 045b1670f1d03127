import { accessSync, chmodSync, constants, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where Linux keeps files in memory. */
const MEMORY = '/dev/shm';

/** Ten times what the files of one run take at once. */
const ROOM_BYTES = 2 * 1024 ** 3;

/**
 * Makes a folder for all temporary files of a run of the tests; the caller removes it. It is in memory where there is
 * room, because tests start hundreds of databases that live for seconds. Tests kill processes, and a file in memory outlives its
 * process as a file on a disk does. A folder that TMPDIR names is preferred.
 */
export function makeTemporaryFolder(prefix: string): string {
  const folder = inMemory(prefix) ?? mkdtempSync(join(tmpdir(), prefix));
  // The user that PostgreSQL runs as must be able to pass.
  chmodSync(folder, 0o711);
  return folder;
}

/** A new folder in memory; `undefined` where there is no room for it, or where programs must not run. */
function inMemory(prefix: string): string | undefined {
  if (process.env.TMPDIR !== undefined) return undefined;
  let folder: string | undefined;
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    if (Math.min(bavail * bsize, process.availableMemory()) < ROOM_BYTES) return undefined;
    folder = mkdtempSync(join(MEMORY, prefix));
    const program = join(folder, 'program');
    writeFileSync(program, '', { mode: 0o700 });
    accessSync(program, constants.X_OK);
    rmSync(program);
    return folder;
  } catch {
    if (folder !== undefined) rmSync(folder, { recursive: true });
    return undefined;
  }
}
