import { type SpawnOptions, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { chownSync, lstatSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { chmod, cp, mkdir, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { EmbeddedPostgresError, reasonOf } from './embeddedPostgresError.ts';
import type { PostgresBinaries } from './postgresBinaries.ts';
import { SERVICE_ROLE } from './postgresProcesses.ts';
import type { PostgresUser } from './postgresUser.ts';

const MAJOR_VERSION = '18';

/** What is needed to make a data folder. `cacheDirectory` keeps an initialised template between starts. */
export type DataDirectoryOptions = {
  dataDirectory: string;
  cacheDirectory?: string | undefined;
  binaries: PostgresBinaries;
  user: PostgresUser | undefined;
  log: (message: string) => void;
};

/**
 * Makes sure that the folder is a data folder of our PostgreSQL, owned by the user that runs PostgreSQL. Answers
 * whether the folder was made just now: then its files may still be in the system's cache, and `syncFolder` writes them
 * to disk. Two processes may do this at once. Throws EmbeddedPostgresError for a folder that cannot be used.
 */
export async function prepareDataDirectory(options: DataDirectoryOptions): Promise<'MADE' | 'FOUND'> {
  const { dataDirectory, user } = options;
  try {
    if (isDataDirectory(dataDirectory)) {
      if (user !== undefined && lstatSync(dataDirectory).uid !== user.uid) giveTo(dataDirectory, user);
      return 'FOUND';
    }
    await mkdir(dirname(dataDirectory), { recursive: true });
    await removeAbandonedStaging(dataDirectory);
    return await makeInPlace(dataDirectory, (staging) => fill(staging, options));
  } catch (cause) {
    if (cause instanceof EmbeddedPostgresError) throw cause;
    throw new EmbeddedPostgresError(
      `The database folder ${dataDirectory} cannot be used: ${reasonOf(cause)}. ` +
        'Choose a folder that you may write (--data), or set DATABASE_URL.',
      { cause },
    );
  }
}

/**
 * The name of the data folder for a PostgreSQL program that is started inside the folder. The link /proc/self/cwd needs
 * no right to enter the folders above, and the user that runs the program may have no such right.
 */
export function dataArgument(dataDirectory: string, user: PostgresUser | undefined): string {
  return user !== undefined && process.platform === 'linux' ? '/proc/self/cwd' : dataDirectory;
}

/** Writes a folder's files to the disk, so that a power failure cannot destroy a copy that was just made. */
export async function syncFolder(folder: string): Promise<void> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile() || entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name));
  for (const path of [...paths, folder, dirname(folder)]) {
    const handle = await open(path, 'r').catch(() => undefined);
    if (handle === undefined) continue; // the running server removes files of its own
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  }
}

function isDataDirectory(folder: string): boolean {
  const entries = lstatSync(folder, { throwIfNoEntry: false }) === undefined ? [] : readdirSync(folder);
  if (entries.length === 0) return false;
  if (!entries.includes('PG_VERSION')) {
    throw new EmbeddedPostgresError(
      `The database folder ${folder} holds other files. Choose an empty or new folder (--data).`,
    );
  }
  const version = readFileSync(join(folder, 'PG_VERSION'), 'utf8').trim();
  if (version === MAJOR_VERSION) return true;
  throw new EmbeddedPostgresError(
    `The database folder ${folder} was written by PostgreSQL ${version}, this is ${MAJOR_VERSION}. ` +
      'Dump it with the version that wrote it and load the dump, or choose a new folder (--data).',
  );
}

/** Fills a folder beside the wanted one and then renames it, so that nobody ever finds a folder that is half filled. */
async function makeInPlace(
  folder: string,
  fillStaging: (staging: string) => Promise<void>,
): Promise<'MADE' | 'FOUND'> {
  const staging = `${folder}.new-${process.pid}-${randomBytes(4).toString('hex')}`;
  try {
    await mkdir(staging, { mode: 0o700 });
    await fillStaging(staging);
    await rename(staging, folder);
    return 'MADE';
  } catch (cause) {
    await rm(staging, { recursive: true, force: true });
    const { code } = cause as NodeJS.ErrnoException;
    if ((code === 'ENOTEMPTY' || code === 'EEXIST') && isDataDirectory(folder)) return 'FOUND';
    throw cause;
  }
}

