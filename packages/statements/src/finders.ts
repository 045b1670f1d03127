import type { MatchEntry, MatchMovement } from './matchable.ts';
import { referenceForm } from './references.ts';
import type { Direction } from './statement.ts';
import type { Turns } from './turns.ts';

/**
 * Finds the movements that entries meet. `meet`: those of an entry, at most `MOST_MEETINGS`. `claimsOn`: how many entries meet a movement.
 */
export type Finder = {
  meet(entry: MatchEntry): readonly MatchMovement[];
  claimsOn(movement: MatchMovement): number;
};

/** Makes a finder. `claims`: whether an entry counts as one of those that may be a movement. */
type MakeFinder = (
  entries: readonly MatchEntry[],
  movements: readonly MatchMovement[],
  claims: (entry: MatchEntry) => boolean,
  turns: Turns,
) => Promise<Finder>;

/** How many movements that an entry meets are looked at. */
export const MOST_MEETINGS = 6;
/** How many days may lie between an entry and a movement that no reference connects. */
export const MATCH_DAYS = 3;
/** How long the beginning of a reference must be to count as that reference cut short. A shorter one may be any number. */
export const CUT_LENGTH = 8;
/** How many days may lie between an entry and a movement that has its reference: weekends and holidays. */
export const REFERENCE_DAYS = 10;
const DAY_MS = 86_400_000;

/** How many days lie between two days. */
export function daysBetween(one: string, other: string): number {
  return (Date.parse(other) - Date.parse(one)) / DAY_MS;
}

/** The texts that are given. */
export function present(...texts: readonly (string | undefined)[]): readonly string[] {
  return texts.filter((text) => text !== undefined && text !== '') as string[];
}

/**
 * All references of an entry: the end-to-end id, and what the servicer calls it.
 *
 * @example
 * ```ts
 * import { type MatchEntry, referencesIn } from '@fairway/statements';
 *
 * declare const entry: MatchEntry;
 * referencesIn({ ...entry, endToEndId: 'E-7', references: ['P-1'] }); // ['E-7', 'P-1']
 * ```
 */
export function referencesIn({ endToEndId, references }: MatchEntry): readonly string[] {
  return present(endToEndId, ...references);
}

/** References in the form in which they are compared. */
export function formsOf(references: readonly string[]): readonly string[] {
  return present(...references.map(referenceForm));
}

/** The end-to-end ids under which a bank may book a movement. */
export function endToEndIdsOf({ endToEndId, paidAs = [] }: MatchMovement): readonly string[] {
  return present(endToEndId, ...paidAs);
}

/** The references by which a bank and a provider may call a movement. */
export function referencesOf(movement: MatchMovement): readonly string[] {
  return present(...endToEndIdsOf(movement), movement.providerReference);
}

/** The reference of the client for the payment that a movement is of. */
export function clientReferenceOf({ clientReference }: MatchMovement): readonly string[] {
  return present(clientReference);
}

/** Whether an entry names an attempt at the payment that failed, and not the payment. */
export function isOfFailedAttempt(
  { references }: MatchEntry,
  { providerReference = '', failedReferences = [] }: MatchMovement,
): boolean {
  if (failedReferences.length === 0) return false;
  const forms = formsOf(references);
  return (
    !forms.includes(referenceForm(providerReference)) &&
    failedReferences.some((reference) => forms.includes(referenceForm(reference)))
  );
}

/** A finder of movements that have a reference in common with an entry. */
export function byReference(
  keysOf: (entry: MatchEntry) => readonly string[],
  keysOfMovement: (movement: MatchMovement) => readonly string[],
): MakeFinder {
  return async (entries, movements, claims, turns) => {
    const byKey = await grouped(movements, (movement) => formsOf(keysOfMovement(movement)), turns);
    return counted(entries, claims, turns, (entry) => groupsOf(byKey, formsOf(keysOf(entry))));
  };
}

/** A finder of movements that have the beginning of a reference of an entry, or the other way round. */
export const byCutReference: MakeFinder = async (entries, movements, claims, turns) => {
  const keysOf = (movement: MatchMovement) => [...referencesOf(movement), ...clientReferenceOf(movement)];
  const byKey = await grouped(movements, (movement) => formsOf(keysOf(movement)), turns);
  const sorted = [...byKey.keys()].toSorted((a, b) => (a < b ? -1 : 1));
  const shorter = shorterOnes(sorted.filter(({ length }) => length >= CUT_LENGTH));
  return counted(entries, claims, turns, (entry) =>
    formsOf(referencesIn(entry)).flatMap((reference) => {
      if (reference.length < CUT_LENGTH) return [];
      return groupsOf(byKey, [...longerOnes(sorted, reference), ...shorter(reference)]);
    }),
  );
};

