import type { StatementSection, StatementUnit } from './statement.ts';

/**
 * What makes each unit of the sections of a file the same entry in every file: the account and the servicer's reference, else all that is told of it.
 * Units that are equal in that are counted, in the order of the file. Day, amount and direction count besides the reference, because
 * servicers give a payment and its fee one reference, or number each day's entries anew, and none of them may vanish. The texts hold personal data: keep keyed hashes of them.
 *
 * @example
 * ```ts
 * import { identitiesOf, type StatementSection } from '@fairway/statements';
 *
 * declare const sections: readonly StatementSection[];
 * identitiesOf(sections)[0]?.length === sections[0]?.units.length; // true
 * ```
 */
export function identitiesOf(sections: readonly StatementSection[]): readonly (readonly string[])[] {
  const counts = new Map<string, number>();
  return sections.map(({ account, currency, units }) =>
    units.map((unit) => {
      const text = JSON.stringify([account, currency, ...factsOf(unit)]);
      const count = (counts.get(text) ?? 0) + 1;
      counts.set(text, count);
      return `${count} ${text}`;
    }),
  );
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
