import { signedMinor } from './balance.ts';
import { chainOf, reachedFrom, type StatementHead } from './chain.ts';
import type { StatementUnit } from './statement.ts';
import { createTurns, type Turns } from './turns.ts';

type Amount = Pick<StatementUnit, 'direction' | 'minor'>;

/** A statement of a file, with its balances and its entries as `units`, in the order of the statement. */
export type PlacedStatement = StatementHead & { readonly units: readonly Amount[] };

/** Some units of a known statement, in its order. `at` is the index of the statement. */
export type KnownUnits = { readonly at: number; readonly units: readonly Amount[] };

/** Whether a statement of the file shares no entry with a known statement. Both are given by their index. */
export type AreApart = (inFile: number, known: number) => boolean;

/**
 * What balances, days and numbers tell about two statements. SHARED: they may share entries. APART: they share none.
 * UNLESS_PART: they share none, unless one is a part of the other. UNLESS_OVERLAP: they share none, unless their
 * entries overlap.
 */
const [SHARED, APART, UNLESS_PART, UNLESS_OVERLAP] = [0, 1, 2, 3] as const;

/**
 * Finds which known statements of an account share no entry with a statement of a file. Two statements share none if
 * one follows the other, directly or with others between. They also share none if no balance shows that they cover the
 * same time. For this, their opening and closing balances must differ. No entry of one may have the same balances
 * before and after it as an entry of the other. One follows another if it opens with the balance that the other closes
 * with, and neither begins nor ends on an earlier day. A statement that opens and closes with the same balance would
 * follow itself, so their numbers must differ, too. A statement is a part of another one if that one has all of its
 * entries at the same balances. Statements with different running numbers are no parts of each other. Statements of
 * different days are not compared. `unitsOf` reads the units of the known statements at some indices, one statement
 * after the other. It is asked once, and each unit is looked at once.
 *
 * @example
 * ```ts
 * import { type PlacedStatement, statementsApart } from '@fairway/statements';
 *
 * const of = (opening: bigint, ...amounts: readonly bigint[]): PlacedStatement => ({
 *   opening: { minor: opening, on: '2026-11-24' },
 *   closing: { minor: amounts.reduce((sum, minor) => sum - minor, opening), on: '2026-11-24' },
 *   units: amounts.map((minor) => ({ direction: 'OUT', minor })),
 * });
 * const [morning, noon, day] = [of(100n, 10n), of(90n, 10n), of(100n, 10n, 10n)];
 * const known = [morning, day];
 * const areApart = await statementsApart([noon], known, async function* (places) {
 *   for (const at of places) yield { at, units: known[at]?.units ?? [] };
 * });
 * areApart(0, 0); // true: the morning's statement is another one
 * areApart(0, 1); // false
 * ```
 */
export async function statementsApart(
  file: readonly PlacedStatement[],
  known: readonly StatementHead[],
  unitsOf: (places: readonly number[]) => AsyncIterable<KnownUnits>,
  turns: Turns = createTurns(),
): Promise<AreApart> {
  const relations = known.map(() => new Uint8Array(file.length));
  const all = [...known, ...file];
  const chains = { FORWARDS: chainOf(all, 'FORWARDS'), BACKWARDS: chainOf(all, 'BACKWARDS') };
  for (const [section, statement] of file.entries()) {
    const isNear = known.map((each) => areNear(statement, each));
    const reached = (direction: keyof typeof chains) =>
      reachedFrom(statement, direction, chains[direction], (at) => at >= known.length || isNear[at] === true);
    const [after, before] = [reached('FORWARDS'), reached('BACKWARDS')];
    for (const [at, each] of known.entries()) {
      const row = relations[at];
      if (row !== undefined && isNear[at] === true)
        row[section] = relationOf(each, statement, after.has(at) || before.has(at));
    }
    await turns.step(Math.ceil(all.length / HEADS_A_STEP));
  }
  await compareUnits(file, known, relations, unitsOf, turns);
  return (section, at) => relations[at]?.[section] === APART;
}

/** Looking at this many statements counts as one step of `Turns`. */
const HEADS_A_STEP = 10;

function areNear(one: StatementHead, other: StatementHead): boolean {
  if (one.opening === undefined || one.closing === undefined) return false;
  if (other.opening === undefined || other.closing === undefined) return false;
  return one.opening.on <= other.closing.on && other.opening.on <= one.closing.on;
}

function relationOf(one: StatementHead, other: StatementHead, isReached: boolean): number {
  if (isSame(one, other)) return SHARED;
  if (isReached) return areCounted(one, other) ? APART : UNLESS_PART;
  const isOneBalance =
    one.opening?.minor === other.opening?.minor || one.closing?.minor === other.closing?.minor;
  return isOneBalance ? SHARED : UNLESS_OVERLAP;
}

/** Whether both may be the same statement, sent again. */
function isSame(one: StatementHead, other: StatementHead): boolean {
  return (
    one.opening?.minor === other.opening?.minor &&
    one.closing?.minor === other.closing?.minor &&
    one.opening?.on === other.opening?.on &&
    one.closing?.on === other.closing?.on &&
    !areNumberedApart(one, other)
  );
}

/** Whether both have a number, and the numbers differ. */
function areNumberedApart(one: StatementHead, other: StatementHead): boolean {
  return one.number !== undefined && other.number !== undefined && one.number !== other.number;
}

