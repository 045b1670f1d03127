// What the lives of a relayer stand on: a chain that mines when it is told, a database, an unkind node, and processes.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { migrateDatabase, openDatabase, type SocketConnection } from '@fairway/postgres';
import type { Hex } from '@fairway/relay';
import {
  createRandom,
  type Random,
  startDatabaseProxy,
  startTestChain,
  startTestDatabase,
  type TestChain,
} from '@fairway/testing';
import { sql } from 'kysely';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { acceptExecution } from '../src/platform/database/executions.ts';
import { MIGRATIONS } from '../src/platform/database/migrations.ts';
import type { Database, Tables } from '../src/platform/database/schema.ts';
import { openJournal } from '../src/platform/journal/journal.ts';
import { enrol } from '../src/platform/relaying/recover.ts';
import type { RelayingOrder } from './relayingProcess.ts';
import { startUnkindNode, type Unkindness } from './unkindNode.ts';

export const CHAIN_ID = 31_337;
const WEALTH_WEI = 10n ** 21n;
/** How many of a hundred. */
const UNKIND: Unkindness = { sendsLost: 10, repliesLost: 15, receiptsHidden: 10 };
export const KIND: Unkindness = { sendsLost: 0, repliesLost: 0, receiptsHidden: 0 };
const PROCESS = fileURLToPath(new URL('relayingProcess.ts', import.meta.url));
/** How long something may take that a test waits for. */
const PATIENCE_MS = 180_000;

export type Ground = Awaited<ReturnType<typeof startGround>>;
export type Killable = ReturnType<typeof killable>;

/** The same, where nothing is unkind but what a test does, and two blocks are enough. */
export function startKindGround(): Promise<Ground> {
  return startGround(createRandom(1), KIND, 2);
}

