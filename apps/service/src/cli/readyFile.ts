import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { ConfigError } from '../platform/config/error.ts';
import type { RunningService } from '../run.ts';
import type { RunningClientNode } from './clientNode.ts';

/** The file that tells other programs that the service answers, and at which address. */
export type ReadyFile = {
  /** Writes the file beside its final path and then moves it there, so that readers see the whole file or none. */
  write(service: RunningService, clientNode?: RunningClientNode): void;
  /** Removes the file, unless another service has written to its path since. */
  remove(): void;
};

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no folder',
  ENOTDIR: 'this is no folder:',
  EACCES: 'this user may not write to',
  EROFS: 'this is read-only:',
};

/**
 * Makes sure, before anything is started, that the file can be written. Removes the file of an earlier start, because
 * it names an address where nobody listens.
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
    const why = REASONS[code];
    throw new ConfigError([
      `--ready-file ${path}: cannot be written: ${why === undefined ? message : `${why} ${dirname(path)}`}.`,
    ]);
  }
  let written: string | undefined;
  return {
    write({ url, demo }, clientNode) {
      written = `${JSON.stringify({ url, ...demo, clientNode }, null, 2)}\n`;
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
