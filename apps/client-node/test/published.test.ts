// What is published of transactions and relayers, as they change in the database.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { createEvents, type KeptEvent, type OutboxTables } from '@fairway/outbox';
import { type EmbeddedPostgres, migrateDatabase, openDatabase } from '@fairway/postgres';
import { type Attempt, type BoundInstruction, type Call, type Hex, isBound, type Look } from '@fairway/relay';
import { startTestDatabase } from '@fairway/testing';
import type { PublishedRelayer, PublishedTransaction } from '@fairway/wire';
import { type Kysely, sql } from 'kysely';
import { acceptExecution } from '../src/platform/database/executions.ts';
import { MIGRATIONS } from '../src/platform/database/migrations.ts';
import { NODE_SCOPE } from '../src/platform/database/published.ts';
import { registerRelayer } from '../src/platform/database/relayers.ts';
import { createRelayStore } from '../src/platform/database/relayStore.ts';
import type { Tables } from '../src/platform/database/schema.ts';
import { findByNonce } from '../src/platform/database/transactions.ts';
import { createWatch } from '../src/platform/relaying/watch.ts';

const RELAYER: Hex = `0x${'a1'.repeat(20)}`;
const CALL: Call = { chainId: 1, sender: RELAYER, to: RELAYER, data: '0x', valueWei: 1n };
const hash = (digit: string): Hex => `0x${digit.repeat(64)}`;

let postgres: EmbeddedPostgres;
let database: Kysely<Tables & OutboxTables>;

before(async () => {
  postgres = await startTestDatabase();
  await migrateDatabase(postgres.connection, MIGRATIONS, () => {});
  database = openDatabase(postgres.connection, () => {});
});
after(async () => {
  await database.destroy();
  await postgres.close();
});
beforeEach(async () => {
  await sql`truncate relayers, executions, events, event_subjects cascade`.execute(database);
  await registerRelayer(database, {
    ...{ relayerId: 'r', chainId: 1, address: RELAYER, genesisHash: '0x1', nonce: 0 },
  });
});

/** What was published, in the order of the outbox. */
async function published(): Promise<readonly KeptEvent[]> {
  const events = createEvents(database, () => new Date());
  await events.publish(NODE_SCOPE.environment);
  const listed = await events.list(NODE_SCOPE, { limit: 100 });
  assert.ok(listed.ok);
  return listed.events;
}
const typesOf = (events: readonly KeptEvent[]) => events.map(({ type }) => type.replace(/^relay\.\w+\./, ''));
const objectOf = <Body>({ data }: KeptEvent) => (data as { data: { object: Body } }).data.object;

/** An instruction that was bound and signed. */
async function signed(key = 'one'): Promise<{ about: BoundInstruction; attempt: Attempt }> {
  await acceptExecution(database, {
    ...{ key, bodyFingerprint: Buffer.from(key), relayerId: 'r', calls: [CALL] },
  });
  const store = createRelayStore(database);
  const [waiting] = (await store.read('r')).open.filter(({ nonce }) => nonce === undefined);
  assert.ok(waiting);
  await store.bind([{ about: waiting, gasLimit: 21_000n }]);
  const bound = (await store.read('r')).open.find(
    ({ relayTransactionId }) => relayTransactionId === waiting.relayTransactionId,
  ) as BoundInstruction;
  const fees = { maxFeePerGasWei: 2n, maxPriorityFeePerGasWei: 1n };
  const attempt: Attempt = {
    ...{ hash: hash(String(bound.nonce + 1)), raw: '0x00', purpose: 'EXECUTE', fees },
    ...{ signedAtBlock: 1, wasSent: false },
  };
  await store.keepAttempts([{ about: bound, attempt }]);
  return { about: bound, attempt };
}

const inclusionOf = (attempt: Attempt, blockHash: Hex, succeeded = true) => ({
  ...{ hash: attempt.hash, blockNumber: 7, blockHash, succeeded },
});

test('each state of a transaction is told once, in its order, and what it then was', async () => {
  const store = createRelayStore(database);
  const { about, attempt } = await signed();
  assert.deepEqual(await published(), [], 'of what only waits there is nothing to tell');
  await store.noteSent([{ about, attempt }]);
  await store.noteSent([{ about, attempt }]);
  const second = { ...attempt, hash: hash('9') };
  await store.keepAttempts([{ about, attempt: second }]);
  await store.noteSent([{ about, attempt: second }]);
  for (const block of [hash('a'), hash('a'), hash('b')])
    await store.note([{ about, inclusion: inclusionOf(attempt, block) }]);
  await store.note([{ about, inclusion: undefined }]);
  await store.note([{ about, inclusion: inclusionOf(attempt, hash('c')) }]);
  const inclusion = inclusionOf(attempt, hash('c'));
  await store.conclude([{ about, outcome: { as: 'CONFIRMED', inclusion } }]);
  await store.conclude([{ about, outcome: { as: 'CONFIRMED', inclusion } }]);
  const events = await published();
  const states = ['broadcast', 'mined', 'mined', 'broadcast', 'mined', 'confirmed'];
  assert.deepEqual(typesOf(events), states);
  assert.deepEqual(
    events.map(({ sequence }) => sequence),
    states.map((_, index) => index + 1),
  );
  const last = objectOf<PublishedTransaction>(events.at(-1) ?? assert.fail());
  assert.deepEqual(
    [last.status, last.txHash, last.nonce, last.blockNumber, last.relayerId],
    ['CONFIRMED', attempt.hash, 0, 7, 'r'],
  );
});

