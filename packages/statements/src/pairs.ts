import { byAge, isOfFailedAttempt, MOST_MEETINGS } from './finders.ts';
import type { MatchEntry, MatchMovement } from './matchable.ts';
import type { Turns } from './turns.ts';

/** What a stage has found. `isSure`: whether nothing but other entries and movements speaks against a pair. */
type Found = {
  meet(entry: MatchEntry): readonly MatchMovement[];
  isSure(entry: MatchEntry, movement: MatchMovement): boolean;
};

/**
 * The movements of entries that are as many as the movements they may be. All are of one payment, such as two returns
 * of the same amount. Nothing tells which entry is which, and nothing depends on it: the oldest come first.
 */
export async function pairsOf(
  claiming: readonly MatchEntry[],
  { meet, isSure }: Found,
  turns: Turns,
): Promise<ReadonlyMap<string, MatchMovement>> {
  const alike = new Map<MatchEntry, readonly MatchMovement[]>();
  const claimants = new Map<string, MatchEntry[]>();
  for (const entry of claiming) {
    const met = meet(entry).filter((movement) => isAlike(entry, movement));
    if (met.length > 0) alike.set(entry, met);
    for (const { movementId } of met) {
      const known = claimants.get(movementId) ?? [];
      claimants.set(movementId, known);
      // More than can be paired are as good as all.
      if (known.length < MOST_MEETINGS) known.push(entry);
    }
    await turns.step();
  }
  const pairs = new Map<string, MatchMovement>();
  const seen = new Set<MatchEntry>();
  for (const entry of alike.keys()) {
    if (seen.has(entry)) continue;
    const group = groupOf(entry, alike, claimants);
    for (const each of group) seen.add(each);
    // What may also be another amount is no pair.
    if (!group.every((each) => meet(each).length === alike.get(each)?.length)) continue;
    for (const [entryId, movement] of pairsWithin(group, alike, isSure)) pairs.set(entryId, movement);
    await turns.step();
  }
  return pairs;
}

/** Whether an entry claims a movement as far as money goes: a fee does not, nor does an attempt that failed. */
function isAlike(entry: MatchEntry, movement: MatchMovement): boolean {
  return (
    entry.direction === movement.direction &&
    entry.currency === movement.currency &&
    entry.minor === movement.minor &&
    !isOfFailedAttempt(entry, movement)
  );
}

type Alike = ReadonlyMap<MatchEntry, readonly MatchMovement[]>;

/** The entries that may be the same movements as an entry, as far as they can be paired. */
function groupOf(
  first: MatchEntry,
  alike: Alike,
  claimants: ReadonlyMap<string, readonly MatchEntry[]>,
): readonly MatchEntry[] {
  const group = new Set([first]);
  for (const entry of group) {
    if (group.size > MOST_MEETINGS) break;
    for (const { movementId } of alike.get(entry) ?? [])
      for (const other of claimants.get(movementId) ?? []) group.add(other);
  }
  return [...group];
}

function pairsWithin(
  entries: readonly MatchEntry[],
  alike: Alike,
  isSure: Found['isSure'],
): ReadonlyMap<string, MatchMovement> {
  const none = new Map<string, MatchMovement>();
  const metBy = (entry: MatchEntry) => alike.get(entry) ?? [];
  const movements = new Set(entries.flatMap(metBy));
  // An entry may meet more movements than are looked at.
  const isPaired = entries.length > 1 && entries.length < MOST_MEETINGS && entries.length === movements.size;
  if (!isPaired || new Set([...movements].map(({ payment }) => payment)).size > 1) return none;
  if (!entries.every((entry) => metBy(entry).every((movement) => isSure(entry, movement)))) return none;
  const pairs = new Map<string, MatchMovement>();
  // Who has the least choice comes first.
  for (const entry of entries.toSorted((a, b) => metBy(a).length - metBy(b).length || byDay(a, b))) {
    const [oldest] = metBy(entry)
      .filter((each) => movements.has(each))
      .toSorted(byAge);
    if (oldest === undefined) return none;
    movements.delete(oldest);
    pairs.set(entry.entryId, oldest);
  }
  return pairs;
}

function byDay(a: MatchEntry, b: MatchEntry): number {
  if (a.valueOn !== b.valueOn) return a.valueOn < b.valueOn ? -1 : 1;
  return a.entryId < b.entryId ? -1 : 1;
}
