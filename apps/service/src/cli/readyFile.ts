import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { ConfigError } from '../config/configError.ts';
import type { RunningService } from '../run.ts';

/** The file that tells others that the service answers, and where. */
export type ReadyFile = {
  /** Readers see the whole file or none: it is written beside its place and moved there. */
  write(service: RunningService): void;
  /** Removes what `write` wrote, unless another service has written there since. */
  remove(): void;
};

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no folder',
  ENOTDIR: 'this is no folder:',
  EACCES: 'this user may not write to',
  EROFS: 'this is read-only:',
};

/**
 * Makes sure, before anything is started, that the file can be written, and removes that of an earlier start: it
 * would tell a waiting reader an address where nobody listens.
 * @throws ConfigError
 */
export function prepareReadyFile(path: string): ReadyFile {
  const partial = `${path}.${process.pid}.partial`;
  try {
    writeFileSync(partial, '', { mode: 0o600 });
    rmSync(partial);
    rmSync(path, { force: true });
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    const why = reasons[code];
    throw new ConfigError([
      `--ready-file ${path}: cannot be written: ${why === undefined ? message : `${why} ${dirname(path)}`}.`,
    ]);
  }
  let written: string | undefined;
  return {
    write({ url, demo }) {
      written = `${JSON.stringify({ url, ...demo }, null, 2)}\n`;
      writeFileSync(partial, written, { mode: 0o600 });
      renameSync(partial, path);
    },
    remove() {
      if (written !== undefined && textOf(path) === written) rmSync(path, { force: true });
    },
  };
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
