// Entries and movements that are equally many and alike, of one payment: each entry is one of them. Otherwise a person says.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type MatchEntry, matchEntries, type MatchMovement, nameForm } from './index.ts';

const MONEY = { currency: 'EUR', minor: 5_000n } as const;

/** A return of a payment, under the ids of the payments before it. */
function returned(name: string, on: string, paidAs: readonly string[], changes: Partial<MatchMovement> = {}) {
  const movement: MatchMovement = {
    ...{ movementId: `mov_${name}`, payment: 'plan_1', direction: 'IN', ...MONEY, taken: 0n, on, paidAs },
    ...{ nameForm: nameForm('Jo Citizen'), ...changes },
  };
  return movement;
}

/** A credit under an id. */
function credit(name: string, bookedOn: string, endToEndId: string, changes: Partial<MatchEntry> = {}) {
  const entry: MatchEntry = {
    ...{ entryId: name, direction: 'IN', ...MONEY, bookedOn, valueOn: bookedOn, isReversal: true },
    ...{ endToEndId, references: [], payments: ['plan_1'], begunPayments: [], ...changes },
  };
  return entry;
}

async function found(entries: readonly MatchEntry[], movements: readonly MatchMovement[]) {
  const results = await matchEntries(entries, movements);
  const texts = results.map((result) =>
    result.status === 'MATCHED'
      ? `${result.entryId}=${result.movementId}`
      : `${result.entryId}?${[...new Set(result.proposals.flatMap(({ reasons }) => reasons))]}`,
  );
  return texts.toSorted();
}

const [FIRST, SECOND] = ['2026-11-20', '2026-11-23'];
/** Both orders of entries, and both of movements. */
const ORDERS = [
  [false, false],
  [true, false],
  [false, true],
  [true, true],
] as const;

async function inEachOrder(entries: readonly MatchEntry[], movements: readonly MatchMovement[]) {
  const all = ORDERS.map(([isBack, isMovedBack]) =>
    found(isBack ? entries.toReversed() : entries, isMovedBack ? movements.toReversed() : movements),
  );
  const [first, ...others] = await Promise.all(all);
  for (const other of others) assert.deepEqual(other, first);
  return first;
}

test('two equal returns of one payment are two equal credits, whatever the order', async () => {
  const movements = [returned('a', FIRST, ['E-1']), returned('b', SECOND, ['E-1'])];
  const entries = [credit('one', FIRST, 'E-1'), credit('two', SECOND, 'E-1')];
  assert.deepEqual(await inEachOrder(entries, movements), ['one=mov_a', 'two=mov_b']);
});

test('of returns after another, each credit is one that may have its id', async () => {
  const movements = [returned('a', FIRST, ['E-1']), returned('b', SECOND, ['E-1', 'E-2'])];
  const entries = [credit('one', SECOND, 'E-1'), credit('two', FIRST, 'E-2')];
  assert.deepEqual(await inEachOrder(entries, movements), ['one=mov_a', 'two=mov_b']);
});

test('equal returns are credits by the name, too', async () => {
  const named = { references: [], payments: [], nameForm: nameForm('Jo Citizen') };
  const bare = ['one', 'two'].map((name) => {
    const { endToEndId: _, ...entry } = credit(name, FIRST, '', named);
    return entry;
  });
  const movements = [returned('a', FIRST, ['E-1']), returned('b', FIRST, ['E-1'])];
  assert.deepEqual(await inEachOrder(bare, movements), ['one=mov_a', 'two=mov_b']);
});

test('returns and credits that are not equally many are not certain', async () => {
  const movements = ['a', 'b', 'c'].map((name) => returned(name, FIRST, ['E-1']));
  const entries = ['one', 'two', 'three'].map((name) => credit(name, FIRST, 'E-1'));
  assert.deepEqual(await inEachOrder(entries.slice(0, 1), movements.slice(0, 2)), ['one?SEVERAL_MOVEMENTS']);
  const several = 'SEVERAL_MOVEMENTS,SEVERAL_ENTRIES';
  const three = ['one', 'three', 'two'].map((name) => `${name}?${several}`);
  assert.deepEqual(await inEachOrder(entries, movements.slice(0, 2)), three);
  assert.deepEqual(await inEachOrder(entries.slice(0, 2), movements), [`one?${several}`, `two?${several}`]);
  assert.equal(
    (await inEachOrder(entries, movements))?.every((text) => text.includes('=')),
    true,
  );
});

test('a doubt about one of them is a doubt about all', async () => {
  const movements = [returned('a', FIRST, ['E-1']), returned('b', FIRST, ['E-1'])];
  const one = credit('one', FIRST, 'E-1');
  const several = 'SEVERAL_MOVEMENTS,SEVERAL_ENTRIES';
  const other = credit('two', FIRST, 'E-1', { payments: ['plan_1', 'plan_2'] });
  assert.deepEqual(await inEachOrder([one, other], movements), [
    `one?${several}`,
    `two?REFERENCE_DIFFERS,${several}`,
  ]);
  const taken = [returned('a', FIRST, ['E-1'], { taken: 5_000n }), movements[1] ?? assert.fail()];
  assert.deepEqual(await inEachOrder([one, credit('two', FIRST, 'E-1')], taken), [
    'one?SEVERAL_ENTRIES',
    'two?SEVERAL_ENTRIES',
  ]);
});

test('equal movements of two payments are no pairs', async () => {
  const movements = [
    returned('a', FIRST, [], { providerReference: 'P-1' }),
    returned('b', FIRST, [], { providerReference: 'P-1', payment: 'plan_2' }),
  ];
  const entries = ['one', 'two'].map((name) =>
    credit(name, FIRST, '', { references: ['P-1'], payments: [] }),
  );
  for (const text of (await inEachOrder(entries, movements)) ?? []) assert.match(text, /SEVERAL_MOVEMENTS/);
});

test('a fee under the id of two equal payments takes nothing from them', async () => {
  const out = { direction: 'OUT', isReversal: false } as const;
  const movements = ['a', 'b'].map((name) =>
    returned(name, FIRST, [], { direction: 'OUT', endToEndId: 'E-1' }),
  );
  const entries = ['one', 'two'].map((name) => credit(name, FIRST, 'E-1', out));
  const fee = credit('fee', FIRST, 'E-1', { ...out, minor: 25n });
  assert.deepEqual(await inEachOrder([...entries, fee], movements), [
    'fee?AMOUNT_DIFFERS,SEVERAL_MOVEMENTS,SEVERAL_ENTRIES',
    'one=mov_a',
    'two=mov_b',
  ]);
});

test('thousands of equal credits and returns are not gone through pair by pair', async () => {
  const movements = Array.from({ length: 3_000 }, (_, index) => returned(String(index), FIRST, ['E-1']));
  const entries = Array.from({ length: 3_000 }, (_, index) => credit(String(index), FIRST, 'E-1'));
  const startedMs = performance.now();
  const results = await matchEntries(entries, movements);
  assert.ok(results.every(({ status }) => status === 'TENTATIVE'));
  assert.ok(performance.now() - startedMs < 5_000);
});
