import type { StatementSection } from './statement.ts';

/** What shows the place of a statement among all statements of its account. */
export type StatementHead = Pick<StatementSection, 'number' | 'opening' | 'closing'>;

/**
 * A statement as a step of a chain: it leads from one balance to another. `first` and `last`: its days; `at`: its index
 * among all statements.
 */
type Link = {
  readonly at: number;
  readonly enter: bigint;
  readonly leave: bigint;
  readonly first: number;
  readonly last: number;
  readonly number: string | undefined;
};

/** The statements of one time, by the balance that they begin with. */
type Links = {
  readonly first: number;
  readonly last: number;
  readonly byEnter: ReadonlyMap<bigint, readonly Link[]>;
};

/** Statements in the order in which they can follow each other. */
export type Chain = readonly Links[];

const DAY_MS = 86_400_000;

/**
 * Statements in the order in which one can follow another: FORWARDS in time, or BACKWARDS in time. Statements without
 * balances are left out.
 */
export function chainOf(heads: readonly StatementHead[], direction: 'FORWARDS' | 'BACKWARDS'): Chain {
  const links = heads.flatMap((head, at) => linkOf(head, at, direction) ?? []);
  const groups = Map.groupBy(links, ({ first, last }) => `${first} ${last}`);
  return [...groups.values()]
    .map((group) => ({
      first: group[0]?.first ?? 0,
      last: group[0]?.last ?? 0,
      byEnter: Map.groupBy(group, ({ enter }) => enter),
    }))
    .sort((one, other) => one.first - other.first || one.last - other.last);
}

function linkOf(
  { opening, closing, number }: StatementHead,
  at: number,
  direction: 'FORWARDS' | 'BACKWARDS',
): Link | undefined {
  if (opening === undefined || closing === undefined) return undefined;
  const [from, to] = [Date.parse(opening.on) / DAY_MS, Date.parse(closing.on) / DAY_MS];
  return direction === 'FORWARDS'
    ? { at, enter: opening.minor, leave: closing.minor, first: from, last: to, number }
    : { at, enter: closing.minor, leave: opening.minor, first: -from, last: -to, number };
}

/**
 * How a balance was reached. `moved`: the earliest day on which a statement reached it from another balance.
 * `numbered`: the two earliest statements with different numbers that reached it. For any third statement, at least one
 * of the two has another number.
 */
type Reached = { moved: number; numbered: { readonly number: string; readonly last: number }[] };

/**
 * The indices of the statements that a statement leads to, directly or over others. One follows another if it begins
 * with the balance that the other ends with, and neither begins nor ends on an earlier day. A statement that begins and
 * ends with the same balance would follow itself, so then the numbers must differ, too. Each statement is looked at
 * only a few times, even if many have the same balance. `mayPass`: which statements count.
 */
export function reachedFrom(
  start: StatementHead,
  direction: 'FORWARDS' | 'BACKWARDS',
  chain: Chain,
  mayPass: (at: number) => boolean,
): ReadonlySet<number> {
  const found = new Set<number>();
  const begin = linkOf(start, -1, direction);
  if (begin === undefined) return found;
  const reached = new Map<bigint, Reached>();
  widen(reached, begin);
  for (const { first, last, byEnter } of chain) {
    if (first < begin.first || last < begin.last) continue;
    const waiting = new Map<bigint, readonly Link[]>();
    // Statements of the same days may lead to each other in any order, so this list grows while the loop runs.
    const balances = byEnter.size < reached.size ? [...byEnter.keys()] : [...reached.keys()];
    for (const balance of balances) {
      const by = reached.get(balance);
      const links = waiting.get(balance) ?? byEnter.get(balance);
      if (by === undefined || links === undefined) continue;
      const left: Link[] = [];
      for (const link of links) {
        if (!mayPass(link.at) || !isReached(link, by)) left.push(link);
        else {
          found.add(link.at);
          if (widen(reached, link)) balances.push(link.leave);
        }
      }
      waiting.set(balance, left);
    }
  }
  return found;
}

function isReached(link: Link, { moved, numbered }: Reached): boolean {
  const { enter, leave, last, number } = link;
  if (enter !== leave && moved <= last) return true;
  return number !== undefined && numbered.some((each) => each.number !== number && each.last <= last);
}

/** Notes that the closing balance of a statement was reached. Returns whether this changed what is known. */
function widen(reached: Map<bigint, Reached>, { enter, leave, last, number }: Link): boolean {
  const by = reached.get(leave) ?? { moved: Number.POSITIVE_INFINITY, numbered: [] };
  reached.set(leave, by);
  const isEarlier = enter !== leave && last < by.moved;
  if (isEarlier) by.moved = last;
  if (number === undefined) return isEarlier;
  const same = by.numbered.find((each) => each.number === number);
  if (same !== undefined && same.last <= last) return isEarlier;
  const others = by.numbered.filter((each) => each.number !== number).toSorted((a, b) => a.last - b.last);
  if (others.length > 1 && (others[1]?.last ?? 0) <= last) return isEarlier;
  by.numbered = [...others.slice(0, 1), { number, last }];
  return true;
}
