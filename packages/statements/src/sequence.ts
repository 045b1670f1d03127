import { signedMinor } from './balance.ts';
import type { StatementSection, StatementUnit } from './statement.ts';

/** What places a statement among those of its account. `units`: in the order of the statement. */
export type PlacedStatement = Pick<StatementSection, 'number' | 'opening' | 'closing'> & {
  readonly units: readonly Pick<StatementUnit, 'direction' | 'minor'>[];
};

/**
 * Those of some statements of the same account that a statement shares no entry with. Two statements share none if one follows the other, at
 * once or with others between, or if no balance of theirs says that they cover the same time: they open and close with different balances,
 * and no entry of both takes the balance from the same amount to the same amount. One follows another if it opens with the balance that the
 * other closes with, and neither begins nor ends on an earlier day; one that closes with what it opens with would follow itself, so that
 * their numbers must differ, too. A statement of which the other has every entry at the same balance is a part of it, unless both are counted.
 * `between`: others that may lie between two.
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
 * statementsApart(noon, [morning, day]); // [morning]
 * ```
 */
export function statementsApart<Known extends PlacedStatement>(
  statement: PlacedStatement,
  known: readonly Known[],
  between: readonly PlacedStatement[] = [],
): readonly Known[] {
  const all = [...known, ...between];
  const before = reached(statement, all, (from, to) => isFollowing(to, from));
  const after = reached(statement, all, isFollowing);
  return known.filter((each) => {
    if (isSame(each, statement)) return false;
    if (before.has(each) || after.has(each)) return areCounted(each, statement) || !isPart(each, statement);
    return !mayOverlap(each, statement);
  });
}

function reached(
  start: PlacedStatement,
  known: readonly PlacedStatement[],
  leads: (from: PlacedStatement, to: PlacedStatement) => boolean,
): ReadonlySet<PlacedStatement> {
  const found = new Set<PlacedStatement>();
  const open: PlacedStatement[] = [start];
  for (let from = open.pop(); from !== undefined; from = open.pop())
    for (const to of known)
      if (!found.has(to) && leads(from, to)) {
        found.add(to);
        open.push(to);
      }
  return found;
}

/** Whether `after` follows `before`. */
function isFollowing(before: PlacedStatement, after: PlacedStatement): boolean {
  const { opening, closing } = before;
  if (opening === undefined || closing?.minor !== after.opening?.minor) return false;
  if (closing === undefined || after.opening === undefined || after.closing === undefined) return false;
  if (opening.on > after.opening.on || closing.on > after.closing.on || isSame(before, after)) return false;
  const areBothMoved = !isEven(before) && !isEven(after);
  return areBothMoved || areNumberedApart(before, after);
}

/** Whether both may be the same statement, sent again. */
function isSame(one: PlacedStatement, other: PlacedStatement): boolean {
  const boundsOf = ({ opening, closing }: PlacedStatement) =>
    [opening?.minor, opening?.on, closing?.minor, closing?.on].join(' ');
  return boundsOf(one) === boundsOf(other) && !areNumberedApart(one, other);
}

/** Whether both have a number, and not the same. */
function areNumberedApart(one: PlacedStatement, other: PlacedStatement): boolean {
  return one.number !== undefined && other.number !== undefined && one.number !== other.number;
}

/** Whether the servicer counts them: then another number is another statement, and no copy of it. */
function areCounted(one: PlacedStatement, other: PlacedStatement): boolean {
  return areNumberedApart(one, other) && [one, other].every(({ number = '' }) => /^\d+$/.test(number));
}

/** Whether a statement closes with what it opens with. */
function isEven({ opening, closing }: PlacedStatement): boolean {
  return opening?.minor === closing?.minor;
}

/** Whether balances say, or do not rule out, that both cover the same time. */
function mayOverlap(one: PlacedStatement, other: PlacedStatement): boolean {
  const { opening, closing } = one;
  if (opening === undefined || closing === undefined) return true;
  if (other.opening === undefined || other.closing === undefined) return true;
  if (opening.minor === other.opening.minor || closing.minor === other.closing.minor) return true;
  // A file may have the newest entry first.
  const steps = new Set([...stepsOf(other), ...stepsOf(reversed(other))]);
  return [...stepsOf(one), ...stepsOf(reversed(one))].some((step) => steps.has(step));
}

/** Whether one of both has every entry of the other at the same balance, and more. An even one may also be a copy. */
function isPart(one: PlacedStatement, other: PlacedStatement): boolean {
  const [part, whole] = one.units.length <= other.units.length ? [one, other] : [other, one];
  if (part.units.length === whole.units.length && !isEven(whole)) return false;
  const counts = new Map<string, number>();
  for (const step of stepsOf(whole)) counts.set(step, (counts.get(step) ?? 0) + 1);
  for (const step of stepsOf(part)) {
    const count = counts.get(step) ?? 0;
    if (count === 0) return false;
    counts.set(step, count - 1);
  }
  return true;
}

function reversed(statement: PlacedStatement): PlacedStatement {
  return { ...statement, units: statement.units.toReversed() };
}

/** From which balance to which each entry of a statement leads. */
function stepsOf({ opening, units }: PlacedStatement): readonly string[] {
  let balance = opening?.minor ?? 0n;
  return units.map((unit) => {
    const from = balance;
    balance += signedMinor(unit);
    return `${from} ${balance}`;
  });
}
