import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { TEST_CACHE_DIRECTORY } from '@fairway/testing';
import { sql } from 'kysely';
import type { DatabaseConnection } from '../connection/connection.ts';
import { openDatabase } from '../connection/database.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres, startTemporaryPostgres } from './embeddedPostgres.ts';
import { EmbeddedPostgresError } from './embeddedPostgresError.ts';
import { completeSymlinks, locateBinaries } from './postgresBinaries.ts';
import { connectToRunning, processesIn, readPostmaster } from './postgresProcesses.ts';
import { choosePostgresUser, temporaryFolders } from './postgresUser.ts';

const isRoot = process.getuid?.() === 0;
const log = () => {};
let scratch: string;

before(() => {
  // Only its owner may enter it, and for root the owner is root: the strictest place that must work.
  scratch = mkdtempSync(join(tmpdir(), 'fairway-postgres-test-'));
  assert.equal(statSync(scratch).mode & 0o777, 0o700);
});
after(() => rmSync(scratch, { recursive: true, force: true }));

const start = (name: string): Promise<EmbeddedPostgres> =>
  startEmbeddedPostgres({ dataDirectory: join(scratch, name), cacheDirectory: TEST_CACHE_DIRECTORY, log });

async function query<Row>(connection: DatabaseConnection, text: string): Promise<Row[]> {
  const database = openDatabase(connection, log);
  try {
    return (await sql<Row>`${sql.raw(text)}`.execute(database)).rows;
  } finally {
    await database.destroy();
  }
}

async function eventually<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await attempt();
    } catch (cause) {
      if (tries > 400) throw cause;
      await sleep(25);
    }
  }
}

test('the application owns its database, is no superuser, and nobody else can connect', async () => {
  const folders: string[] = [];
  const postgres = await startTemporaryPostgres({
    cacheDirectory: TEST_CACHE_DIRECTORY,
    log,
    onTemporaryFolder: (path) => folders.push(path),
  });
  try {
    const { connection } = postgres;
    assert.equal(folders[1], connection.host);
    assert.deepEqual(
      await query(
        connection,
        `select current_user::text as "user", rolsuper or rolcreaterole or rolcreatedb or rolbypassrls as powerful,
           pg_get_userbyid(datdba)::text as owner, current_setting('listen_addresses') as tcp,
           current_setting('fsync') as fsync, current_setting('synchronous_commit') as commits,
           current_setting('data_checksums') as checksums, current_setting('server_encoding') as encoding
         from pg_roles, pg_database where rolname = current_user and datname = current_database()`,
      ),
      [
        {
          user: 'fairway',
          powerful: false,
          owner: 'fairway',
          tcp: '',
          fsync: 'on',
          commits: 'on',
          checksums: 'on',
          encoding: 'UTF8',
        },
      ],
    );
    await assert.rejects(query({ ...connection, user: 'postgres' }, 'select 1'), /pg_hba.conf rejects/);
    await assert.rejects(query({ ...connection, database: 'template1' }, 'select 1'), /pg_hba.conf rejects/);
    const folder = statSync(connection.host);
    assert.equal(folder.mode & 0o777, 0o700);
    assert.equal(folder.uid, choosePostgresUser()?.uid ?? process.getuid?.());
  } finally {
    await postgres.close();
  }
  for (const path of folders) assert.equal(existsSync(path), false, path);
  assert.equal(postgres.pid(), undefined);
});

test('data below a folder that only its owner can enter is kept across restarts', async () => {
  const first = await start('kept');
  await query(first.connection, 'create table kept as select generate_series(1, 20000) as n');
  await query(first.connection, 'create index on kept (n)');
  await first.close();
  const second = await start('kept');
  try {
    assert.deepEqual(await query(second.connection, 'select count(*)::int as count from kept'), [
      { count: 20_000 },
    ]);
    const user = choosePostgresUser();
    assert.equal(user === undefined, !isRoot);
    const owner = statSync(join(scratch, 'kept')).uid;
    assert.equal(owner, user?.uid ?? process.getuid?.());
    // When we are root, the server runs as a user who cannot even see the folder that it works in.
    if (user !== undefined) {
      const script = `process.setgid(${user.gid}); process.setuid(${user.uid}); require('fs').statSync(process.argv[1])`;
      const see = () =>
        execFileSync(process.execPath, ['-e', script, join(scratch, 'kept')], { stdio: 'pipe' });
      assert.throws(see, /EACCES/);
    }
  } finally {
    await second.close();
  }
});

