// Which entries of several files are one: those of files that may overlap, and never those of statements that follow each other.
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
function entriesAfter(...files: readonly (readonly StatementSection[])[]): readonly number[] {
  const known: (StatementSection & { readonly identities: Set<string> })[] = [];
  const all = new Set<string>();
  return files.map((file) => {
    const own = file.map((section) => ({ ...section, identities: new Set<string>() }));
    const taken = own.map(
      (section) =>
        new Set(
          statementsApart(section, [...known, ...own.filter((each) => each !== section)]).flatMap((apart) =>
            known.includes(apart) ? [...apart.identities] : [],
          ),
        ),
    );
    for (const each of identifyUnits(file, (section, identity) => taken[section]?.has(identity) === true)) {
      own[each.section]?.identities.add(each.identity);
      all.add(each.identity);
    }
    known.push(...own);
    return all.size;
  });
}

const [ten, eleven, twelve] = [
  statement(100, [-5], '10'),
  statement(95, [-5], '11'),
  statement(90, [-5], '12'),
];

test('equal payments of statements that follow each other are two, in whatever order they come', () => {
  assert.deepEqual(entriesAfter([ten], [eleven], [twelve]), [1, 2, 3]);
  // While eleven is not known, nothing says that ten and twelve are not of the same time.
  assert.deepEqual(entriesAfter([twelve], [ten], [eleven]), [1, 1, 2]);
  assert.deepEqual(entriesAfter([eleven], [ten], [twelve]), [1, 2, 3]);
  assert.deepEqual(entriesAfter([ten, eleven], [twelve]), [2, 3]);
  assert.deepEqual(entriesAfter([ten], [eleven, twelve]), [1, 3]);
  const bare = [ten, eleven, twelve].map(({ number: _, ...each }) => [each]);
  assert.deepEqual(entriesAfter(...bare), [1, 2, 3], 'without numbers');
});

test('the same statement again, and one of the whole day, have the entries that are known', () => {
  const day = statement(100, [-5, -5, -5], '13');
  assert.deepEqual(entriesAfter([ten], [eleven], [ten], [eleven], [ten, eleven]), [1, 2, 2, 2, 2]);
  assert.deepEqual(entriesAfter([eleven], [ten], [eleven], [ten]), [1, 2, 2, 2]);
  assert.deepEqual(entriesAfter([ten], [eleven], [twelve], [day], [day]), [1, 2, 3, 3, 3]);
  assert.deepEqual(entriesAfter([day], [ten], [eleven], [twelve]), [3, 3, 3, 3]);
  const later = statement(100, [-5, -7], '10');
  assert.deepEqual(entriesAfter([ten], [later]), [1, 2], 'the day so far, and more of it');
  const since = statement(110, [-10, -5], '9', '2026-11-23');
  assert.deepEqual(entriesAfter([ten], [since]), [1, 2], 'a file that begins a day before');
});

test('a statement that closes with what it opened with is told from others by its number', () => {
  const even = (number?: string) => statement(100, [-5, 5], number);
  const next = (number?: string) => statement(100, [-5], number);
  assert.deepEqual(entriesAfter([even('1')], [next('2')]), [2, 3]);
  assert.deepEqual(entriesAfter([even('1')], [even('1')]), [2, 2]);
  assert.deepEqual(entriesAfter([even()], [next()]), [2, 2], 'it may cover the same');
  assert.deepEqual(entriesAfter([even()], [even()]), [2, 2]);
});

test('without balances, equal payments of two files are one', () => {
  const { opening: _, closing: _closing, ...bare } = ten;
  assert.deepEqual(entriesAfter([bare], [bare], [eleven]), [1, 1, 1]);
});
