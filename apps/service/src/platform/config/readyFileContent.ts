import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { ConfigError } from './error.ts';

/** What the ready file of a running service says; each member may be missing. */
export type ReadyFileContent = {
  readonly url?: unknown;
  readonly username?: unknown;
  readonly password?: unknown;
  readonly rpcUrl?: unknown;
};

/** Reads the file that a service writes when it is ready. @throws ConfigError */
export function readReadyFile(path: string): ReadyFileContent {
  try {
    return (JSON.parse(readFileSync(resolve(path), 'utf8')) as ReadyFileContent | null) ?? {};
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw new ConfigError([
      missing
        ? `--ready-file ${path}: there is no such file; a sandbox writes it when it is ready and removes it when it ends.`
        : `--ready-file ${path}: cannot be read: ${(error as Error).message}`,
    ]);
  }
}
