import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ConfigError } from './error.ts';

/** Where the embedded database lives inside a data folder. */
export function databaseFolder(dataDirectory: string): string {
  return join(dataDirectory, 'postgres');
}

/** Where the sandbox chain lives inside a data folder. */
export function chainFolder(dataDirectory: string): string {
  return join(dataDirectory, 'chain');
}

/** The file that names the demo credential, so that the next start can revoke it if this process is killed. */
export function demoFile(dataDirectory: string): string {
  return join(dataDirectory, 'demo.json');
}

/** Where a chain's market is kept between runs. */
export function marketFile(dataDirectory: string, chainId: number): string {
  return join(dataDirectory, `market-${chainId}.snapshot`);
}

/** Beginnings of the names that Fairway gives in a data folder, also to unfinished files. */
const OWN_NAMES = ['audit.log', 'chain', 'market-', 'postgres', 'owner.json', 'demo.json'];

/**
 * Makes the data folder where there is none.
 * @throws ConfigError when the path is no folder, holds only files that are not Fairway's, or cannot be made.
 */
export function prepareDataFolder(dataDirectory: string): void {
  const found = statSync(dataDirectory, { throwIfNoEntry: false });
  if (found !== undefined && !found.isDirectory()) {
    throw new ConfigError([`--data ${dataDirectory}: this is a file; give a folder.`]);
  }
  try {
    if (found === undefined) makeFolder(dataDirectory);
    const entries = readdirSync(dataDirectory);
    if (entries.length === 0 || entries.some((entry) => OWN_NAMES.some((name) => entry.startsWith(name))))
      return;
  } catch (error) {
    throw new ConfigError([`--data ${dataDirectory}: cannot be used: ${(error as Error).message}`]);
  }
  throw new ConfigError([
    `--data ${dataDirectory}: this folder holds other files; give an empty one, or one that Fairway made.`,
  ]);
}

/** Makes a folder and its parents one by one: Node's recursive mkdir never ends on file systems like /proc. */
function makeFolder(folder: string): void {
  const parent = dirname(folder);
  if (statSync(parent, { throwIfNoEntry: false }) === undefined) makeFolder(parent);
  try {
    mkdirSync(folder);
  } catch (error) {
    // Another process has made the folder in the meantime.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
