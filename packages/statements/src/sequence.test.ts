// Which entries of several files are one: entries of files that may overlap, and never entries of statements that
// follow each other.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { identifyUnits, type StatementSection, type StatementUnit, statementsApart } from './index.ts';

const DAY = '2026-11-24';
const unit = (minor: number): StatementUnit => ({
  ...{ direction: minor < 0 ? 'OUT' : 'IN', minor: BigInt(Math.abs(minor)), bookedOn: DAY, valueOn: DAY },
  ...{ isReversal: false, isRest: false, references: [], name: 'Cy Twice' },
});

/** A statement of these payments that opens with an amount. */
function statement(opening: number, minors: readonly number[], number?: string, on = DAY): StatementSection {
  const closing = minors.reduce((sum, minor) => sum + minor, opening);
  return {
    ...{ account: 'A-1', currency: 'AUD', units: minors.map(unit) },
    ...(number === undefined ? {} : { number }),
    ...{ opening: { minor: BigInt(opening), on }, closing: { minor: BigInt(closing), on: DAY } },
  };
}

/** How many entries there are after each of some files. */
async function entriesAfter(...files: readonly (readonly StatementSection[])[]): Promise<readonly number[]> {
  const known: (StatementSection & { readonly identities: Set<string> })[] = [];
  const all = new Set<string>();
  const counts: number[] = [];
  for (const file of files) {
    const own = file.map((section) => ({ ...section, identities: new Set<string>() }));
    const areApart = await statementsApart(own, known, async function* (places) {
      for (const at of places) for (const each of known[at]?.units ?? []) yield { at, units: [each] };
    });
    const holdersOf = async (identities: readonly string[]) =>
      identities.map((identity) => [...known.keys()].filter((at) => known[at]?.identities.has(identity)));
    for await (const each of identifyUnits(file, { areApart, holdersOf })) {
      own[each.section]?.identities.add(each.identity);
      all.add(each.identity);
    }
    known.push(...own);
    counts.push(all.size);
  }
  return counts;
}

const [ten, eleven, twelve] = [
  statement(100, [-5], '10'),
  statement(95, [-5], '11'),
  statement(90, [-5], '12'),
];

test('equal payments of statements that follow each other are two, in whatever order they come', async () => {
  assert.deepEqual(await entriesAfter([ten], [eleven], [twelve]), [1, 2, 3]);
  assert.deepEqual(await entriesAfter([twelve], [ten], [eleven]), [1, 2, 3]);
  assert.deepEqual(
    await entriesAfter([twelve], [ten], [eleven], [ten], [twelve], [eleven]),
    [1, 2, 3, 3, 3, 3],
  );
  assert.deepEqual(await entriesAfter([eleven], [ten], [twelve]), [1, 2, 3]);
  assert.deepEqual(await entriesAfter([ten, eleven], [twelve]), [2, 3]);
  assert.deepEqual(await entriesAfter([ten], [eleven, twelve]), [1, 3]);
  const bare = [ten, eleven, twelve].map(({ number: _, ...each }) => [each]);
  assert.deepEqual(await entriesAfter(...bare), [1, 2, 3], 'without numbers');
  const [first = [], second = [], third = []] = bare;
  assert.deepEqual(await entriesAfter(third, first, second), [1, 2, 3], 'without numbers, in another order');
});

test('paid, back, and paid again are three, where their ids tell the first from the third', async () => {
  const [paid, back] = [statement(100, [-10], 'I1'), statement(90, [10], 'I2')];
  const again = statement(100, [-10], 'I3');
  const day = statement(100, [-10, 10, -10], 'D');
  assert.deepEqual(await entriesAfter([paid], [back], [again], [day], [paid]), [1, 2, 3, 3, 3]);
  assert.deepEqual(await entriesAfter([day], [paid], [back], [again]), [3, 3, 3, 3]);
  const soFar = statement(100, [-10, 10], 'S');
  assert.deepEqual(await entriesAfter([paid], [back], [soFar]), [1, 2, 2], 'the day so far has both');
  const { number: _, ...copy } = again;
  assert.deepEqual(await entriesAfter([paid], [back], [copy]), [1, 2, 2], 'nothing tells it from a copy');
});

test('a statement of the middle of a day is part of the whole day, whichever comes first', async () => {
  const day = statement(100, [-5, -5, -5], 'D');
  assert.deepEqual(await entriesAfter([day], [statement(95, [-5], 'M')]), [3, 3]);
  assert.deepEqual(await entriesAfter([statement(95, [-5], 'M')], [day]), [1, 3]);
  const newestFirst = statement(100, [-7, -5], 'N');
  assert.deepEqual(await entriesAfter([newestFirst], [statement(95, [-7], 'M')]), [2, 2]);
  const evenDay = statement(100, [-5, 5, -5], 'E');
  assert.deepEqual(await entriesAfter([statement(100, [-5, 5], 'M')], [evenDay]), [2, 3]);
});

test('the same statement again, and one of the whole day, have the entries that are known', async () => {
  const day = statement(100, [-5, -5, -5], '13');
  assert.deepEqual(await entriesAfter([ten], [eleven], [ten], [eleven], [ten, eleven]), [1, 2, 2, 2, 2]);
  assert.deepEqual(await entriesAfter([eleven], [ten], [eleven], [ten]), [1, 2, 2, 2]);
  assert.deepEqual(await entriesAfter([ten], [eleven], [twelve], [day], [day]), [1, 2, 3, 3, 3]);
  assert.deepEqual(await entriesAfter([day], [ten], [eleven], [twelve]), [3, 3, 3, 3]);
  const later = statement(100, [-5, -7], '10');
  assert.deepEqual(await entriesAfter([ten], [later]), [1, 2], 'the day so far, and more of it');
  const since = statement(110, [-10, -5], '9', '2026-11-23');
  assert.deepEqual(await entriesAfter([ten], [since]), [1, 2], 'a file that begins a day before');
});

test('a statement that closes with what it opened with is told from others by its number', async () => {
  const even = (number?: string) => statement(100, [-5, 5], number);
  const next = (number?: string) => statement(100, [-5], number);
  assert.deepEqual(await entriesAfter([even('1')], [next('2')]), [2, 3]);
  assert.deepEqual(await entriesAfter([even('1')], [even('1')]), [2, 2]);
  assert.deepEqual(await entriesAfter([even()], [next()]), [2, 2], 'it may cover the same');
  assert.deepEqual(await entriesAfter([even()], [even()]), [2, 2]);
});

test('without balances, equal payments of two files are one', async () => {
  const { opening: _, closing: _closing, ...bare } = ten;
  assert.deepEqual(await entriesAfter([bare], [bare], [eleven]), [1, 1, 1]);
});
