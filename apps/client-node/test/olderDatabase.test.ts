// An older database is put back, or the journal is lost: nothing is bound until it is known what left, and nothing doubles.
import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { test } from 'node:test';
import type { Hex } from '@fairway/relay';
import { ask, disabled, type Ground, mine, paid, startKindGround, until, untilOver } from './ground.ts';
import { reconciled, untilReconciled } from './operator.ts';

test('a signed transaction that an older database does not know is executed once', async () => {
  await using ground = await startKindGround();
  ground.process.start();
  const before = await ask(ground, ['old']);
  await untilOver(ground);
  await ground.process.kill();
  await ground.backUp();
  ground.process.start();
  const left = await ask(ground, ['a', 'b', 'c']);
  await untilSent(ground, 4);
  await ground.process.kill();
  await ground.restore();
  // One client asks again before the process starts, one after, one never.
  await ask(ground, ['a', 'new'], [left[0] as Hex, NEW]);
  ground.process.start();
  await until(async () => (await nextNonce(ground)) > 4, 'it goes on behind what left');
  await ask(ground, ['b'], [left[1] as Hex]);
  await untilOver(ground);
  assert.deepEqual(await paid(ground, [...before, ...left, NEW]), [1, 1, 1, 1, 1]);
  assert.equal(await disabled(ground), null);
});

test('an older database is found by a process that runs all the time', async () => {
  await using ground = await startKindGround();
  await ground.backUp();
  ground.process.start();
  const left = await ask(ground, ['a', 'b']);
  await untilSent(ground, 2);
  await ground.restore();
  await ask(ground, ['b', 'new'], [left[1] as Hex, NEW]);
  await until(async () => (await nextNonce(ground)) === 3, 'it goes on behind what left');
  await untilOver(ground);
  assert.deepEqual(await paid(ground, [...left, NEW]), [1, 1, 1]);
});

test('of two nodes none goes on with an older database before the journals of both are there', async () => {
  await using ground = await startKindGround();
  const other = ground.another('other');
  await ground.tellJournals([other]);
  await ground.backUp();
  // Each sends one, while the other one is not there, but sees the first.
  const left: Hex[] = [];
  other.start();
  left.push(...(await ask(ground, ['a'])));
  await untilSent(ground, 1);
  ground.process.start();
  await until(async () => knows(ground, 1), 'the second has seen what was bound');
  await other.kill();
  left.push(...(await ask(ground, ['b'])));
  await untilSent(ground, 2);
  await ground.process.kill();
  await ground.restore();
  await ask(ground, ['a', 'new'], [left[0] as Hex, NEW]);
  ground.process.start();
  await until(async () => (await nextNonce(ground)) === 2, 'it takes over what it knows');
  for (let block = 0; block < 4; block += 1) await mine(ground);
  assert.equal(await disabled(ground), 'DATABASE_OLDER');
  assert.deepEqual(await paid(ground, [NEW]), [0], 'nothing is bound');
  other.start();
  await untilOver(ground);
  assert.deepEqual(await paid(ground, [...left, NEW]), [1, 1, 1]);
  assert.equal(await disabled(ground), null);
});

test('without the journal nothing is bound until an operator has cancelled what is unknown', async () => {
  await using ground = await startKindGround();
  await ground.backUp();
  ground.process.start();
  const [left] = await ask(ground, ['a']);
  await untilSent(ground, 1);
  await ground.process.kill();
  await ground.restore();
  await rm(ground.order.journalPath, { recursive: true });
  await ask(ground, ['new'], [NEW]);
  ground.process.start();
  await until(async () => (await disabled(ground)) === 'JOURNAL_MISSING', 'it is closed');
  await ground.process.kill();
  ground.process.start();
  // The unknown transaction is mined: neither that nor another start opens the relayer.
  for (let block = 0; block < ground.order.confirmations + 3; block += 1) await mine(ground);
  assert.deepEqual(await paid(ground, [left as Hex, NEW]), [1, 0]);
  assert.equal(await disabled(ground), 'JOURNAL_MISSING');

  const first = await reconciled(ground);
  assert.ok(first.bound >= ground.order.rules.mostPending, 'as many as may wait are cancelled');
  assert.notEqual(await disabled(ground), null, 'they are not final');
  await untilReconciled(ground);
  await untilOver(ground);
  assert.deepEqual(await paid(ground, [left as Hex, NEW]), [1, 1]);
  await ground.process.kill();
  ground.process.start();
  const [later] = await ask(ground, ['later']);
  await untilOver(ground);
  assert.deepEqual(await paid(ground, [later as Hex]), [1], 'the new journal is known from then on');
});

test('a new database beside an old journal begins where the journal does', async () => {
  await using ground = await startKindGround();
  ground.process.start();
  const left = await ask(ground, ['a', 'b']);
  await untilOver(ground);
  await ground.process.kill();
  await ground.begin();
  await ask(ground, ['a', 'new'], [left[0] as Hex, NEW]);
  ground.process.start();
  await untilOver(ground);
  assert.deepEqual(await paid(ground, [...left, NEW]), [1, 1, 1]);
});

const NEW: Hex = `0x${'4e'.repeat(20)}`;

/** Waits until so many attempts were sent, and mines nothing meanwhile. */
async function untilSent({ database }: Ground, count: number): Promise<void> {
  await until(async () => {
    const sent = await database.selectFrom('attempts').where('was_sent', '=', true).select('hash').execute();
    return sent.length >= count;
  }, `${count} are sent`);
}

async function nextNonce({ database }: Ground): Promise<number> {
  const { next_nonce: next } = await database
    .selectFrom('relayers')
    .select('next_nonce')
    .executeTakeFirstOrThrow();
  return Number(next);
}

async function knows({ order, journalText }: Ground, next: number): Promise<boolean> {
  return (await journalText(order.journalPath)).includes(`"next":${next}`);
}
