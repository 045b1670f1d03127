import type { AreApart } from './sequence.ts';
import type { StatementSection, StatementUnit } from './statement.ts';
import { createTurns, type Turns } from './turns.ts';

/** A unit of a file. `section`: its position in the file. `identity`: what makes it the same entry in every file. */
export type IdentifiedUnit = {
  readonly section: number;
  readonly unit: StatementUnit;
  readonly identity: string;
};

/** The known statements of the accounts of a file, by their places among each other. */
export type KnownIdentities = {
  /** Which of them have each of some identities. */
  holdersOf(identities: readonly string[]): Promise<readonly (readonly number[])[]>;
  /** Whether a section of the file shares no entry with one of them (`statementsApart`). */
  readonly areApart: AreApart;
};

/** How many units are identified at once. */
const UNITS_AT_ONCE = 500;

/**
 * What makes each unit of the sections of a file the same entry in every file. It is the account and the servicer's
 * reference, else all that is told of it. Units that are equal in that are counted, in the order of the file. Day,
 * amount and direction count besides the reference. Servicers give a payment and its fee one reference, or number
 * each day's entries anew, and none of them may vanish. The units of a known statement that is apart from a section
 * are other entries, and are passed over. The texts hold personal data: keep keyed hashes of them.
 *
 * @example
 * ```ts
 * import { identifyUnits, type StatementSection } from '@fairway/statements';
 *
 * declare const sections: readonly StatementSection[];
 * const nothingKnown = { holdersOf: async () => [], areApart: () => false };
 * const identities = new Set<string>();
 * for await (const { identity } of identifyUnits(sections, nothingKnown)) identities.add(identity);
 * ```
 */
export async function* identifyUnits(
  sections: readonly StatementSection[],
  known: KnownIdentities,
  turns: Turns = createTurns(),
): AsyncGenerator<IdentifiedUnit> {
  const counters = new Map<string, Counter>();
  let part: Counted[] = [];
  for (const [section, { account, currency, units }] of sections.entries())
    for (const unit of units) {
      const text = JSON.stringify([account, currency, ...factsOf(unit)]);
      const counter = counters.get(text) ?? { text, next: new Map(), runs: [], section: -1, last: 0, run: 0 };
      counters.set(text, counter);
      part.push({ section, unit, counter });
      await turns.step();
      if (part.length < UNITS_AT_ONCE) continue;
      yield* await identified(part, known, turns);
      part = [];
    }
  yield* await identified(part, known, turns);
}

/** Counts from the end of the run before up to `end`, which the same known statements have. */
type Run = { end: number; readonly holders: readonly number[] };

/**
 * Counts the units of a text. `next`: behind each count that a section of the file has, one that may be free. `runs`:
 * who has the counts from 1 on, as far as that was asked for. `last`: the count of the unit before, in `section`.
 * `run`: the run in which it was looked for.
 */
type Counter = {
  readonly text: string;
  readonly next: Map<number, number>;
  readonly runs: Run[];
  section: number;
  last: number;
  run: number;
};

/** How many counts of a text were asked for. */
function askedOf({ runs }: Counter): number {
  return runs.at(-1)?.end ?? 0;
}

function addHolders({ runs }: Counter, holders: readonly number[]): void {
  const last = runs.at(-1);
  if (last !== undefined && last.holders.join() === holders.join()) last.end += 1;
  else runs.push({ end: (last?.end ?? 0) + 1, holders });
}

type Counted = { readonly section: number; readonly unit: StatementUnit; readonly counter: Counter };

/**
 * Identifies some units. When a text needs further counts, twice as many of them are asked for each time, for all
 * texts at once.
 */
async function identified(
  part: readonly Counted[],
  known: KnownIdentities,
  turns: Turns,
): Promise<readonly IdentifiedUnit[]> {
  const counts = new Map<Counted, number>();
  for (let waiting = part; waiting.length > 0; ) {
    const asking = new Map<Counter, number>();
    const left: Counted[] = [];
    for (const counted of waiting) {
      const { counter, section } = counted;
      const waits = asking.get(counter);
      const count = waits === undefined ? await freeCount(counter, section, known, turns) : undefined;
      if (count === undefined) {
        asking.set(counter, (waits ?? 0) + 1);
        left.push(counted);
      } else counts.set(counted, count);
    }
    const wanted = [...asking].flatMap(([counter, waits]) => {
      const asked = askedOf(counter);
      return Array.from({ length: Math.max(waits, asked) }, (_, index) => ({
        counter,
        count: asked + index + 1,
      }));
    });
    const found = await known.holdersOf(wanted.map(({ counter, count }) => `${count} ${counter.text}`));
    for (const [index, { counter }] of wanted.entries()) addHolders(counter, found[index] ?? []);
    waiting = left;
  }
  return part.map((counted) => {
    const { section, unit, counter } = counted;
    return { section, unit, identity: `${counts.get(counted)} ${counter.text}` };
  });
}

/** The next count that a section can take of a text; undefined where it is not known who has it. */
async function freeCount(
  counter: Counter,
  section: number,
  { areApart }: KnownIdentities,
  turns: Turns,
): Promise<number | undefined> {
  const { next, runs } = counter;
  if (counter.section !== section) Object.assign(counter, { section, last: 0, run: 0 });
  for (;;) {
    const count = freeAfter(next, counter.last + 1);
    // The last run may still grow.
    while (counter.run < runs.length - 1 && (runs[counter.run]?.end ?? 0) < count) counter.run += 1;
    const run = runs[counter.run];
    if (run === undefined || run.end < count) return undefined;
    if (!run.holders.some((at) => areApart(section, at))) {
      counter.last = count;
      next.set(count, count + 1);
      return count;
    }
    counter.last = run.end;
    const turn = turns.step();
    if (turn !== undefined) await turn;
  }
}

/** The first count from one on that no section of the file has. */
function freeAfter(next: Map<number, number>, count: number): number {
  const passed: number[] = [];
  let free = count;
  for (let at = next.get(free); at !== undefined; at = next.get(free)) {
    passed.push(free);
    free = at;
  }
  for (const each of passed) next.set(each, free);
  return free;
}

function factsOf(unit: StatementUnit): readonly unknown[] {
  const { direction, minor, isRest, isReversal, servicerReference, bookedOn, endToEndId, references } = unit;
  const money = [direction, String(minor), isRest, isReversal];
  if (servicerReference !== undefined) return ['REFERENCE', servicerReference, bookedOn, ...money];
  return [
    'DAY',
    bookedOn,
    ...money,
    endToEndId ?? '',
    references,
    unit.name ?? '',
    unit.account ?? '',
    unit.text ?? '',
  ];
}