async function removeAbandonedStaging(folder: string): Promise<void> {
  const prefix = `${basename(folder)}.new-`;
  for (const name of readdirSync(dirname(folder))) {
    const pid = name.startsWith(prefix) ? Number(name.slice(prefix.length).split('-')[0]) : Number.NaN;
    if (!Number.isInteger(pid) || isAlive(pid)) continue;
    await rm(join(dirname(folder), name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function fill(staging: string, options: DataDirectoryOptions): Promise<void> {
  const template = await ensureTemplate(options);
  if (template === undefined) await initialise(staging, options);
  else await cp(template, staging, { recursive: true });
  await chmod(staging, 0o700);
  if (options.user !== undefined) giveTo(staging, options.user);
}

async function ensureTemplate(options: DataDirectoryOptions): Promise<string | undefined> {
  const { cacheDirectory, binaries, log } = options;
  if (cacheDirectory === undefined) return undefined;
  const self = process.getuid?.() ?? 0;
  const template = join(cacheDirectory, `postgres-${binaries.packageVersion}-${SET_UP_DIGEST}-${self}`);
  try {
    await mkdir(cacheDirectory, { recursive: true });
    if (lstatSync(template, { throwIfNoEntry: false }) === undefined) {
      await removeAbandonedStaging(template);
      await makeInPlace(template, async (staging) => {
        await initialise(staging, options);
        // Root must not trust a template that PostgreSQL's user can write.
        giveTo(staging, { uid: self, gid: process.getgid?.() ?? 0 });
      });
    }
    if (lstatSync(template).uid !== self) throw new Error('it belongs to another user');
    return template;
  } catch (cause) {
    log(`no database template in ${cacheDirectory}, starting takes longer: ${reasonOf(cause)}`);
    return undefined;
  }
}

/** Runs initdb, then makes the application's role and database without ever opening a socket. */
async function initialise(folder: string, { binaries, user }: DataDirectoryOptions): Promise<void> {
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  const data = dataArgument(folder, user);
  const place = { cwd: folder, user };
  await runToEnd(binaries.initdb, [...INITDB_ARGUMENTS, '-D', data], '', place);
  const single = ['--single', '-D', data, '-c', 'fsync=off', '-c', 'exit_on_error=on', 'template1'];
  await runToEnd(binaries.postgres, single, SET_UP_SQL, place);
  writeFileSync(join(folder, 'pg_hba.conf'), ACCESS_RULES);
}

const INITDB_ARGUMENTS = [
  '--username=postgres',
  '--encoding=UTF8',
  '--locale=C',
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
  '--data-checksums',
  '--wal-segsize=1', // otherwise a new folder is 16 MB larger, and every first start copies that
  '--auth=trust',
  '--no-sync', // syncFolder writes the folders that are kept to the disk
  '--no-instructions',
];

// One query on each line: in single-user mode a query ends at the end of its line.
const SET_UP_SQL = [
  `CREATE ROLE ${SERVICE_ROLE} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS;`,
  `ALTER DATABASE postgres RENAME TO ${SERVICE_ROLE};`,
  `ALTER DATABASE ${SERVICE_ROLE} OWNER TO ${SERVICE_ROLE};`,
  `REVOKE ALL ON DATABASE ${SERVICE_ROLE} FROM PUBLIC;`,
  '',
].join('\n');

// No password: only the server's own user and root can enter the folder that holds the socket. Nobody can connect as a
// superuser, which is needed for the set-up alone.
const ACCESS_RULES = `local ${SERVICE_ROLE} ${SERVICE_ROLE} trust\nlocal all all reject\n`;

/** Part of the template's name, so that a template made by other rules is never used again. */
const SET_UP_DIGEST = createHash('sha256')
  .update(JSON.stringify([INITDB_ARGUMENTS, SET_UP_SQL, ACCESS_RULES]))
  .digest('hex')
  .slice(0, 12);

type Place = { cwd: string; user: PostgresUser | undefined };

async function runToEnd(program: string, args: string[], input: string, place: Place): Promise<void> {
  const child = spawn(program, args, { ...postgresIdentity(place), stdio: 'pipe' });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += String(chunk)));
  child.stdin?.on('error', () => {}); // the exit code says that a program ended early
  child.stdin?.end(input);
  await new Promise<void>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (code === 0) resolve();
      else
        reject(
          new Error(`${basename(program)} ended with ${code ?? signal}: ${output.trim().slice(-2_000)}`),
        );
    });
  });
}

/**
 * How PostgreSQL's programs run: inside a data folder, as the given user, and in a session of their own. Otherwise a
 * Ctrl-C for the service would shut the database down while the service still needs it.
 */
export function postgresIdentity({ cwd, user }: Place): SpawnOptions {
  const identity = user === undefined ? {} : { uid: user.uid, gid: user.gid };
  const env = { LC_ALL: 'C', TZ: 'UTC', PATH: '/usr/bin:/bin' };
  return { ...identity, cwd, env, detached: true };
}

/** Makes the user the owner of the folder and of everything in it; links are not followed. */
function giveTo(folder: string, { uid, gid }: { uid: number; gid: number }): void {
  if (process.getuid?.() !== 0) return;
  chownSync(folder, uid, gid);
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile() || entry.isDirectory()) chownSync(join(entry.parentPath, entry.name), uid, gid);
  }
}
