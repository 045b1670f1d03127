// Limits hold for requests that come at once, over a killed database, and over executions that wait for long.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Spending, SpendingLimit } from '@fairway/policies';
import { type EmbeddedPostgres, isUnavailable, migrateDatabase, openDatabase } from '@fairway/postgres';
import type { Call, Hex, Outcome } from '@fairway/relay';
import { startTestDatabase } from '@fairway/testing';
import { sql } from 'kysely';
import { acceptExecution } from '../src/platform/database/executions.ts';
import { MIGRATIONS } from '../src/platform/database/migrations.ts';
import { registerRelayer } from '../src/platform/database/relayers.ts';
import { createRelayStore } from '../src/platform/database/relayStore.ts';
import type { Database, Tables } from '../src/platform/database/schema.ts';
import { readUsage, takeSpending } from '../src/platform/database/spendings.ts';

const address = (digit: string): Hex => `0x${digit.repeat(40)}`;
const RELAYER = address('1');
const OTHER_RELAYER = address('2');
const PAYEE = address('3');
const OTHER_PAYEE = address('4');
const TOKEN = address('5');
const DAY = 86_400;
const TAKERS = 32;
/** On a busy machine the last of them waits for longer than requests do. */
const LIMITS = { connections: 10, connectTimeoutMs: 10_000, statementTimeoutMs: 60_000 };
/** Ten of them fit. */
const SPENDING: Spending = { chainId: 1, relayer: RELAYER, token: TOKEN, amount: 100n, recipient: PAYEE };
const LIMIT: SpendingLimit = { rule: 'daily', each: 'ALL', windowSeconds: DAY, most: 1_099n };

let postgres: EmbeddedPostgres;
/** As many processes have pools of their own. */
let pools: readonly ReturnType<typeof openDatabase<Tables>>[];
let database: Database;

before(async () => {
  postgres = await startTestDatabase();
  await migrateDatabase(postgres.connection, MIGRATIONS, () => {});
  pools = Array.from({ length: 4 }, () =>
    openDatabase<Tables>(postgres.connection, () => {}, { limits: LIMITS }),
  );
  database = pools[0]!;
  const relayer = { chainId: 1, genesisHash: '0x1' as Hex, nonce: 0 };
  await registerRelayer(database, { ...relayer, relayerId: 'r', address: RELAYER });
  await registerRelayer(database, { ...relayer, relayerId: 's', address: OTHER_RELAYER });
});
after(async () => {
  await Promise.all(pools.map((pool) => pool.destroy()));
  await postgres.close();
});
beforeEach(() => sql`truncate executions cascade`.execute(database));

const CALL: Call = { chainId: 1, sender: RELAYER, to: TOKEN, data: '0x', valueWei: 0n };

/** Accepts an execution that spends, and answers how it stands. */
async function spend(
  key: string,
  changed: Partial<Spending> = {},
  limits: readonly SpendingLimit[] = [LIMIT],
  by: Database = database,
): Promise<'OPEN' | 'REJECTED'> {
  const spending = { ...SPENDING, ...changed };
  const { executionId } = await acceptExecution(by, {
    ...{ key, bodyFingerprint: Buffer.from(key), calls: [CALL, CALL], takes: { spending, limits } },
    relayerId: spending.relayer === RELAYER ? 'r' : 's',
  });
  const rows = await by
    .selectFrom('instructions')
    .where('execution_id', '=', executionId)
    .select('outcome')
    .execute();
  const [first] = rows;
  assert.ok(rows.length === 2 && rows.every(({ outcome }) => outcome === first?.outcome));
  return first?.outcome === 'REJECTED' ? 'REJECTED' : 'OPEN';
}

/** How many of the outcomes are open. */
const opened = (outcomes: readonly string[]) => outcomes.filter((each) => each === 'OPEN').length;

const takers = (attempt: (key: string, by: Database) => Promise<'OPEN' | 'REJECTED'>) =>
  Promise.all(
    Array.from({ length: TAKERS }, (_, index) => attempt(`key-${index}`, pools[index % pools.length]!)),
  );

/** Ends the instruction that spends, as a relayer does. */
async function end(key: string, as: Outcome['as']): Promise<void> {
  const { relay_transaction_id: relayTransactionId } = await database
    .selectFrom('instructions')
    .innerJoin('executions', 'executions.execution_id', 'instructions.execution_id')
    .where('key', '=', key)
    .where('index', '=', 1)
    .select('relay_transaction_id')
    .executeTakeFirstOrThrow();
  const about = { relayTransactionId, call: CALL, attempts: [], isCancelAsked: false };
  await createRelayStore(database).conclude([{ about, outcome: { as } as Outcome }]);
}

test('of 32 requests at once as many are accepted as the limit allows, each with one answer', async () => {
  const outcomes = await takers((key, by) => spend(key, {}, [LIMIT], by));
  assert.equal(opened(outcomes), 10);
  assert.deepEqual(await takers((key, by) => spend(key, {}, [LIMIT], by)), outcomes, 'asked again');
  const { rows } = await sql<{ detail: object }>`
    select distinct outcome_detail as detail from instructions where outcome = 'REJECTED'`.execute(database);
  assert.deepEqual(rows, [
    {
      detail: {
        refusal: {
          ...{ code: 'WINDOW_AMOUNT', rule: 'daily' },
          detail: '1000 were spent within the window; with 100 more it is above 1099.',
        },
      },
    },
  ]);
});

