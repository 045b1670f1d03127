import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@fairway/postgres';
import { startGuardian } from '@fairway/processes';
import { TEST_CACHE_DIRECTORY } from '@fairway/testing';
import { Client } from 'pg';
import { urlOf } from './paymentCalls.ts';
import { runFairway } from './commandHarness.ts';

/** A database whose folder a test can copy. */
export type CopiedDatabase = {
  readonly postgres: EmbeddedPostgres;
  readonly url: string;
  /** The folder of its files. */
  readonly data: string;
};

/** What a backup restores, as often as it is asked to. */
export type Backup = { restore(): Promise<CopiedDatabase> };

const folders: string[] = [];
const running: EmbeddedPostgres[] = [];
/** Ends what `endDatabases` could not, because this process was killed or ended by an error. */
const guardian = await startGuardian();

/** A folder that the database may read and write, whoever runs it. */
function openFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'fairway-restore-'));
  chmodSync(folder, 0o777);
  folders.push(folder);
  guardian.removeAtEnd(folder);
  return folder;
}

/** Starts a database on a folder, which may be a copy of another one's. */
export async function startOn(data: string = join(openFolder(), 'data')): Promise<CopiedDatabase> {
  const options = {
    dataDirectory: data,
    cacheDirectory: TEST_CACHE_DIRECTORY,
    // Says why a database was lost in the middle of a test.
    log: (message: string) => console.error(`${data}: ${message}`),
    onSpawn: (pid: number) => guardian.watch(pid, 'SIGINT'),
    onExit: guardian.unwatch,
  };
  const postgres = await startEmbeddedPostgres(options);
  running.push(postgres);
  // Backups are made by the superuser, who is otherwise not let in.
  writeFileSync(join(data, 'pg_hba.conf'), 'local all all trust\n');
  process.kill(postgres.pid() ?? 0, 'SIGHUP');
  return { postgres, url: urlOf(postgres.connection), data };
}

/** Ends the databases of this file's tests and removes their folders. */
export async function endDatabases(): Promise<void> {
  await Promise.all(running.map((postgres) => postgres.close()));
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

async function withClient<T>({ postgres }: CopiedDatabase, use: (client: Client) => Promise<T>): Promise<T> {
  const client = await superuserOf(postgres);
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

/** Connects as soon as the server has read who is let in. */
async function superuserOf({ connection }: EmbeddedPostgres): Promise<Client> {
  for (let tries = 1; ; tries += 1) {
    const client = new Client({ ...connection, user: 'postgres' });
    try {
      await client.connect();
      return client;
    } catch (error) {
      if (tries === 200) throw error;
      await sleep(25);
    }
  }
}

/** Copies files that others write meanwhile. A file may be gone before it is copied: recovery needs none of those. */
function copyWhileWritten(from: string, to: string): void {
  const { stderr } = spawnSync('cp', ['-a', from, to], { encoding: 'utf8' });
  const faults = stderr
    .split('\n')
    .filter((line) => line !== '' && !line.endsWith('No such file or directory'));
  if (faults.length > 0) throw new Error(faults.join('\n'));
}

/** A backup of the files while the database is written to, with the log of what was written meanwhile. */
export async function backUpFiles(database: CopiedDatabase): Promise<Backup> {
  const kept = join(openFolder(), 'data');
  await withClient(database, async (client) => {
    await client.query(`select pg_backup_start('test', true)`);
    copyWhileWritten(database.data, kept);
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)');
    writeFileSync(join(kept, 'backup_label'), rows[0]?.labelfile ?? '');
    const { uid, gid } = statSync(kept);
    chownSync(join(kept, 'backup_label'), uid, gid);
    rmSync(join(kept, 'pg_wal'), { recursive: true, force: true });
    copyWhileWritten(join(database.data, 'pg_wal'), kept);
    rmSync(join(kept, 'postmaster.pid'), { force: true });
  });
  return {
    async restore() {
      const data = join(openFolder(), 'data');
      execFileSync('cp', ['-a', kept, data]);
      return startOn(data);
    },
  };
}

/** The tables of the service and of its jobs. */
const TABLES = `select format('%I.%I', schemaname, tablename) as name from pg_tables
  where schemaname in ('public', 'graphile_worker') order by 1`;

/** A backup of every table by COPY, and of the sequences, at one moment. */
export async function backUpTables(database: CopiedDatabase): Promise<Backup> {
  const folder = openFolder();
  const { tables, sequences } = await withClient(database, async (client) => {
    await client.query('begin isolation level repeatable read');
    const names = (await client.query<{ name: string }>(TABLES)).rows.map(({ name }) => name);
    for (const name of names) await client.query(`copy ${name} to '${join(folder, name)}'`);
    const counted = await client.query<{ name: string; value: string }>(
      `select format('%I.%I', schemaname, sequencename) as name, last_value as value from pg_sequences
       where last_value is not null`,
    );
    return { tables: names, sequences: counted.rows };
  });
  return {
    async restore() {
      const restored = await startOn();
      const { code, output } = await runFairway(['migrate'], { DATABASE_URL: restored.url });
      if (code !== 0) throw new Error(output);
      await withClient(restored, async (client) => {
        await client.query(`set session_replication_role = replica`);
        await client.query(`truncate ${tables.join()}`);
        for (const name of tables) await client.query(`copy ${name} from '${join(folder, name)}'`);
        for (const { name, value } of sequences) await client.query('select setval($1, $2)', [name, value]);
      });
      return restored;
    },
  };
}
