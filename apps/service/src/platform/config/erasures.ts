import { join, resolve, sep } from 'node:path';
import { ConfigError } from './error.ts';

/**
 * Reads where the file of erasures is; undefined where none is named.
 * @throws ConfigError for a file in the data folder, with which it would be put back.
 */
export function readErasureLog(
  named: string | undefined,
  dataDirectory: string | undefined,
): string | undefined {
  if (named === undefined) return undefined;
  const file = resolve(named);
  if (dataDirectory === undefined || !file.startsWith(join(dataDirectory, sep))) return file;
  throw new ConfigError([
    `--erasure-log ${named}: is in the data folder, with which it would be put back after a restore. Give a file beside that folder.`,
  ]);
}

/** What is missing for recipients to be erased for good; each sentence names the remedy. */
export function erasureWarnings(config: {
  readonly environment: 'sandbox' | 'production';
  readonly payments?: object;
  readonly erasureLog?: string;
}): readonly string[] {
  if (config.environment !== 'production' || config.payments === undefined) return [];
  if (config.erasureLog !== undefined) return [];
  return ['No file of erasures is kept, so recipients cannot be erased: give --erasure-log FILE.'];
}