/**
 * Whether the bank gives its statements running numbers. Then a different number means another statement, not a copy.
 */
function areCounted(one: StatementHead, other: StatementHead): boolean {
  return areNumberedApart(one, other) && [one, other].every(({ number = '' }) => /^\d+$/.test(number));
}

/** Whether a statement opens and closes with the same balance. */
function isEven({ opening, closing }: StatementHead): boolean {
  return opening?.minor === closing?.minor;
}

/**
 * The steps of a file: the balance before each entry and after it. `forwards`: which statements have a step, and how
 * often. `either`: which have it when their entries are read in either order, oldest or newest first.
 */
type Steps = {
  readonly forwards: ReadonlyMap<string, ReadonlyMap<number, number>>;
  readonly either: ReadonlyMap<string, ReadonlySet<number>>;
};

async function stepsOfFile(file: readonly PlacedStatement[], turns: Turns): Promise<Steps> {
  const forwards = new Map<string, Map<number, number>>();
  const either = new Map<string, Set<number>>();
  for (const [section, statement] of file.entries()) {
    const walk = createWalk(statement);
    for (const unit of statement.units) {
      const [step, mirrored] = walk(unit);
      const counts = forwards.get(step) ?? new Map<number, number>();
      forwards.set(step, counts.set(section, (counts.get(section) ?? 0) + 1));
      for (const each of [step, mirrored]) either.set(each, (either.get(each) ?? new Set()).add(section));
      await turns.step();
    }
  }
  return { forwards, either };
}

/** Gives the step of each unit of a statement, and the step that it would be if the newest unit came first. */
function createWalk({ opening, closing }: StatementHead): (unit: Amount) => readonly [string, string] {
  let balance = opening?.minor ?? 0n;
  const sum = balance + (closing?.minor ?? 0n);
  return (unit) => {
    const from = balance;
    balance += signedMinor(unit);
    return [`${from} ${balance}`, `${sum - balance} ${sum - from}`];
  };
}

/** How a known statement compares with each statement of a file. `matched`: how many steps they have in common. */
type Comparison = {
  readonly at: number;
  readonly walk: ReturnType<typeof createWalk>;
  readonly matched: Uint32Array;
  readonly overlaps: Uint8Array;
  readonly seen: Map<string, number>;
  length: number;
};

/**
 * Decides the relations that balances left open. The units of the known statements are read once for all statements of
 * the file.
 */
async function compareUnits(
  file: readonly PlacedStatement[],
  known: readonly StatementHead[],
  relations: readonly Uint8Array[],
  unitsOf: (places: readonly number[]) => AsyncIterable<KnownUnits>,
  turns: Turns,
): Promise<void> {
  const open = [...relations.keys()].filter((at) => relations[at]?.some((each) => each > APART) === true);
  if (open.length === 0) return;
  const steps = await stepsOfFile(file, turns);
  const begin = (at: number): Comparison => ({
    at,
    walk: createWalk(known[at] ?? {}),
    matched: new Uint32Array(file.length),
    overlaps: new Uint8Array(file.length),
    seen: new Map(),
    length: 0,
  });
  const settle = (comparison: Comparison) => {
    const row = relations[comparison.at];
    for (const [section, relation] of row?.entries() ?? [])
      if (row !== undefined && relation > APART)
        row[section] = isSharing(file[section], relation, comparison, section) ? SHARED : APART;
  };
  const left = new Set(open);
  let current: Comparison | undefined;
  for await (const { at, units } of unitsOf(open)) {
    if (current?.at !== at) {
      if (current !== undefined) settle(current);
      current = begin(at);
      left.delete(at);
    }
    for (const unit of units) {
      const compared = compareUnit(current, steps, unit);
      await turns.step(1 + Math.ceil(compared / SECTIONS_A_STEP));
    }
  }
  if (current !== undefined) settle(current);
  for (const at of left) settle(begin(at));
}

/** Comparing a unit with this many statements of the file counts as one step of `Turns`. */
const SECTIONS_A_STEP = 50;

/** Compares one unit. Returns how many statements of the file have its step. */
function compareUnit(comparison: Comparison, { forwards, either }: Steps, unit: Amount): number {
  const { matched, overlaps, seen } = comparison;
  const [step, mirrored] = comparison.walk(unit);
  comparison.length += 1;
  const counts = forwards.get(step);
  let compared = 0;
  if (counts !== undefined) {
    const count = (seen.get(step) ?? 0) + 1;
    seen.set(step, count);
    for (const [section, most] of counts) if (count <= most) matched[section] = (matched[section] ?? 0) + 1;
    compared += counts.size;
  }
  for (const each of [step, mirrored]) {
    const sections = either.get(each);
    if (sections === undefined) continue;
    for (const section of sections) overlaps[section] = 1;
    compared += sections.size;
  }
  return compared;
}

/**
 * Whether a statement of the file and a known one have entries in common after all. They cover the same time, or one
 * has all entries of the other at the same balances, and further ones. A statement with equal opening and closing
 * balance may also be a copy.
 */
function isSharing(
  inFile: PlacedStatement | undefined,
  relation: number,
  { matched, overlaps, length }: Comparison,
  section: number,
): boolean {
  if (relation === UNLESS_OVERLAP) return overlaps[section] === 1;
  const ownLength = inFile?.units.length ?? 0;
  if (length === ownLength && !isEven(inFile ?? {})) return false;
  return matched[section] === Math.min(length, ownLength);
}
