import { type FieldReader, nearestName } from '@fairway/api';
import { beginningOf, type Catalogue } from './catalogue.ts';

/** A type of events, or the beginning of several, such as `payment_plan.*`; `others`: what else may stand in its place. */
export function eventTypeField(
  catalogue: Pick<Catalogue, 'types'>,
  others: readonly string[] = [],
): FieldReader<string> {
  const { types } = catalogue;
  const all = others.map((each) => `${each}, `).join('');
  return {
    must: `a type of events, or a beginning such as ${beginningOf(catalogue)}: ${all}${types.join(', ')}`,
    read(given) {
      if (typeof given !== 'string') return { ok: false };
      if (others.includes(given) || types.some((type) => isOf(type, given)))
        return { ok: true, value: given };
      return { ok: false, suggestions: meantTypes(types, given) };
    },
  };
}

/**
 * The type that is spelt nearly like the given one, else the types of other objects with the same ending: for `payment.completed`, all
 * `….completed`.
 */
function meantTypes(types: readonly string[], given: string): readonly string[] {
  const nearest = nearestName(given, types);
  if (nearest !== undefined) return [nearest];
  const ending = /\.[a-z_]+$/.exec(given)?.[0];
  return types.filter((type) => ending !== undefined && type.endsWith(ending)).slice(0, 3);
}

function isOf(type: string, asked: string): boolean {
  return asked.endsWith('.*') ? type.startsWith(asked.slice(0, -1)) : type === asked;
}