/** The references that begin with a text and are longer, as many as are looked at. */
function longerOnes(sorted: readonly string[], beginning: string): readonly string[] {
  const first = placeOf(sorted, beginning);
  return sorted
    .slice(first, first + MOST_MEETINGS + 1)
    .filter((text) => text.length > beginning.length && text.startsWith(beginning));
}

/** How many of sorted texts come before a text. */
function placeOf(sorted: readonly string[], text: string): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? '') < text) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Finds the references that a text begins with and that are shorter, the longest first, as many as are looked at.
 * Each of them is the last one before the text in order, or a beginning of that one.
 */
export function shorterOnes(sorted: readonly string[]): (text: string) => readonly string[] {
  // For each reference the place of the longest other one that it begins with.
  const beginnings: number[] = [];
  const open: number[] = [];
  for (const [place, text] of sorted.entries()) {
    while (open.length > 0 && !text.startsWith(sorted[open.at(-1) ?? 0] ?? '')) open.pop();
    beginnings.push(open.at(-1) ?? -1);
    open.push(place);
  }
  return (text) => {
    const found: string[] = [];
    for (let place = placeOf(sorted, text) - 1; place >= 0; place = beginnings[place] ?? -1) {
      const beginning = sorted[place] ?? '';
      if (text.startsWith(beginning)) found.push(beginning);
      if (found.length === MOST_MEETINGS) break;
    }
    return found;
  };
}

/** A finder of movements of the same direction, currency and amount, a few days apart at most. */
export const byMoney: MakeFinder = async (entries, movements, claims, turns) => {
  const keyOf = (of: Pick<MatchEntry, 'direction' | 'currency'>, minor: bigint, dayMs: number) =>
    `${of.direction} ${of.currency} ${minor} ${dayMs}`;
  const keysOf = (entry: MatchEntry) => {
    const days = Array.from({ length: 2 * MATCH_DAYS + 1 }, (_, index) => index - MATCH_DAYS);
    return days.map((day) => keyOf(entry, entry.minor, Date.parse(entry.valueOn) + day * DAY_MS));
  };
  const keysOfMovement = (movement: MatchMovement) =>
    movement.minor === undefined ? [] : [keyOf(movement, movement.minor, Date.parse(movement.on))];
  const byKey = await grouped(movements, keysOfMovement, turns);
  const counts = new Map<string, number>();
  for (const entry of entries) {
    if (claims(entry)) for (const key of keysOf(entry)) counts.set(key, (counts.get(key) ?? 0) + 1);
    await turns.step(ENTRY_STEPS);
  }
  return {
    // Amounts can be alike by the thousand, so that pairs are not counted one by one.
    meet: (entry) =>
      groupsOf(byKey, keysOf(entry))
        .flatMap((group) => group[entry.direction].first)
        .slice(0, MOST_MEETINGS),
    claimsOn: (movement) => counts.get(keysOfMovement(movement)[0] ?? '') ?? 0,
  };
};

/**
 * The movements of a key in one direction. `first`: as many as are looked at. `byOwn`: those that the provider calls
 * by a reference. `byForm`: the same by the form of the reference. `byMoney`: those of an amount. Thousands of movements may have one key, so that the others are passed
 * over once, and not for each entry.
 */
type Group = {
  readonly first: MatchMovement[];
  readonly byOwn: Map<string, MatchMovement[]>;
  readonly byForm: Map<string, MatchMovement[]>;
  readonly byMoney: Map<string, MatchMovement[]>;
};
type Groups = Readonly<Record<Direction, Group>>;