test('the server does nothing before its guardian knows its process', async () => {
  const dataDirectory = join(scratch, 'announced');
  let before: number[] | undefined;
  const postgres = await startEmbeddedPostgres({
    dataDirectory,
    cacheDirectory: TEST_CACHE_DIRECTORY,
    log,
    onSpawn: () => {
      // This process gets no turn for much longer than the server needs to begin.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
      before = processesIn(dataDirectory);
    },
  });
  try {
    assert.deepEqual(before, []);
    assert.ok(processesIn(dataDirectory).length > 0);
  } finally {
    await postgres.close();
  }
});

test('a killed server comes back at the same socket', async () => {
  const spawned: number[] = [];
  const exited: number[] = [];
  const postgres = await startTemporaryPostgres({
    cacheDirectory: TEST_CACHE_DIRECTORY,
    log,
    onSpawn: (pid) => spawned.push(pid),
    onExit: (pid) => exited.push(pid),
  });
  try {
    await query(postgres.connection, 'create table survivor as select 1 as n');
    const killed = postgres.pid();
    assert.ok(killed !== undefined);
    process.kill(killed, 'SIGKILL');
    const read = () => query(postgres.connection, 'select n from survivor');
    // Wait until the server is gone: otherwise this test would pass without any kill.
    while (postgres.pid() === killed) await sleep(1);
    assert.deepEqual(await eventually(read), [{ n: 1 }]);
    assert.notEqual(postgres.pid(), killed);
    assert.deepEqual(exited, [killed]);
    assert.equal(spawned.length, 2);
  } finally {
    await postgres.close();
  }
  assert.deepEqual(exited, spawned);
});

test('the log says why a server lost its connections, and nothing of what they asked', async () => {
  const logged: string[] = [];
  const postgres = await startTemporaryPostgres({
    cacheDirectory: TEST_CACHE_DIRECTORY,
    log: (message) => logged.push(message),
  });
  try {
    const asked = query(postgres.connection, `select pg_sleep(60), 'what was asked'`);
    const running = `select pid from pg_stat_activity where query like '%pg_sleep(60)%' and pid <> pg_backend_pid()`;
    const found = await eventually(async () => {
      const [sleeping] = await query<{ pid: number }>(postgres.connection, running);
      assert.ok(sleeping);
      return sleeping.pid;
    });
    process.kill(found, 'SIGKILL');
    await assert.rejects(asked);
    await eventually(() => query(postgres.connection, 'select 1'));
    const said = logged.join('\n');
    assert.match(said, new RegExp(`PID ${found}\\) was terminated by signal 9`));
    assert.doesNotMatch(said, /what was asked/);
  } finally {
    await postgres.close();
  }
});

function startOwner(name: string): Promise<ChildProcess> {
  const script = `
    import { startEmbeddedPostgres } from ${JSON.stringify(new URL('./embeddedPostgres.ts', import.meta.url).href)};
    const [dataDirectory, cacheDirectory] = process.argv.slice(1);
    await startEmbeddedPostgres({ dataDirectory, cacheDirectory, log() {} });
    process.stdout.write('ready');`;
  const args = ['--input-type=module', '-e', script, join(scratch, name), TEST_CACHE_DIRECTORY];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  return new Promise((resolve, reject) => {
    child.stdout.once('data', () => resolve(child));
    child.once('exit', (code) => reject(new Error(`the owner ended with ${code}`)));
  });
}

test('another process connects to a running server, and a killed owner blocks nothing', async () => {
  const dataDirectory = join(scratch, 'orphaned');
  assert.equal(connectToRunning(dataDirectory), undefined);
  const owner = await startOwner('orphaned');
  const running = connectToRunning(dataDirectory);
  assert.ok(running !== undefined);
  await query(running, 'create table left_behind as select 7 as n');
  owner.removeAllListeners('exit');
  const ended = new Promise((resolve) => owner.once('exit', resolve));
  owner.kill('SIGKILL');
  await ended;
  const orphan = readPostmaster(dataDirectory)?.pid;
  assert.ok(
    orphan !== undefined && processesIn(dataDirectory).includes(orphan),
    'the postmaster is orphaned',
  );

  const postgres = await start('orphaned');
  try {
    assert.equal(processesIn(dataDirectory).includes(orphan), false);
    assert.equal(existsSync(running.host), false, 'the socket folder of the orphan is gone');
    assert.deepEqual(await query(postgres.connection, 'select n from left_behind'), [{ n: 7 }]);
    assert.deepEqual(connectToRunning(dataDirectory), postgres.connection);
  } finally {
    await postgres.close();
  }
  assert.equal(connectToRunning(dataDirectory), undefined);
});

