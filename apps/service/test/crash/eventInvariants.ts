import { isDeepStrictEqual } from 'node:util';
import { publishedChangesOf, collectRequestIdOf, evolve, type Plan, type RecordedEvent } from '@fairway/plan';
import type { Snapshot, PublishedRow } from './snapshot.ts';

/**
 * Compares the events of each plan and its rounds with the plan's history: every change, once, numbered from 1 and in its
 * order. Returns a sentence for each difference.
 */
export function wrongEvents({ events, told }: Snapshot): string[] {
  const expected = [...events].flatMap(([, history]) => [...announced(history)]);
  const subjects = new Map(expected);
  const found = [...told.keys()]
    .filter((subject) => !subjects.has(subject))
    .map((subject) => `There are events of ${subject}, and no history of it.`);
  for (const [subject, types] of expected) {
    const rows = told.get(subject) ?? [];
    const numbered = types.map((type, index) => `${index + 1} ${type}`);
    const stored = rows.map(({ sequence, type }) => `${sequence} ${type}`);
    if (!isDeepStrictEqual(stored, numbered))
      found.push(`${subject} should have the events ${numbered.join(', ')} and has ${stored.join(', ')}.`);
    if (!isInOrder(rows)) found.push(`The events of ${subject} are not published in their order.`);
  }
  return found;
}

/** The types of events that a history makes, by the plan or round that they are of. */
function announced(history: readonly RecordedEvent[]): Map<string, string[]> {
  const types = new Map<string, string[]>();
  let before: Plan | undefined;
  for (const event of history) {
    const after = evolve(before, event);
    for (const each of publishedChangesOf(before, after)) {
      const subject =
        each.subject === 'payment_plan' ? after.planId : collectRequestIdOf(after.planId, each.round);
      types.set(subject, [...(types.get(subject) ?? []), each.type]);
    }
    before = after;
  }
  return types;
}

/** Whether the first events are published, at growing positions, and the others not yet. */
function isInOrder(rows: readonly PublishedRow[]): boolean {
  return rows.every(({ position }, index) => {
    const earlier = rows[index - 1];
    if (earlier === undefined || position === null) return true;
    return earlier.position !== null && BigInt(earlier.position) < BigInt(position);
  });
}
