import { constants, type Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { type KeyOutcome, unusable } from './keySource.ts';

/** Forbidden access to the file: reading or changing it as another user, or changing it as the group. */
const FORBIDDEN_MODE = 0o027;
const LONGEST_FILE = 4096;

/** Reads a file of 64 hexadecimal digits, which others must not be able to read. */
export async function readKeyFile(id: string, path: string): Promise<KeyOutcome> {
  const read = await readSmallFile(path, (stats) =>
    (stats.mode & FORBIDDEN_MODE) === 0
      ? undefined
      : `${path} can be read by other users or changed by its group; run: chmod 0400 ${path}`,
  );
  if (!read.ok) return unusable(id, read.detail);
  const digits = read.text.trim();
  if (!/^[0-9a-fA-F]{64}$/.test(digits)) {
    return unusable(id, `${path} must hold 32 bytes as 64 hexadecimal digits (openssl rand -hex 32).`);
  }
  return { ok: true, key: { id, key: Buffer.from(digits, 'hex') } };
}

/** The text of a file, or why it cannot be read. */
export type SmallFile =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly detail: string };

/** Reads a regular file of at most 4 KB. `refuse` says what is wrong with the opened file; undefined: nothing. */
export async function readSmallFile(
  path: string,
  refuse: (stats: Stats) => string | undefined,
): Promise<SmallFile> {
  let file: FileHandle;
  try {
    // A pipe would wait for its writer without O_NONBLOCK.
    file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (cause) {
    return { ok: false, detail: openFault(path, cause) };
  }
  try {
    // The opened file is asked, not the path, which could name another file by now.
    const stats = await file.stat();
    if (!stats.isFile()) return { ok: false, detail: `${path} is not a file.` };
    const detail = refuse(stats);
    if (detail !== undefined) return { ok: false, detail };
    if (stats.size > LONGEST_FILE)
      return { ok: false, detail: `${path} is longer than ${LONGEST_FILE} bytes.` };
    return { ok: true, text: await file.readFile('utf8') };
  } finally {
    await file.close();
  }
}

function openFault(path: string, cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
  if (code === 'ENOENT') return `there is no file ${path}.`;
  if (code === 'EACCES') return `this user must not read ${path}; make it the file's owner.`;
  return `${path} cannot be opened (${code}).`;
}