test('a stale postmaster.pid whose process id is taken by another program blocks nothing', async () => {
  const dataDirectory = join(scratch, 'stale');
  await (await start('stale')).close();
  // The process belongs to the server's user: PostgreSQL would ignore a process of another user.
  const other = spawn('sleep', ['600'], {
    ...choosePostgresUser(),
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
  });
  await new Promise((resolve) => other.once('spawn', resolve));
  const lines = [
    other.pid,
    dataDirectory,
    1,
    5432,
    join(tmpdir(), 'fairway-pg-none'),
    '',
    '1 1',
    'ready   ',
    '',
  ];
  writeFileSync(join(dataDirectory, 'postmaster.pid'), lines.join('\n'));
  assert.equal(connectToRunning(dataDirectory), undefined);
  try {
    const postgres = await start('stale');
    assert.deepEqual(await query(postgres.connection, 'select 1 as n'), [{ n: 1 }]);
    await postgres.close();
  } finally {
    other.kill();
  }
});

test('the programs run from a place where their user can reach them', async () => {
  const real = join((await locateBinaries(undefined, log)).postgres, '../..');
  const packageFolder = join(scratch, 'package');
  const native = join(packageFolder, 'native');
  cpSync(join(real, '..', 'package.json'), join(packageFolder, 'package.json'));
  cpSync(real, native, { recursive: true, verbatimSymlinks: true });
  for (const name of readdirSync(join(native, 'lib'))) {
    const path = join(native, 'lib', name);
    if (lstatSync(path).isSymbolicLink()) rmSync(path);
  }
  const user = choosePostgresUser();
  // Folders of this test's own: servers of other tests may run from the shared copy.
  const parents = [0, 1].map(() => mkdtempSync(join(temporaryFolders(user)[0] ?? '/tmp', 'fairway-copies-')));
  for (const parent of parents) chmodSync(parent, 0o755);
  after(() => parents.forEach((parent) => rmSync(parent, { recursive: true })));
  const locate = () => locateBinaries(user, log, native, parents);
  const found = await locate();
  if (user === undefined) {
    assert.equal(found.postgres, join(native, 'bin/postgres'));
    return;
  }
  const copy = join(found.postgres, '../..');
  assert.equal(found.postgres.startsWith(scratch), false);
  assert.equal(statSync(copy).uid, 0);
  assert.equal(statSync(copy).mode & 0o022, 0);
  // A cleaner of temporary folders may have removed a part of the copy.
  rmSync(join(copy, 'share/postgresql/postgres.bki'));
  await locate();
  assert.ok(existsSync(join(copy, 'share/postgresql/postgres.bki')));
  // A folder that others can write must not be trusted.
  chmodSync(copy, 0o777);
  const other = await locate();
  assert.notEqual(other.postgres, found.postgres);
});

test('missing library links are made, and making them twice is no error', () => {
  const native = join(scratch, 'links');
  mkdirSync(join(native, 'lib'), { recursive: true });
  const links = [{ source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so.5' }];
  writeFileSync(join(native, 'pg-symlinks.json'), JSON.stringify(links));
  writeFileSync(join(native, 'lib/libpq.so.5.18'), 'library');
  completeSymlinks(native);
  completeSymlinks(native);
  assert.equal(readFileSync(join(native, 'lib/libpq.so.5'), 'utf8'), 'library');
});

test('two first starts at once share one new template', async () => {
  const cacheDirectory = join(scratch, 'cache');
  const started = await Promise.all([
    startTemporaryPostgres({ cacheDirectory, log }),
    startTemporaryPostgres({ cacheDirectory, log }),
  ]);
  for (const postgres of started) {
    assert.deepEqual(await query(postgres.connection, 'select 1 as n'), [{ n: 1 }]);
    await postgres.close();
  }
  assert.equal(readdirSync(cacheDirectory).length, 1, 'one template and nothing half made');
});

test('a folder that cannot be used is refused with its name, and stays as it was', async () => {
  const foreign = join(scratch, 'foreign');
  mkdirSync(foreign);
  writeFileSync(join(foreign, 'letter.txt'), 'dear');
  const refused = (message: RegExp) => (cause: unknown) => {
    assert.ok(cause instanceof EmbeddedPostgresError);
    assert.match(cause.message, message);
    return true;
  };
  await assert.rejects(start('foreign'), refused(/foreign holds other files.*--data/));
  assert.equal(readFileSync(join(foreign, 'letter.txt'), 'utf8'), 'dear');
  rmSync(join(foreign, 'letter.txt'));
  writeFileSync(join(foreign, 'PG_VERSION'), '12\n');
  await assert.rejects(start('foreign'), refused(/written by PostgreSQL 12, this is 18/));
  await assert.rejects(start('foreign/PG_VERSION/below'), refused(/cannot be used: .*ENOTDIR/));
});
