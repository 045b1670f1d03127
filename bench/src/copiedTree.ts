import { cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

/** What belongs to one tree alone in npm's node_modules: links to its workspaces, and prepared files. */
const OWN_ENTRIES = new Set(['@fairway', '.cache']);

/**
 * Copies the sources to a new folder with links to the installed packages: a tree in which nothing is prepared yet. The
 * original tree, which other processes may be using, stays as it is. Returns the folder.
 */
export function copyTree(root: string, place: string): string {
  mkdirSync(join(place, 'node_modules', '@fairway'), { recursive: true });
  for (const name of ['package.json', 'apps', 'docs', 'packages']) {
    cpSync(join(root, name), join(place, name), { recursive: true });
  }
  const installed = join(root, 'node_modules');
  for (const entry of readdirSync(installed)) {
    if (!OWN_ENTRIES.has(entry)) symlinkSync(join(installed, entry), join(place, 'node_modules', entry));
  }
  const workspaces = { recursive: true, verbatimSymlinks: true };
  cpSync(join(installed, '@fairway'), join(place, 'node_modules', '@fairway'), workspaces);
  return place;
}
