/**
 * `npm run lock`: brings package-lock.json up to date with the package.json files.
 *
 * npm drops optional packages from the lockfile that its registry does not offer or that are for other
 * platforms, and `npm ci` then refuses the lockfile. This adds them back, by name, version and platform.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { completePackages, isBareEntry, type LockPackages } from './lockfile.ts';
import { repositoryRoot } from './repository.ts';

const lockPath = join(repositoryRoot, 'package-lock.json');

const npm = spawnSync('npm', ['install', '--package-lock-only'], {
  cwd: repositoryRoot,
  stdio: 'inherit',
  shell: process.platform === 'win32',
});
if (npm.status !== 0) {
  console.error('npm could not resolve the dependencies: package-lock.json is as npm left it.');
  process.exit(npm.status ?? 1);
}

const lock = JSON.parse(readFileSync(lockPath, 'utf8')) as { packages: LockPackages };
lock.packages = completePackages(lock.packages);
writeFileSync(lockPath, `${JSON.stringify(lock, null, 2)}\n`);

const bareCount = Object.entries(lock.packages).filter(([path, entry]) => isBareEntry(path, entry)).length;
console.log(
  `package-lock.json: ${Object.keys(lock.packages).length} entries, ${bareCount} of other platforms.`,
);
