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
 * What makes each unit of the sections of a file the same entry in every file: the account and the servicer's reference, else all that is told of it.
 * Units that are equal in that are counted, in the order of the file. Day, amount and direction count besides the reference, because
 * servicers give a payment and its fee one reference, or number each day's entries anew, and none of them may vanish. What a known statement
 * has that is apart from a section is another entry, and is passed over. The texts hold personal data: keep keyed hashes of them.
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
      const counter = counters.get(text) ?? { text, next: new Map(), holders: [], section: -1, last: 0 };
      counters.set(text, counter);
      part.push({ section, unit, counter });
      await turns.step();
      if (part.length < UNITS_AT_ONCE) continue;
      yield* await identified(part, known, turns);
      part = [];
    }
  yield* await identified(part, known, turns);
}

/**
 * Counts the units of a text. `next`: behind each count that a section of the file has, one that may be free; `holders`: of each count
 * from 1 on, the known statements that have it, as far as these were asked for; `last`: the count of the unit before, in `section`.
 */
type Counter = {
  readonly text: string;
  readonly next: Map<number, number>;
  readonly holders: (readonly number[])[];
  section: number;
  last: number;
};

type Counted = { readonly section: number; readonly unit: StatementUnit; readonly counter: Counter };

/** Identifies some units. Who has further counts of a text is asked for twice as many each time, for all texts at once. */
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
    const wanted = [...asking].flatMap(([{ holders, text }, waits]) =>
      Array.from(
        { length: Math.max(waits, holders.length) },
        (_, index) => `${holders.length + index + 1} ${text}`,
      ),
    );
    const found = await known.holdersOf(wanted);
    let at = 0;
    for (const [{ holders }, waits] of asking)
      for (const end = holders.length + Math.max(waits, holders.length); holders.length < end; at += 1)
        holders.push(found[at] ?? []);
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
  const { next, holders } = counter;
  if (counter.section !== section) Object.assign(counter, { section, last: 0 });
  for (;;) {
    const count = freeAfter(next, counter.last + 1);
    const holding = holders[count - 1];
    if (holding === undefined) return undefined;
    counter.last = count;
    if (!holding.some((at) => areApart(section, at))) {
      next.set(count, count + 1);
      return count;
    }
    await turns.step();
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