async function grouped(
  movements: readonly MatchMovement[],
  keysOf: (movement: MatchMovement) => readonly string[],
  turns: Turns,
): Promise<ReadonlyMap<string, Groups>> {
  const empty = (): Group => ({ first: [], byOwn: new Map(), byForm: new Map(), byMoney: new Map() });
  const byKey = new Map<string, Groups>();
  for (const movement of movements) {
    for (const key of new Set(keysOf(movement))) {
      const groups = byKey.get(key) ?? { IN: empty(), OUT: empty() };
      byKey.set(key, groups);
      const { first, byOwn, byForm, byMoney: byAmount } = groups[movement.direction];
      if (first.length < MOST_MEETINGS) first.push(movement);
      const { providerReference: own } = movement;
      if (own !== undefined) {
        addTo(byOwn, own, movement);
        addTo(byForm, referenceForm(own), movement);
      }
      if (movement.minor !== undefined) addTo(byAmount, moneyOf(movement), movement);
    }
    await turns.step();
  }
  return byKey;
}

/** Adds a movement to those of a name, unless as many as are looked at have it. */
function addTo(byName: Map<string, MatchMovement[]>, name: string, movement: MatchMovement): void {
  const named = byName.get(name) ?? [];
  byName.set(name, named);
  if (named.length < MOST_MEETINGS) named.push(movement);
}

function moneyOf({ currency, minor }: Pick<MatchMovement, 'currency' | 'minor'>): string {
  return `${currency} ${minor}`;
}

function groupsOf(byKey: ReadonlyMap<string, Groups>, keys: readonly string[]): readonly Groups[] {
  return keys.flatMap((key) => byKey.get(key) ?? []);
}

/** How many steps are taken for an entry. */
const ENTRY_STEPS = 5;

/** A finder that counts the meetings. */
async function counted(
  entries: readonly MatchEntry[],
  mayClaim: (entry: MatchEntry) => boolean,
  turns: Turns,
  find: (entry: MatchEntry) => readonly Groups[],
): Promise<Finder> {
  const meetings = new Map<string, readonly MatchMovement[]>();
  const claims = new Map<string, number>();
  for (const entry of entries) {
    const met = likeliest(entry, find(entry));
    meetings.set(entry.entryId, met);
    // An attempt that is known to have failed leaves the payment to the entry of the next one. Money that came back
    // leaves it to the entry that has paid it, and so does a fee under its reference.
    const isClaimed = (each: MatchMovement) =>
      each.direction === entry.direction &&
      (each.minor === undefined || moneyOf(each) === moneyOf(entry)) &&
      !isOfFailedAttempt(entry, each);
    for (const movement of mayClaim(entry) ? met.filter(isClaimed) : [])
      claims.set(movement.movementId, (claims.get(movement.movementId) ?? 0) + 1);
    await turns.step(ENTRY_STEPS + entry.references.length);
  }
  return {
    meet: ({ entryId }) => meetings.get(entryId) ?? [],
    claimsOn: ({ movementId }) => claims.get(movementId) ?? 0,
  };
}

/** Movements of the entry's direction come alone, if there are any: a return has the references of its payment. */
function likeliest(entry: MatchEntry, found: readonly Groups[]): readonly MatchMovement[] {
  const alike = found.map((groups) => groups[entry.direction]);
  const others = found.map((groups) => (groups[entry.direction] === groups.IN ? groups.OUT : groups.IN));
  const likely = alike.some(({ first }) => first.length > 0) ? alike : others;
  // Payments of one plan that share its end-to-end id have references of their own.
  const exact = likely.flatMap(({ byOwn }) => entry.references.flatMap((own) => byOwn.get(own) ?? []));
  const forms = exact.length > 0 ? [] : formsOf(entry.references);
  const named = [...exact, ...likely.flatMap(({ byForm }) => forms.flatMap((own) => byForm.get(own) ?? []))];
  const met = named.length > 0 ? named : likely.flatMap((group) => likeliestOf(entry, group));
  return [...new Set(met)].slice(0, MOST_MEETINGS);
}

/**
 * The movements of one id that an entry can be, the oldest first. Where some are of exactly its amount, only those are
 * meant, and where no entry has some of these yet, only the latter.
 */
function likeliestOf(entry: MatchEntry, { first, byMoney: byAmount }: Group): readonly MatchMovement[] {
  const exact = byAmount.get(moneyOf(entry)) ?? first;
  const free = exact.filter(({ taken }) => taken === 0n);
  return (free.length > 0 && exact !== first ? free : exact).toSorted(byAge);
}

/** The order of movements: the oldest first. */
export function byAge(a: MatchMovement, b: MatchMovement): number {
  if (a.on !== b.on) return a.on < b.on ? -1 : 1;
  return a.movementId < b.movementId ? -1 : 1;
}
