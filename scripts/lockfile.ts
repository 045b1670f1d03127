/** One entry of package-lock.json's `packages` map; fields this repository does not touch pass through. */
export type LockEntry = {
  version?: string;
  resolved?: string;
  integrity?: string;
  link?: boolean;
  inBundle?: boolean;
  engines?: unknown;
  optional?: boolean;
  os?: readonly string[];
  cpu?: readonly string[];
  libc?: readonly string[];
  dependencies?: Readonly<Record<string, string>>;
  devDependencies?: Readonly<Record<string, string>>;
  optionalDependencies?: Readonly<Record<string, string>>;
};

/** The `packages` map of package-lock.json: install path (`''` is the root) to entry. */
export type LockPackages = Record<string, LockEntry>;

/** The platform a package is built for, in the words of npm's `os`, `cpu` and `libc` fields. */
export type Platform = { os: string; cpu: string; libc?: 'glibc' | 'musl' };

/** A platform package that npm left out of the lockfile: where it would be installed, and as what. */
export type MissingPlatformPackage = { path: string; name: string; version: string };

const OS_WORDS: Readonly<Record<string, string>> = {
  aix: 'aix',
  android: 'android',
  darwin: 'darwin',
  freebsd: 'freebsd',
  linux: 'linux',
  netbsd: 'netbsd',
  openbsd: 'openbsd',
  openharmony: 'openharmony',
  sunos: 'sunos',
  win32: 'win32',
  windows: 'win32',
};

const CPU_WORDS: Readonly<Record<string, string>> = {
  amd64: 'x64',
  arm: 'arm',
  arm64: 'arm64',
  ia32: 'ia32',
  loong64: 'loong64',
  mips64el: 'mips64el',
  ppc64: 'ppc64',
  riscv64: 'riscv64',
  s390x: 's390x',
  x64: 'x64',
};

const LIBC_WORDS: Readonly<Record<string, 'glibc' | 'musl'>> = {
  gnu: 'glibc',
  gnueabihf: 'glibc',
  musl: 'musl',
  musleabihf: 'musl',
};

/**
 * Reads the platform from a package name's conventional suffix: `@oxlint/binding-linux-arm-musleabihf` is
 * linux, arm, musl. `undefined` when the name does not say an operating system and a processor.
 */
export function platformFromName(name: string): Platform | undefined {
  const words = name.split(/[/-]/);
  const osAt = words.findLastIndex((word) => Object.hasOwn(OS_WORDS, word));
  const os = OS_WORDS[words[osAt] ?? ''];
  const cpu = CPU_WORDS[words[osAt + 1] ?? ''];
  if (os === undefined || cpu === undefined) return undefined;
  const libc = os === 'linux' ? LIBC_WORDS[words[osAt + 2] ?? ''] : undefined;
  return libc === undefined ? { os, cpu } : { os, cpu, libc };
}

/** Lists every optional dependency that some locked package names and no entry satisfies, in lockfile order. */
export function missingPlatformPackages(packages: LockPackages): MissingPlatformPackage[] {
  const missing = new Map<string, MissingPlatformPackage>();
  for (const [parent, entry] of Object.entries(packages)) {
    for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
      if (installPaths(parent, name).some((path) => packages[path] !== undefined)) continue;
      const top = `node_modules/${name}`;
      const taken = missing.get(top);
      const path = taken !== undefined && taken.version !== version ? `${parent}/${top}` : top;
      missing.set(path, { path, name, version });
    }
  }
  return [...missing.values()];
}

/**
 * Returns the map as this repository commits it: an entry for every optional platform package, and no such entry that
 * nothing asks for any more. It has no registry addresses and no engines, and is sorted as npm sorts it. Throws when
 * a missing package's version is not exact or its name does not say its platform: that needs a person.
 */
export function completePackages(packages: LockPackages): LockPackages {
  const kept: LockPackages = {};
  for (const [path, entry] of Object.entries(packages)) {
    if (isBareEntry(path, entry) && entry.optional === true) continue;
    kept[path] = path.includes('node_modules/') ? withoutDistractions(entry) : entry;
  }
  for (const { path, name, version } of missingPlatformPackages(kept)) {
    const platform = platformFromName(name);
    if (platform === undefined) throw new Error(`${name} is not in the lockfile and names no platform`);
    if (!isExactVersion(version))
      throw new Error(`${name} is not in the lockfile and ${version} is no exact version`);
    const libc = platform.libc === undefined ? {} : { libc: [platform.libc] };
    kept[path] = { version, cpu: [platform.cpu], ...libc, optional: true, os: [platform.os] };
  }
  const inOrder = Object.entries(kept).sort(([a], [b]) => a.localeCompare(b, 'en'));
  return Object.fromEntries(inOrder);
}

/** True for an entry that npm cannot verify: a package from the registry without an integrity. */
export function isBareEntry(path: string, entry: LockEntry): boolean {
  return (
    path.includes('node_modules/') &&
    entry.link !== true &&
    entry.inBundle !== true &&
    entry.integrity === undefined
  );
}

/** True for `1.2.3` and `1.2.3-beta.4`; false for ranges, tags and addresses. */
export function isExactVersion(version: string): boolean {
  return /^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/.test(version);
}

/**
 * Drops the registry's address, and `engines`. The packages run on the locked Node 26, also when another Node runs
 * npm. With `engines`, npm would warn about them or silently leave an optional one out.
 */
function withoutDistractions(entry: LockEntry): LockEntry {
  const { resolved, engines: _ofTheInstaller, ...rest } = entry;
  return entry.link === true && resolved !== undefined ? { resolved, ...rest } : rest;
}

/** Where Node looks for `name` from the package at `parent`, nearest first. */
function installPaths(parent: string, name: string): string[] {
  const paths: string[] = [];
  let folder = parent;
  while (folder !== '') {
    paths.push(`${folder}/node_modules/${name}`);
    const at = folder.lastIndexOf('/node_modules/');
    folder = at === -1 ? '' : folder.slice(0, at);
  }
  paths.push(`node_modules/${name}`);
  return paths;
}
