import { createReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';
import { readLine } from './line.ts';

/** The lines of a log file, which may be compressed with gzip. Throws the errors of the file system. */
export async function* auditLines(file: string): AsyncGenerator<string> {
  const stored = createReadStream(file);
  const bytes = file.endsWith('.gz') ? stored.compose(createGunzip()) : stored;
  let rest = '';
  for await (const text of bytes.setEncoding('utf8')) {
    const lines = `${rest}${String(text)}`.split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}

/**
 * Whether a chain of the file was written with another key. False for a file that cannot be read: the caller opens the
 * file next, and this fails with the reason.
 */
export async function hasOtherKey(file: string, keyId: string): Promise<boolean> {
  try {
    for await (const text of auditLines(file)) if ((readLine(text)?.key ?? keyId) !== keyId) return true;
  } catch {
    return false;
  }
  return false;
}
