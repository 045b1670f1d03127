import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { freshFolder } from './processHarness.ts';

const root = join(import.meta.dirname, '../../..');

/** The last released version, and the commit that CHANGELOG.md names for it. */
export function lastRelease(): { readonly version: string; readonly commit: string } {
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  const [, version, commit] = /^## (\d\S*), .*commit ([0-9a-f]{7,40})$/m.exec(changelog) ?? [];
  if (version === undefined || commit === undefined)
    throw new Error('CHANGELOG.md names no released commit.');
  return { version, commit };
}

/** Whether the repository has the commit. A shallow clone lacks it: `git fetch --unshallow` brings it. */
export function hasCommit(commit: string): boolean {
  try {
    execFileSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: root, stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Whether the repository was cloned without its whole history. */
export function isShallow(): boolean {
  const asked = ['rev-parse', '--is-shallow-repository'];
  return execFileSync('git', asked, { cwd: root, encoding: 'utf8' }).trim() === 'true';
}

/**
 * Unpacks the code of a commit into a folder of its own, with its own packages and with today's dependencies. Answers the
 * program of its service.
 */
export function unpack(commit: string): string {
  const folder = freshFolder();
  const archive = execFileSync('git', ['archive', commit, 'apps', 'packages', 'package.json'], {
    cwd: root,
    maxBuffer: 2 ** 28,
  });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, '@fairway'), { recursive: true });
  // Node strips no types below node_modules, but follows links out of it.
  for (const name of readdirSync(join(root, 'node_modules')))
    if (name !== '@fairway') symlinkSync(join(root, 'node_modules', name), join(modules, name));
  for (const name of readdirSync(join(folder, 'packages')))
    symlinkSync(join(folder, 'packages', name), join(modules, '@fairway', name));
  return join(folder, 'apps/service/src/main.ts');
}
