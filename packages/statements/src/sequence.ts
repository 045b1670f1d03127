import type { StatementSection } from './statement.ts';

/** What places a statement among those of its account. */
export type StatementBounds = Pick<StatementSection, 'number' | 'opening' | 'closing'>;

/**
 * Those of some statements of the same account that a statement shares no entry with, because it follows them or they follow it, at once or
 * with others between. One follows another if it opens with the balance that the other closes with, and neither begins nor ends on an
 * earlier day. A statement that closes with what it opens with would follow itself: then their numbers must differ, too. Statements of
 * which this is not known may cover the same entries, such as those of a day so far and of the whole day.
 *
 * @example
 * ```ts
 * import { type StatementBounds, statementsApart } from '@fairway/statements';
 *
 * const of = (opening: bigint, closing: bigint): StatementBounds => ({
 *   opening: { minor: opening, on: '2026-11-24' },
 *   closing: { minor: closing, on: '2026-11-24' },
 * });
 * const [morning, noon, day] = [of(100n, 90n), of(90n, 80n), of(100n, 80n)];
 * statementsApart(noon, [morning, day]); // [morning]
 * ```
 */
export function statementsApart<Known extends StatementBounds>(
  statement: StatementBounds,
  known: readonly Known[],
): readonly Known[] {
  const before = reached(statement, known, (from, to) => isFollowing(to, from));
  const after = reached(statement, known, isFollowing);
  return known.filter((each) => (before.has(each) || after.has(each)) && !isSame(each, statement));
}

function reached<Known extends StatementBounds>(
  start: StatementBounds,
  known: readonly Known[],
  leads: (from: StatementBounds, to: Known) => boolean,
): ReadonlySet<Known> {
  const found = new Set<Known>();
  const open: StatementBounds[] = [start];
  for (let from = open.pop(); from !== undefined; from = open.pop())
    for (const to of known)
      if (!found.has(to) && leads(from, to)) {
        found.add(to);
        open.push(to);
      }
  return found;
}

/** Whether `after` follows `before`. */
function isFollowing(before: StatementBounds, after: StatementBounds): boolean {
  const { opening, closing } = before;
  if (opening === undefined || closing?.minor !== after.opening?.minor) return false;
  if (closing === undefined || after.opening === undefined || after.closing === undefined) return false;
  if (opening.on > after.opening.on || closing.on > after.closing.on || isSame(before, after)) return false;
  const areBothMoved = opening.minor !== closing.minor && after.opening.minor !== after.closing.minor;
  const areNumbered = before.number !== undefined && after.number !== undefined;
  return areBothMoved || (areNumbered && before.number !== after.number);
}

/** Whether both may be the same statement, sent again. */
function isSame(one: StatementBounds, other: StatementBounds): boolean {
  const boundsOf = ({ number, opening, closing }: StatementBounds) =>
    [number, opening?.minor, opening?.on, closing?.minor, closing?.on].join(' ');
  return boundsOf(one) === boundsOf(other);
}
