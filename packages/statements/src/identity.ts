import type { StatementSection, StatementUnit } from './statement.ts';

/** A unit of a file. `section`: its position in the file. `identity`: what makes it the same entry in every file. */
export type IdentifiedUnit = {
  readonly section: number;
  readonly unit: StatementUnit;
  readonly identity: string;
};

/**
 * What makes each unit of the sections of a file the same entry in every file: the account and the servicer's reference, else all that is told of it.
 * Units that are equal in that are counted, in the order of the file. Day, amount and direction count besides the reference, because
 * servicers give a payment and its fee one reference, or number each day's entries anew, and none of them may vanish. `isTaken`: whether a
 * statement that is apart from a section (`statementsApart`) has an identity: then it is another entry, and is passed over. The texts hold
 * personal data: keep keyed hashes of them.
 *
 * @example
 * ```ts
 * import { identifyUnits, type StatementSection } from '@fairway/statements';
 *
 * declare const sections: readonly StatementSection[];
 * const identities = new Set(identifyUnits(sections, () => false).map(({ identity }) => identity));
 * ```
 */
export function* identifyUnits(
  sections: readonly StatementSection[],
  isTaken: (section: number, identity: string) => boolean,
): Generator<IdentifiedUnit> {
  // Of each text, the counts that sections of this file have.
  const used = new Map<string, Set<number>>();
  for (const [section, { account, currency, units }] of sections.entries()) {
    const last = new Map<string, number>();
    for (const unit of units) {
      const text = JSON.stringify([account, currency, ...factsOf(unit)]);
      const usedCounts = used.get(text) ?? new Set();
      used.set(text, usedCounts);
      let count = (last.get(text) ?? 0) + 1;
      while (usedCounts.has(count) || isTaken(section, `${count} ${text}`)) count += 1;
      usedCounts.add(count);
      last.set(text, count);
      yield { section, unit, identity: `${count} ${text}` };
    }
  }
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
