import { LIMITS } from '@fairway/wire';
import type { JsonValue } from './body.ts';
import type { FieldReader, FieldReading, Fields } from './fields.ts';

/** How many members a list has, and what they are together, such as "types of events". */
export type ListBounds = {
  readonly what: string;
  readonly minimum?: number;
  readonly maximum: number;
  /** Whether each member may be there once only. */
  readonly isSet?: boolean;
};

/**
 * A list in a body. An error names the first wrong member, such as types[2], and what it must be; or how many there must
 * be.
 */
export function listField<Value>(
  member: FieldReader<Value>,
  { what, minimum = 0, maximum, isSet = false }: ListBounds,
): FieldReader<readonly Value[]> {
  const count = minimum > 0 ? `${minimum} to ${maximum}` : `at most ${maximum}`;
  return {
    must: `a list of ${count} ${what}${isSet ? ', each once' : ''}; each is ${member.must}`,
    read(given, origin) {
      if (!Array.isArray(given) || given.length < minimum || given.length > maximum)
        return { ok: false, must: `a list of ${count} ${what}` };
      return readMembers(given, member, origin, isSet);
    },
  };
}

/** The same in a query, where commas separate the members. */
export function separatedField<Value>(
  member: FieldReader<Value>,
  { what, maximum }: Pick<ListBounds, 'what' | 'maximum'>,
): FieldReader<readonly Value[]> {
  return {
    must: `at most ${maximum} ${what}, separated by commas; each is ${member.must}`,
    read(given, origin) {
      const texts = typeof given === 'string' ? given.split(',') : [];
      if (texts.length === 0 || texts.length > maximum)
        return { ok: false, must: `at most ${maximum} ${what}, separated by commas` };
      return readMembers(texts, member, origin, false);
    },
  };
}

function readMembers<Value>(
  given: readonly JsonValue[],
  member: FieldReader<Value>,
  origin: Fields['origin'],
  isSet: boolean,
): FieldReading<readonly Value[]> {
  const values: Value[] = [];
  for (const [index, each] of given.entries()) {
    const reading = member.read(each, origin);
    const at = { index, given: each };
    if (!reading.ok) return { must: member.must, ...reading, member: at };
    if (isSet && values.includes(reading.value))
      return { ok: false, must: 'in the list only once', member: at };
    values.push(reading.value);
  }
  return { ok: true, value: values };
}

const sourceField: FieldReader<string> = {
  must: 'the name of a source, such as uniswap-v3',
  read: (given) => (typeof given === 'string' && given !== '' ? { ok: true, value: given } : { ok: false }),
};
const SOURCES = { what: 'names of sources', maximum: LIMITS.excludeSources.maximum };
const sourcesInBody = listField(sourceField, SOURCES);
const sourcesInQuery = separatedField(sourceField, SOURCES);

/** Names of sources: in a query separated by commas, in a body a list of strings. */
export const sourcesField: FieldReader<readonly string[]> = {
  must: sourcesInBody.must,
  read: (given, origin) => (origin === 'QUERY' ? sourcesInQuery : sourcesInBody).read(given, origin),
};
