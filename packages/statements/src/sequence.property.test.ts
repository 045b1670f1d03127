// Which statements are apart, by the written rule: each pair is looked at by itself, and each chain is followed
// statement by statement.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runs, seed } from '@fairway/testing/properties';
import fc from 'fast-check';
import { identifyUnits, type PlacedStatement, type StatementSection, statementsApart } from './index.ts';

const isSame = (one: PlacedStatement, other: PlacedStatement) =>
  boundsOf(one) === boundsOf(other) && !areNumberedApart(one, other);
const boundsOf = ({ opening, closing }: PlacedStatement) =>
  [opening?.minor, opening?.on, closing?.minor, closing?.on].join(' ');
const areNumberedApart = (one: PlacedStatement, other: PlacedStatement) =>
  one.number !== undefined && other.number !== undefined && one.number !== other.number;
const isEven = ({ opening, closing }: PlacedStatement) => opening?.minor === closing?.minor;

function isFollowing(before: PlacedStatement, after: PlacedStatement): boolean {
  const { opening, closing } = before;
  if (!opening || !closing || !after.opening || !after.closing) return false;
  if (closing.minor !== after.opening.minor || isSame(before, after)) return false;
  if (opening.on > after.opening.on || closing.on > after.closing.on) return false;
  return (!isEven(before) && !isEven(after)) || areNumberedApart(before, after);
}

function reached(start: PlacedStatement, all: readonly PlacedStatement[], leads: typeof isFollowing) {
  const found = new Set<PlacedStatement>();
  const open = [start];
  for (let from = open.pop(); from !== undefined; from = open.pop())
    for (const to of all)
      if (!found.has(to) && leads(from, to)) {
        found.add(to);
        open.push(to);
      }
  return found;
}

function stepsOf({ opening, units }: PlacedStatement): readonly string[] {
  let balance = opening?.minor ?? 0n;
  return units.map(({ direction, minor }) => {
    const from = balance;
    balance += direction === 'IN' ? minor : -minor;
    return `${from} ${balance}`;
  });
}

function isPart(one: PlacedStatement, other: PlacedStatement): boolean {
  const [part, whole] = one.units.length <= other.units.length ? [one, other] : [other, one];
  if (part.units.length === whole.units.length && !isEven(whole)) return false;
  const left = [...stepsOf(whole)];
  return stepsOf(part).every((step) => left.includes(step) && left.splice(left.indexOf(step), 1).length > 0);
}

function overlap(one: PlacedStatement, other: PlacedStatement): boolean {
  if (one.opening?.minor === other.opening?.minor || one.closing?.minor === other.closing?.minor) return true;
  const both = (each: PlacedStatement) => [
    ...stepsOf(each),
    ...stepsOf({ ...each, units: each.units.toReversed() }),
  ];
  return both(one).some((step) => both(other).includes(step));
}

function areApartByRule(statement: PlacedStatement, known: PlacedStatement, all: readonly PlacedStatement[]) {
  const isCounted = [statement, known].every(({ number = '' }) => /^\d+$/.test(number));
  if (isSame(known, statement)) return false;
  const isReached =
    reached(statement, all, isFollowing).has(known) ||
    reached(statement, all, (from, to) => isFollowing(to, from)).has(known);
  if (!isReached) return !overlap(known, statement);
  return (isCounted && areNumberedApart(known, statement)) || !isPart(known, statement);
}

const areNear = (one: PlacedStatement, other: PlacedStatement) =>
  (one.opening?.on ?? '') <= (other.closing?.on ?? '') &&
  (other.opening?.on ?? '') <= (one.closing?.on ?? '');

const statement = fc
  .record({
    opening: fc.integer({ min: 0, max: 3 }),
    amounts: fc.array(fc.constantFrom(-2, -1, 1, 2), { maxLength: 4 }),
    days: fc.tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 0, max: 2 })),
    number: fc.constantFrom(undefined, '1', '2', '3', 'A'),
  })
  .map(({ opening, amounts, days: [first, more], number }): PlacedStatement => {
    const closing = amounts.reduce((sum, each) => sum + each, opening);
    return {
      opening: { minor: BigInt(opening), on: `2026-11-0${first}` },
      closing: { minor: BigInt(closing), on: `2026-11-0${first + more}` },
      units: amounts.map((each) => ({ direction: each < 0 ? 'OUT' : 'IN', minor: BigInt(Math.abs(each)) })),
      ...(number === undefined ? {} : { number }),
    };
  });

test('statements are apart by the rule, however many have one balance', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(statement, { minLength: 1, maxLength: 5 }),
      fc.array(statement, { maxLength: 9 }),
      async (file, known) => {
        const areApart = await statementsApart(file, known, async function* (places) {
          for (const at of places) for (const unit of known[at]?.units ?? []) yield { at, units: [unit] };
        });
        for (const [section, own] of file.entries()) {
          const near = known.filter((each) => areNear(own, each));
          for (const [at, each] of known.entries())
            assert.equal(
              areApart(section, at),
              near.includes(each) && areApartByRule(own, each, [...near, ...file]),
              `${section} ${at}`,
            );
        }
      },
    ),
    { seed, numRuns: runs(1_000) },
  ));

test('an entry has the first count that its file and the statements apart from it leave free', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(fc.constantFrom('a', 'b'), { maxLength: 12 }), { minLength: 1, maxLength: 6 }),
      fc.array(fc.tuple(fc.constantFrom('a', 'b'), fc.integer({ min: 1, max: 30 }), fc.nat({ max: 3 })), {
        maxLength: 40,
      }),
      fc.array(fc.boolean(), { minLength: 24, maxLength: 24 }),
      async (texts, held, apart) => {
        const sections = texts.map(
          (of): StatementSection => ({
            ...{ account: 'A', currency: 'AUD' },
            units: of.map((servicerReference) => ({
              ...{ direction: 'IN', minor: 1n, bookedOn: '2026-11-24', valueOn: '2026-11-24' },
              ...{ isReversal: false, isRest: false, references: [], servicerReference },
            })),
          }),
        );
        const areApart = (section: number, at: number) => apart[4 * section + at] === true;
        const holders = (text: string, count: number) =>
          held.filter((each) => each[0] === text && each[1] === count).map(([, , at]) => at);
        const found: number[] = [];
        const holdersOf = async (identities: readonly string[]) =>
          identities.map((identity) =>
            holders(identity.includes('"a"') ? 'a' : 'b', Number.parseInt(identity)),
          );
        for await (const { identity } of identifyUnits(sections, { areApart, holdersOf }))
          found.push(Number.parseInt(identity));
        const used = new Set<string>();
        const expected = texts.flatMap((of, section) => {
          const last = { a: 0, b: 0 };
          return of.map((text) => {
            let count = last[text] + 1;
            const isTaken = () => holders(text, count).some((at) => areApart(section, at));
            while (used.has(`${text}${count}`) || isTaken()) count += 1;
            used.add(`${text}${count}`);
            return (last[text] = count);
          });
        });
        assert.deepEqual(found, expected);
      },
    ),
    { seed, numRuns: runs(1_000) },
  ));