test('a count holds for 32 requests at once, too', async () => {
  const limit = { rule: 'often', each: 'RECIPIENT', windowSeconds: DAY, mostCount: 7 } as const;
  assert.equal(opened(await takers((key, by) => spend(key, {}, [limit], by))), 7);
  assert.equal(await spend('another', { recipient: OTHER_PAYEE }, [limit]), 'OPEN');
});

test('who takes without waiting for the others takes too much, and this test sees it', async () => {
  let isRead = () => {};
  const allRead = new Promise<void>((resolve) => (isRead = resolve));
  let readings = 0;
  for (const key of Array.from({ length: 8 }, (_, index) => `key-${index}`)) await spend(key, {}, []);
  await sql`truncate spendings`.execute(database);
  const ids = await database
    .selectFrom('instructions')
    .where('index', '=', 1)
    .select('relay_transaction_id as id')
    .execute();
  const limits = [{ ...LIMIT, most: 300n }];
  const taken = ids.map(({ id }) =>
    database.transaction().execute(async (transaction) => {
      const [usage] = await readUsage(transaction, id, { spending: SPENDING, limits });
      if (++readings === ids.length) isRead();
      await allRead;
      if ((usage?.spent ?? 0n) + SPENDING.amount > 300n) return;
      await takeSpending(transaction, id, { spending: SPENDING, limits: [] });
    }),
  );
  await Promise.all(taken);
  const [usage] = await readUsage(database, '', { spending: SPENDING, limits });
  assert.equal(usage?.spent, 800n);
});

test('a database that is killed among 32 requests allows no more than before', async () => {
  const persistently = async (key: string, by: Database): Promise<'OPEN' | 'REJECTED'> => {
    for (;;) {
      try {
        return await spend(key, {}, [LIMIT], by);
      } catch (error) {
        if (!isUnavailable(error)) throw error;
        await sleep(50);
      }
    }
  };
  const outcomes = takers(persistently);
  await sleep(20);
  const killed = postgres.pid();
  process.kill(killed!, 'SIGKILL');
  assert.equal(opened(await outcomes), 10);
  assert.notEqual(postgres.pid(), killed);
  const later = await Promise.all(
    Array.from({ length: TAKERS }, (_, index) => persistently(`later-${index}`, pools[index % 4]!)),
  );
  assert.equal(opened(later), 0);
});

test('what was not executed was not spent, and what was executed counts', async () => {
  const ends = [
    'REVERTED',
    'CANCELLED',
    'REPLACED',
    'EXPIRED',
    'WITHDRAWN',
    'REJECTED',
    'CONFIRMED',
  ] as const;
  const limits = [{ ...LIMIT, most: 100n }];
  for (const as of ends) {
    assert.equal(await spend(`before-${as}`, {}, limits), 'OPEN', as);
    assert.equal(await spend(`while-${as}`, {}, limits), 'REJECTED', as);
    await end(`before-${as}`, as);
  }
  assert.equal(await spend('after', {}, limits), 'REJECTED');
});

test('a window begins at the end of an execution, and an open one never leaves it', async () => {
  const limits = [{ ...LIMIT, most: 200n }];
  await spend('waits', {}, limits);
  await spend('ends', {}, limits);
  await end('ends', 'CONFIRMED');
  await sql`update executions set accepted_at = now() - interval '9 days'`.execute(database);
  assert.equal(await spend('too much', {}, limits), 'REJECTED');
  await sql`update spendings set ended_at = ended_at - make_interval(secs => ${DAY - 60})`.execute(database);
  assert.equal(await spend('too early', {}, limits), 'REJECTED');
  await sql`update spendings set ended_at = ended_at - interval '61 seconds'`.execute(database);
  assert.equal(await spend('next day', {}, limits), 'OPEN');
  assert.equal(await spend('too much again', {}, limits), 'REJECTED');
});

test('relayers, recipients, tokens and chains are counted as a limit says', async () => {
  const most = 100n;
  const each = (by: SpendingLimit['each']) => [{ ...LIMIT, each: by, most }];
  await spend('first');
  const apart: readonly (readonly [SpendingLimit['each'], Partial<Spending>, 'OPEN' | 'REJECTED'])[] = [
    ['ALL', { relayer: OTHER_RELAYER, recipient: OTHER_PAYEE }, 'REJECTED'],
    ['RELAYER', { recipient: OTHER_PAYEE }, 'REJECTED'],
    ['RECIPIENT', { relayer: OTHER_RELAYER }, 'REJECTED'],
    ['RELAYER', { relayer: OTHER_RELAYER }, 'OPEN'],
    ['RECIPIENT', { recipient: OTHER_PAYEE }, 'OPEN'],
    ['ALL', { token: PAYEE }, 'OPEN'],
    ['ALL', { chainId: 2 }, 'OPEN'],
  ];
  for (const [index, [by, changed, expected]] of apart.entries())
    assert.equal(await spend(`apart-${index}`, changed, each(by)), expected, `${index}`);
});
