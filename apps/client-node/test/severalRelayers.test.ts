// Two keys on one chain, one of them on another chain too, with one database and one journal. The chains judge.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createAgreedRpc, createChainRpc } from '@fairway/evm';
import { migrateDatabase, openDatabase } from '@fairway/postgres';
import type { Hex } from '@fairway/relay';
import { startTestChain, startTestDatabase, type TestChain } from '@fairway/testing';
import { sql } from 'kysely';
import { generatePrivateKey } from 'viem/accounts';
import { createRelayChain } from '../src/platform/chains/relayChain.ts';
import { acceptExecution } from '../src/platform/database/executions.ts';
import { MIGRATIONS } from '../src/platform/database/migrations.ts';
import { createRelayStore } from '../src/platform/database/relayStore.ts';
import type { Database, Tables } from '../src/platform/database/schema.ts';
import { type Journal, openJournal } from '../src/platform/journal/journal.ts';
import { prepareRelayer } from '../src/platform/relaying/prepareRelayer.ts';
import { relayerIdOf } from '../src/platform/relaying/relayer.ts';
import { startRelaying } from '../src/platform/relaying/relaying.ts';
import { keySigner } from '../src/platform/signers/keySigner.ts';
import { signOrder } from '../src/platform/signers/signer.ts';
import { until } from './ground.ts';

const CHAIN_IDS = [31_337, 4242] as const;
const EACH = 5;
const endings: (() => unknown)[] = [];
after(async () => {
  for (const end of endings.toReversed()) await end();
});

let chains: readonly TestChain[];
let database: Database;
let journal: Journal;
const [one, other] = [keySigner(generatePrivateKey()), keySigner(generatePrivateKey())];
/** The chain of each relayer by its index, and its key. */
const PLACES = [
  [0, one],
  [0, other],
  [1, one],
] as const;
const idOf = ([at, { address }]: (typeof PLACES)[number]) => relayerIdOf(CHAIN_IDS[at], address);

before(async () => {
  const postgres = await startTestDatabase();
  chains = await Promise.all(CHAIN_IDS.map(() => startTestChain()));
  const folder = await mkdtemp(join(tmpdir(), 'fairway-several-'));
  endings.push(postgres.close, ...chains.map(({ close }) => close));
  endings.push(() => rm(folder, { recursive: true, force: true }));
  await chains[1]?.rpc('anvil_setChainId', [CHAIN_IDS[1]]);
  for (const { rpc } of chains)
    for (const { address } of [one, other])
      await rpc('anvil_setBalance', [address, `0x${(10n ** 21n).toString(16)}`]);
  await migrateDatabase(postgres.connection, MIGRATIONS, () => {});
  database = openDatabase<Tables>(postgres.connection, () => {});
  journal = openJournal(join(folder, 'journal'));
  endings.push(() => database.destroy(), journal.close);
});

/** Starts all relayers, as the node does. */
async function startAll() {
  const all = await Promise.all(
    PLACES.map(async (place) => {
      const [at, signer] = place;
      const [chainId, relayerId] = [CHAIN_IDS[at], idOf(place)];
      const nodes = [{ name: 'node', rpc: createChainRpc([chains[at]?.rpcUrl ?? ''], 2000) }];
      const { request } = createAgreedRpc({ nodes, agreement: 1, onEvent: () => {} });
      await prepareRelayer(database, journal, { relayerId, chainId, address: signer.address, request });
      return startRelaying({
        ...{ database, relayerId, chainId, address: signer.address, journal, pauseMs: 25 },
        ports: {
          store: createRelayStore(database),
          chain: createRelayChain({ request, nodes, confirmations: 0 }),
          judge: async () => ({ may: 'EXECUTE', gasLimit: 100_000n }),
          sign: (order) => signOrder(signer, order),
          mayLeave: () => Promise.resolve(true),
        },
        rules: async () => ({ maxFeePerGasCapWei: 10n ** 13n, bumpAfterBlocks: 50, mostPending: 8 }),
        afterRound: async () => {},
        onSendFailed: () => {},
        onFailed: () => {},
      });
    }),
  );
  return {
    async stop() {
      await Promise.all(all.map((each) => each.stop()));
    },
  };
}

/** Each relayer pays so many accounts of its own. */
const payees = PLACES.map((_, place) =>
  Array.from({ length: EACH }, (_each, index): Hex => `0x${String(place + 1).repeat(38)}0${index}`),
);

async function askAll() {
  const states: string[] = [];
  for (let index = 0; index < EACH; index += 1)
    for (const [at, place] of PLACES.entries()) {
      const to = payees[at]?.[index] ?? assert.fail();
      const [chain, { address: sender }] = place;
      const call = { chainId: CHAIN_IDS[chain], sender, to, data: '0x', valueWei: 1n } as const;
      const key = `${at} ${index}`;
      const order = { key, bodyFingerprint: Buffer.from(key), relayerId: idOf(place), calls: [call] };
      states.push((await acceptExecution(database, order)).state);
    }
  return states;
}

async function untilAllEnded() {
  const open = () => database.selectFrom('instructions').where('outcome', 'is', null).selectAll().execute();
  await until(async () => (await open()).length === 0, 'all have ended');
}

async function assertPaidOnce() {
  for (const [at, [chain, { address }]] of PLACES.entries()) {
    const rpc = chains[chain]?.rpc ?? assert.fail();
    for (const payee of payees[at] ?? []) {
      assert.equal(BigInt(await rpc<Hex>('eth_getBalance', [payee, 'latest'])), 1n, `paid once by ${at}`);
    }
    const count = Number(await rpc<Hex>('eth_getTransactionCount', [address, 'latest']));
    assert.equal(count, EACH, `a transaction for each call of ${at}`);
  }
}

test('each key has nonces of its own on each chain, and each call happens exactly once', async () => {
  const relaying = await startAll();
  assert.deepEqual(new Set(await askAll()), new Set(['ACCEPTED']));
  await untilAllEnded();
  await relaying.stop();
  await assertPaidOnce();
});

test('when the database is lost, the one journal gives each key its own nonces and calls back', async () => {
  const tables = ['relayers', 'executions', 'instructions', 'attempts', 'spendings', 'payments'];
  await sql`truncate ${sql.join(tables.map((each) => sql.table(each)))}`.execute(database);
  const relaying = await startAll();
  const nextOf = async () =>
    (await database.selectFrom('relayers').select(['next_nonce', 'disabled']).execute()).map(
      ({ next_nonce: next, disabled }) => [Number(next), disabled],
    );
  await until(
    async () => (await nextOf()).every(([next, disabled]) => next === EACH && disabled === null),
    'what left is known again',
  );
  assert.deepEqual(new Set(await askAll()), new Set(['KNOWN']));
  await untilAllEnded();
  await relaying.stop();
  await assertPaidOnce();
});