test('a state is not kept without its event, and no event without its state', async () => {
  const store = createRelayStore(database);
  const { about, attempt } = await signed();
  await store.noteSent([{ about, attempt }]);
  await sql`alter table events rename to events_away`.execute(database);
  try {
    const inclusion = inclusionOf(attempt, hash('a'));
    await assert.rejects(store.note([{ about, inclusion }]));
    await assert.rejects(store.conclude([{ about, outcome: { as: 'CONFIRMED', inclusion } }]));
    await assert.rejects(store.disable('r', 'NONCES_UNKNOWN'));
  } finally {
    await sql`alter table events_away rename to events`.execute(database);
  }
  const kept = await findByNonce(database, 'r', 0);
  assert.deepEqual([kept?.inclusion, kept?.outcome], [undefined, undefined]);
  assert.equal((await store.read('r')).relayer.disabled, undefined);
  assert.deepEqual(typesOf(await published()), ['broadcast']);
});

test('what never leaves is told with the reason', async () => {
  const store = createRelayStore(database);
  const limits = [{ rule: 'daily', each: 'ALL', windowSeconds: 86_400, most: 1n }] as const;
  const spending = { chainId: 1, relayer: RELAYER, token: RELAYER, amount: 2n, recipient: RELAYER };
  await acceptExecution(database, {
    ...{ key: 'much', bodyFingerprint: Buffer.from('much'), relayerId: 'r', calls: [CALL, CALL] },
    takes: { spending, limits },
  });
  const { about } = await signed();
  await store.conclude([{ about, outcome: { as: 'REPLACED', by: hash('f'), blockNumber: 9 } }]);
  const events = await published();
  assert.deepEqual(typesOf(events), ['rejected', 'rejected', 'cancelled']);
  assert.deepEqual(
    events.map((each) => objectOf<PublishedTransaction>(each).failure?.code),
    ['WINDOW_AMOUNT', 'WINDOW_AMOUNT', 'REPLACED'],
  );
});

const KEEP_WEI = 1_000n;

/** A watch over a chain whose head, balance and nonce a test says. */
function watching(startBalanceWei = 10_000n) {
  let head = 0;
  let balanceWei = startBalanceWei;
  let bound: readonly BoundInstruction[] = [];
  const watchOnce = () =>
    createWatch({
      ...{ database, relayerId: 'r' },
      gas: async () => ({ maxFeePerGasCapWei: 10n }),
      chainPolicy: { keepWei: KEEP_WEI, mostGas: 100n },
      newest: () => ({ look: { head: { number: head }, nonceLatest: 0, balanceWei } as Look, bound }),
    });
  let watch = watchOnce();
  return {
    restart: () => (watch = watchOnce()),
    async blocks(count: number): Promise<void> {
      bound = (await createRelayStore(database).read('r')).open.filter(isBound);
      for (let done = 0; done < count; done += 1) {
        head += 1;
        await watch();
      }
    },
    has: (wei: bigint) => (balanceWei = wei),
  };
}

test('a balance that is too low for one more execution is told once, and that it is not any more', async () => {
  const chain = watching();
  await chain.blocks(2);
  chain.has(KEEP_WEI + 999n);
  await chain.blocks(3);
  chain.restart();
  await chain.blocks(2);
  chain.has(KEEP_WEI + 1_000n);
  await chain.blocks(2);
  const events = await published();
  assert.deepEqual(typesOf(events), ['low_balance', 'recovered']);
  assert.deepEqual(
    events.map((each) => objectOf<PublishedRelayer>(each).lowBalance),
    [true, false],
  );
});

test('a nonce that waits for too long is told once, also across a restart, until it is used', async () => {
  const store = createRelayStore(database);
  const chain = watching();
  const { about, attempt } = await signed();
  await store.noteSent([{ about, attempt }]);
  await chain.blocks(20);
  assert.deepEqual(typesOf(await published()), ['broadcast']);
  await chain.blocks(2);
  chain.restart();
  await chain.blocks(3);
  assert.deepEqual(typesOf(await published()), ['broadcast', 'stuck']);
  await store.conclude([{ about, outcome: { as: 'CONFIRMED', inclusion: inclusionOf(attempt, hash('a')) } }]);
  await chain.blocks(1);
  const events = await published();
  assert.deepEqual(typesOf(events), ['broadcast', 'stuck', 'confirmed', 'recovered']);
  assert.equal(objectOf<PublishedRelayer>(events[1] ?? assert.fail()).stuckNonce, 0);
});

test('a relayer that is disabled is told once for each reason', async () => {
  const store = createRelayStore(database);
  await store.disable('r', 'NONCES_UNKNOWN', 0);
  assert.deepEqual(await published(), [], 'as many nonces are bound by now');
  await store.disable('r', 'NONCES_UNKNOWN', 3);
  await store.disable('r', 'KEY_USED_ELSEWHERE');
  const [event, ...others] = await published();
  assert.deepEqual(others, []);
  assert.equal(objectOf<PublishedRelayer>(event ?? assert.fail()).disabledReason, 'NONCES_UNKNOWN');
});
