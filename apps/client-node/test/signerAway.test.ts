// A signer that is away, or lies, holds calls up. They keep their nonces, and are executed once when it is back.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { createAgreedRpc, createChainRpc } from '@fairway/evm';
import { migrateDatabase, openDatabase } from '@fairway/postgres';
import type { Call, Hex } from '@fairway/relay';
import { type KeyService, startKeyService, startTestChain, startTestDatabase } from '@fairway/testing';
import { sql } from 'kysely';
import { generatePrivateKey } from 'viem/accounts';
import { createRelayChain } from '../src/platform/chains/relayChain.ts';
import { acceptExecution } from '../src/platform/database/executions.ts';
import { MIGRATIONS } from '../src/platform/database/migrations.ts';
import { createRelayStore } from '../src/platform/database/relayStore.ts';
import type { Database, Tables } from '../src/platform/database/schema.ts';
import { type Journal, openJournal } from '../src/platform/journal/journal.ts';
import { enrol } from '../src/platform/relaying/recover.ts';
import { startRelaying } from '../src/platform/relaying/relaying.ts';
import { keySigner } from '../src/platform/signers/keySigner.ts';
import { makeKeystore, unlockKeystore } from '../src/platform/signers/keystore.ts';
import { openKmsSigner } from '../src/platform/signers/kmsSigner.ts';
import { type Signer, signOrder } from '../src/platform/signers/signer.ts';

const CHAIN_ID = 31_337;
const PAYEES = Array.from({ length: 4 }, (_, index): Hex => `0x${`${index + 5}`.repeat(40)}`);

