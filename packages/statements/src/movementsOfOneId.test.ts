// Several movements of one id, such as a payment that was made twice. An entry that names the id is the one of exactly
// its amount. The oldest of several such is proposed first.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type MatchEntry, matchEntries, type MatchMovement } from './index.ts';

function movement(name: string, minor: bigint, changes: Partial<MatchMovement> = {}): MatchMovement {
  return {
    ...{ movementId: `mov_${name}`, payment: 'plan_1', direction: 'OUT', currency: 'EUR', minor, taken: 0n },
    ...{ on: '2026-11-20', endToEndId: 'FW1', providerReference: `PRV-${name}`, ...changes },
  };
}

function entry(name: string, minor: bigint, changes: Partial<MatchEntry> = {}): MatchEntry {
  return {
    ...{ entryId: `ent_${name}`, direction: 'OUT', currency: 'EUR', minor, isReversal: false },
    ...{
      bookedOn: '2026-11-21',
      valueOn: '2026-11-21',
      payments: ['plan_1'],
      begunPayments: [],
      references: [],
    },
    ...{ endToEndId: 'FW1', ...changes },
  };
}

/** What the entries are, as texts such as "ent_a=mov_b" and "ent_a?mov_b,mov_c". */
async function found(entries: readonly MatchEntry[], movements: readonly MatchMovement[]): Promise<string[]> {
  const results = await matchEntries(entries, movements);
  return results.map((result) =>
    result.status === 'MATCHED'
      ? `${result.entryId}=${result.movementId}`
      : `${result.entryId}?${result.proposals.map(({ movementId }) => movementId).join(',')}`,
  );
}

test('of several movements of one id an entry is the one with exactly its amount', async () => {
  const movements = [movement('a', 70_000n), movement('b', 30_000n)];
  const entries = [entry('b', 30_000n), entry('a', 70_000n)];
  for (const given of [movements, movements.toReversed()])
    assert.deepEqual(await found(entries, given), ['ent_b=mov_b', 'ent_a=mov_a']);
});

test('the exact amount is found behind many other movements of the id', async () => {
  const others = Array.from({ length: 50 }, (_, index) => movement(`o${index}`, BigInt(1_000 + index)));
  assert.deepEqual(await found([entry('x', 30_000n)], [...others, movement('z', 30_000n)]), ['ent_x=mov_z']);
});

test('of several with the exact amount a person chooses, and the oldest is proposed first', async () => {
  const movements = [
    movement('new', 50_000n, { on: '2026-11-22' }),
    movement('b', 50_000n),
    movement('a', 50_000n),
    movement('other', 20_000n, { on: '2026-11-01' }),
  ];
  assert.deepEqual(await found([entry('x', 50_000n)], movements), ['ent_x?mov_a,mov_b,mov_new']);
});

test('a movement that another entry has is passed over while one of the same amount is free', async () => {
  const movements = [movement('a', 50_000n, { taken: 50_000n }), movement('b', 50_000n)];
  assert.deepEqual(await found([entry('x', 50_000n)], movements), ['ent_x=mov_b']);
});

test('without the exact amount all movements of the id are proposed', async () => {
  const movements = [movement('b', 30_000n, { on: '2026-11-21' }), movement('a', 70_000n)];
  assert.deepEqual(await found([entry('x', 50_000n)], movements), ['ent_x?mov_a,mov_b']);
});

test('a reference of the provider decides before the amount', async () => {
  const movements = [movement('a', 70_000n), movement('b', 30_000n)];
  const named = entry('x', 30_000n, { references: ['PRV-a'] });
  assert.deepEqual(await found([named], movements), ['ent_x?mov_a']);
});

test('a fee under the id of a payment takes nothing from it', async () => {
  const fee = entry('fee', 250n);
  for (const entries of [
    [fee, entry('paid', 50_000n)],
    [entry('paid', 50_000n), fee],
  ])
    assert.deepEqual((await found(entries, [movement('a', 50_000n)])).toSorted(), [
      'ent_fee?mov_a',
      'ent_paid=mov_a',
    ]);
});

test('a provider may give its own reference, or that of the client, as the end-to-end id', async () => {
  const movements = [movement('a', 50_000n, { clientReference: 'INV-2026-7' })];
  for (const endToEndId of ['PRV-a', 'inv 2026 7'])
    assert.deepEqual(await found([entry('x', 50_000n, { endToEndId })], movements), ['ent_x=mov_a']);
  const other = entry('x', 50_000n, { endToEndId: 'FW2', references: ['PRV-a'] });
  assert.deepEqual(await found([other], movements), ['ent_x?mov_a']);
});