/** Starts everything but the process. */
export async function startGround(random: Random, unkindness = UNKIND, confirmations = 7) {
  await using ending = new AsyncDisposableStack();
  const [chain, postgres] = await Promise.all([startTestChain(), startTestDatabase()]);
  ending.defer(chain.close);
  ending.defer(postgres.close);
  const folder = await mkdtemp(join(tmpdir(), 'fairway-node-'));
  ending.defer(() => rm(folder, { recursive: true, force: true }));
  const node = await startUnkindNode(chain.rpcUrl, random, unkindness);
  ending.defer(node.close);
  const { connection } = postgres;
  const proxy = await startDatabaseProxy(connection);
  ending.defer(proxy.close);
  await migrateDatabase(connection, MIGRATIONS, () => {});
  const kept = keptDatabase(connection);
  ending.defer(() => kept.database.destroy());

  const privateKey = generatePrivateKey();
  const address = privateKeyToAccount(privateKey).address.toLowerCase() as Hex;
  const order: RelayingOrder = {
    connection: { url: proxy.url },
    nodeUrls: [node.url],
    ...{ agreement: 1, timeoutMs: 2000, confirmations },
    ...{ journalPath: join(folder, 'journal'), relayerId: 'r', privateKey },
    rules: { maxFeePerGasCapWei: String(10n ** 13n), bumpAfterBlocks: 2, mostPending: 8 },
  };
  await prepare(chain, kept.database, order, address);
  const process = killable(order);
  ending.defer(process.kill);
  const all = ending.move();
  return {
    ...{ chain, node, proxy, address, privateKey, order, process },
    database: kept.database,
    backUp: kept.backUp,
    restore: kept.restore,
    /** A new database, in which the relayer is registered again. */
    async begin(): Promise<void> {
      await kept.clear();
      await enrolRelayer(chain, kept.database, order, address);
    },
    journalText: (path: string) => readFile(join(path, 'journal'), 'utf8'),
    /** An operator's word that these processes, too, may relay on this database. */
    async tellJournals(processes: readonly Killable[]): Promise<void> {
      for (const { journalPath } of processes) {
        const journal = openJournal(journalPath);
        await journal.know(CHAIN_ID, address, 0);
        journal.close();
      }
    },
    /** Another process, which differs in what is given. Its journal is another one unless the same is given. */
    another(name: string, changes: Partial<RelayingOrder> = {}) {
      const other = killable({ ...order, journalPath: join(folder, name), ...changes });
      all.defer(other.kill);
      return other;
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

async function prepare(
  chain: TestChain,
  database: Database,
  order: RelayingOrder,
  address: Hex,
): Promise<void> {
  await enrolRelayer(chain, database, order, address);
  await chain.rpc('anvil_setBalance', [address, `0x${WEALTH_WEI.toString(16)}`]);
  await chain.rpc('evm_setAutomine', [false]);
  await chain.rpc('anvil_mine', ['0xa']);
}

async function enrolRelayer(
  chain: TestChain,
  database: Database,
  { journalPath, relayerId }: RelayingOrder,
  address: Hex,
): Promise<void> {
  const { hash: genesisHash } = await chain.rpc<{ hash: Hex }>('eth_getBlockByNumber', ['0x0', false]);
  const journal = openJournal(journalPath);
  const nonce = Number(await chain.rpc<Hex>('eth_getTransactionCount', [address, 'pending']));
  const isUnused = nonce === 0;
  await enrol(database, journal, { relayerId, chainId: CHAIN_ID, address, genesisHash, nonce, isUnused });
  journal.close();
}

const TABLES = ['relayers', 'executions', 'instructions', 'attempts', 'spendings', 'payments'] as const;
const IDENTITIES = {
  executions: 'accepted',
  instructions: 'created',
  attempts: 'signed',
  payments: 'accepted',
} as const;

/** A database that can be put back to what it was, also while processes use it. */
function keptDatabase(connection: SocketConnection) {
  const database: Database = openDatabase<Tables>(connection, () => {});
  const clear = (from: Database) =>
    sql`truncate ${sql.join(TABLES.map((each) => sql.table(each)))}`.execute(from);
  return {
    database,
    clear: () => clear(database),
    backUp: () =>
      database.transaction().execute(async (transaction) => {
        await sql`drop schema if exists backup cascade`.execute(transaction);
        await sql`create schema backup`.execute(transaction);
        for (const each of TABLES)
          await sql`create table ${sql.table(`backup.${each}`)} as table ${sql.table(each)}`.execute(
            transaction,
          );
      }),
    restore: () =>
      database.transaction().execute(async (transaction) => {
        await clear(transaction);
        for (const each of TABLES)
          await sql`insert into ${sql.table(each)} overriding system value
            select * from ${sql.table(`backup.${each}`)}`.execute(transaction);
        for (const [table, column] of Object.entries(IDENTITIES))
          await sql`select setval(pg_get_serial_sequence(${table}, ${column}),
            (select coalesce(max(${sql.ref(column)}), 0) + 1 from ${sql.table(table)}))`.execute(transaction);
      }),
  };
}

/** A relaying process, which is killed as the kernel kills. */
function killable(order: RelayingOrder) {
  let child: ChildProcess | undefined;
  let isUp = false;
  const errors: string[] = [];
  const end = async (signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null> => {
    if (child === undefined) return null;
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
    const ended = new Promise((resolve) => child?.once('exit', resolve));
    child.kill(signal);
    await ended;
    return child.exitCode;
  };
  return {
    journalPath: order.journalPath,
    /** Whether it has begun to work since its latest start. */
    isUp: () => isUp,
    /** What it wrote to its standard error. */
    errors,
    start(): void {
      isUp = false;
      child = spawn(process.execPath, [PROCESS, JSON.stringify(order)], {
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      child.stdout?.once('data', () => (isUp = true));
      child.stderr?.on('data', (data: Buffer) => errors.push(data.toString()));
    },
    async kill(): Promise<void> {
      await end('SIGKILL');
    },
    /** Asks it to end, as an operator does; resolves to its exit code. */
    stop: () => end('SIGTERM'),
    /** Resolves to its exit code, once it has ended by itself. */
    ended: () => new Promise<number | null>((resolve) => child?.once('exit', resolve)),
  };
}

let accounts = 0;

/** Has a client ask for payments of one wei, each to an account of its own, which it gives. */
export async function ask(
  { database, address: sender }: Pick<Ground, 'database' | 'address'>,
  keys: readonly string[],
  recipients?: readonly Hex[],
): Promise<readonly Hex[]> {
  const to = recipients ?? keys.map(() => `0xfa1c${String((accounts += 1)).padStart(36, '0')}` as Hex);
  for (const [index, key] of keys.entries())
    await acceptExecution(database, {
      ...{ key, bodyFingerprint: Buffer.from(key), relayerId: 'r' },
      calls: [{ chainId: CHAIN_ID, sender, to: to[index] as Hex, data: '0x', valueWei: 1n }],
    });
  return to;
}

/** How often each payment is there: the chain judges. */
export function paid({ chain }: Pick<Ground, 'chain'>, recipients: readonly Hex[]): Promise<number[]> {
  return Promise.all(
    recipients.map(async (each) => Number(await chain.rpc<Hex>('eth_getBalance', [each, 'latest']))),
  );
}

/** What became of the instructions, the oldest first. */
export async function outcomes({ database }: Pick<Ground, 'database'>): Promise<(string | null)[]> {
  const rows = await database.selectFrom('instructions').orderBy('created').select('outcome').execute();
  return rows.map(({ outcome }) => outcome);
}

export async function disabled({ database }: Pick<Ground, 'database'>): Promise<string | null> {
  return (await database.selectFrom('relayers').select('disabled').executeTakeFirstOrThrow()).disabled;
}

/** Waits until something is so. `between` is done before it is looked at again, such as a block. */
export async function until(
  isSo: () => Promise<boolean>,
  what: string,
  between: () => Promise<unknown> = async () => {},
): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`It never came: ${what}`);
    await between();
    await sleep(50);
  }
}

/** Mines until no instruction is open. */
export async function untilOver(ground: Ground, between = () => mine(ground)): Promise<void> {
  try {
    await until(
      async () => (await outcomes(ground)).every((each) => each !== null),
      'the end of all',
      between,
    );
  } catch (cause) {
    const { rows } =
      await sql`select relay_transaction_id, nonce, outcome, included_hash, next_nonce, disabled
      from instructions join relayers using (relayer_id) order by created`.execute(ground.database);
    throw new Error(
      `${JSON.stringify(rows, (_, each: unknown) => (typeof each === 'bigint' ? Number(each) : each))}; ${ground.process.errors.at(-1)}`,
      { cause },
    );
  }
}

/** A block, and time to look at it. */
export async function mine({ chain }: Pick<Ground, 'chain'>): Promise<void> {
  await chain.rpc('evm_mine');
  await sleep(100);
}