/** Everything that a relayer works with. `hold` opens its signer. */
async function startGround(hold: (service: KeyService) => Promise<Signer>) {
  await using ending = new AsyncDisposableStack();
  const [chain, postgres, service] = await Promise.all([
    startTestChain(),
    startTestDatabase(),
    startKeyService(),
  ]);
  for (const { close } of [chain, postgres, service]) ending.defer(close);
  const folder = await mkdtemp(join(tmpdir(), 'fairway-signer-'));
  ending.defer(() => rm(folder, { recursive: true, force: true }));
  await migrateDatabase(postgres.connection, MIGRATIONS, () => {});
  const database = openDatabase<Tables>(postgres.connection, () => {});
  ending.defer(() => database.destroy());
  const signer = await hold(service);
  const { hash: genesisHash } = await chain.rpc<{ hash: Hex }>('eth_getBlockByNumber', ['0x0', false]);
  const { address } = signer;
  await chain.rpc('anvil_setBalance', [address, `0x${(10n ** 21n).toString(16)}`]);
  await chain.rpc('evm_setAutomine', [false]);
  await chain.rpc('anvil_mine', ['0x8']);
  const errors: unknown[] = [];
  const journalPath = join(folder, 'journal');
  const journal = openJournal(journalPath);
  ending.defer(async () => journal.close());
  const relayer = { relayerId: 'r', chainId: CHAIN_ID, address, genesisHash, nonce: 0 };
  await enrol(database, journal, { ...relayer, isUnused: true });
  const relaying = relay(database, chain.rpcUrl, journal, { signer, errors });
  ending.defer(relaying.stop);
  const all = ending.move();
  return {
    ...{ chain, database, service, signer, errors, journalPath, wake: relaying.wake },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

function relay(
  database: Database,
  rpcUrl: string,
  journal: Journal,
  { signer, errors }: { readonly signer: Signer; readonly errors: unknown[] },
) {
  const nodes = [{ name: 'node', rpc: createChainRpc([rpcUrl], 2000) }];
  const { request } = createAgreedRpc({ nodes, agreement: 1, onEvent: () => {} });
  return startRelaying({
    ...{ database, relayerId: 'r', chainId: CHAIN_ID, address: signer.address, pauseMs: 25 },
    ports: {
      store: createRelayStore(database),
      chain: createRelayChain({ request, nodes, confirmations: 2 }),
      mayLeave: () => Promise.resolve(true),
      judge: async () => ({ may: 'EXECUTE', gasLimit: 100_000n }),
      sign: (order) => signOrder(signer, order),
    },
    journal,
    rules: async () => ({ maxFeePerGasCapWei: 10n ** 13n, bumpAfterBlocks: 50, mostPending: 8 }),
    afterRound: async () => {},
    onSendFailed: () => {},
    onFailed: (error) => errors.push(error),
  });
}

const holdByService = (service: KeyService) =>
  openKmsSigner(
    { ...service, kmsKey: service.signingKeyName },
    { credentials: { kind: 'STATIC', ...service.credentials }, timeoutMs: 500 },
  );

type Ground = Awaited<ReturnType<typeof startGround>>;

async function accept({ database, signer, wake }: Ground, payee: Hex): Promise<void> {
  const call: Call = { chainId: CHAIN_ID, sender: signer.address, to: payee, data: '0x', valueWei: 1n };
  await acceptExecution(database, {
    ...{ key: payee, bodyFingerprint: Buffer.from(payee), relayerId: 'r', calls: [call] },
  });
  wake();
}

const rowsOf = ({ database }: Ground) =>
  database
    .selectFrom('instructions')
    .leftJoin('attempts', 'attempts.relay_transaction_id', 'instructions.relay_transaction_id')
    .select(['to_address as to', 'nonce', 'outcome', 'hash'])
    .orderBy('created')
    .execute();

/** Waits until the relayer has failed again so often. */
async function failures({ errors }: Ground, count: number): Promise<void> {
  const until = errors.length + count;
  while (errors.length < until) await sleep(20);
}

const minedOf = async ({ chain, signer }: Ground) =>
  Number(await chain.rpc<Hex>('eth_getTransactionCount', [signer.address, 'pending']));

test('while a signer is away or lies nothing is sent; later each call is executed once', async () => {
  await using ground = await startGround(holdByService);
  const { service } = ground;
  await service.close();
  await accept(ground, PAYEES[0] as Hex);
  await failures(ground, 3);
  const [held] = await rowsOf(ground);
  assert.deepEqual([held?.nonce, held?.hash], [0n, null]);
  for (const payee of PAYEES.slice(1, 3)) await accept(ground, payee);
  await failures(ground, 3);
  const waiting = await rowsOf(ground);
  assert.deepEqual(waiting[0], held);
  assert.ok(
    waiting.slice(1).every(({ nonce }) => nonce === null),
    'nothing more is bound',
  );

  await service.reopen();
  service.setSigning('OTHER_KEY');
  await failures(ground, 3);
  assert.deepEqual(await rowsOf(ground), waiting);
  assert.equal(await minedOf(ground), 0);

  service.setSigning('HIGH_S');
  await accept(ground, PAYEES[3] as Hex);
  await mineUntilDone(ground);
  const done = await rowsOf(ground);
  assert.deepEqual(
    done.map(({ to, nonce, outcome }) => [to, nonce, outcome]),
    PAYEES.map((payee, index) => [payee, BigInt(index), 'CONFIRMED']),
  );
  assert.equal(await minedOf(ground), 4);
  for (const payee of PAYEES)
    assert.equal(BigInt(await ground.chain.rpc<Hex>('eth_getBalance', [payee, 'latest'])), 1n);
  const { secretAccessKey, sessionToken } = service.credentials;
  await assertKeptSecret(ground, [service.signingKey.privateKey.slice(2), secretAccessKey, sessionToken]);
});

test('the key of a keystore and its password are in no row, no line of the journal and no error', async () => {
  const password = 'a password that nothing else has';
  const { fileText, address } = await makeKeystore(password);
  const unlocked = await unlockKeystore(fileText, password);
  assert.ok(unlocked.ok);
  const stranger = keySigner(generatePrivateKey());
  let isStranger = true;
  const signer = keySigner(unlocked.privateKey);
  await using ground = await startGround(async () => ({
    address: signer.address,
    sign: (unsigned) => (isStranger ? stranger : signer).sign(unsigned),
    signReadable: signer.signReadable,
  }));
  await accept(ground, PAYEES[0] as Hex);
  await failures(ground, 2);
  isStranger = false;
  await mineUntilDone(ground);
  assert.equal(await minedOf(ground), 1);
  assert.match(await dump(ground.database), new RegExp(address), 'the address is there');
  await assertKeptSecret(ground, [unlocked.privateKey.slice(2), password]);
});

async function mineUntilDone(ground: Ground): Promise<void> {
  for (let blocks = 0; (await rowsOf(ground)).some(({ outcome }) => outcome === null); blocks += 1) {
    assert.ok(blocks < 200, inspect(await rowsOf(ground)));
    await sleep(50);
    await ground.chain.rpc('evm_mine');
  }
}

/** Looks for secrets, of keys as hex, in all that the node keeps and says. */
async function assertKeptSecret(ground: Ground, secrets: readonly string[]): Promise<void> {
  const journal = await readFile(join(ground.journalPath, 'journal'), 'utf8');
  assert.match(journal, /0x02/);
  const texts = [
    journal,
    await dump(ground.database),
    inspect([ground.errors, ground.signer], { depth: 20 }),
  ];
  const forms = secrets.flatMap((each) => [each, Buffer.from(each, 'hex').toString('base64')]);
  for (const text of texts)
    for (const form of forms.filter((each) => each !== '')) assert.ok(!text.includes(form), form);
}

/** All rows of all tables, as text. */
async function dump(database: Database): Promise<string> {
  const { rows: tables } = await sql<{ name: string }>`
    select table_schema || '.' || table_name as name from information_schema.tables
    where table_schema not in ('pg_catalog', 'information_schema') and table_type = 'BASE TABLE'`.execute(
    database,
  );
  const texts = await Promise.all(
    tables.map(async ({ name }) => {
      const { rows } = await sql<{ text: string }>`select t::text as text from ${sql.table(name)} t`.execute(
        database,
      );
      return rows.map(({ text }) => text).join('\n');
    }),
  );
  assert.ok(tables.some(({ name }) => name.endsWith('.attempts')));
  return texts.join('\n');
}
