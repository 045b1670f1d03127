import { LIMITS } from '@fairway/wire';
import type { JsonValue } from './body.ts';
import {
  addressField,
  type FieldReader,
  type FieldReading,
  type Fields,
  type GivenAddress,
} from './fields.ts';

/** How many members a list has, and what they are together, such as "types of events". */
export type ListBounds<Value> = {
  readonly what: string;
  readonly minimum?: number;
  readonly maximum: number;
  /** The value that no two members may share. When it is absent, members may be repeated. */
  readonly uniqueBy?: (value: Value) => unknown;
};

/**
 * A list in a body. An error names the first wrong member, such as types[2], and what it must be; or how many there must
 * be.
 *
 * @example
 * ```ts
 * import { listField, textField } from '@fairway/api';
 *
 * const field = listField(textField(20), { what: 'names', maximum: 5 });
 * ```
 */
export function listField<Value>(
  member: FieldReader<Value>,
  { what, minimum = 0, maximum, uniqueBy }: ListBounds<Value>,
): FieldReader<readonly Value[]> {
  const count = minimum > 0 ? `${minimum} to ${maximum}` : `at most ${maximum}`;
  return {
    must: `a list of ${count} ${what}${uniqueBy === undefined ? '' : ', each once'}; each is ${member.must}`,
    read(given, origin) {
      if (!Array.isArray(given) || given.length < minimum || given.length > maximum)
        return { ok: false, must: `a list of ${count} ${what}` };
      return readMembers(given, member, origin, uniqueBy);
    },
  };
}

/**
 * The same in a query, where commas separate the members.
 *
 * @example
 * ```ts
 * import { separatedField, wordField } from '@fairway/api';
 *
 * const field = separatedField(wordField(['a', 'b']), { what: 'letters', maximum: 2 });
 * ```
 */
export function separatedField<Value>(
  member: FieldReader<Value>,
  { what, maximum, uniqueBy }: Omit<ListBounds<Value>, 'minimum'>,
): FieldReader<readonly Value[]> {
  return {
    must: `at most ${maximum} ${what}${uniqueBy === undefined ? '' : ', each once'}, separated by commas; each is ${member.must}`,
    read(given, origin) {
      const texts = typeof given === 'string' ? given.split(',') : [];
      if (texts.length === 0 || texts.length > maximum)
        return { ok: false, must: `at most ${maximum} ${what}, separated by commas` };
      return readMembers(texts, member, origin, uniqueBy);
    },
  };
}

function readMembers<Value>(
  given: readonly JsonValue[],
  member: FieldReader<Value>,
  origin: Fields['origin'],
  uniqueBy: ListBounds<Value>['uniqueBy'],
): FieldReading<readonly Value[]> {
  const values: Value[] = [];
  const seen = new Set<unknown>();
  for (const [index, each] of given.entries()) {
    const reading = member.read(each, origin);
    const at = { index, given: each };
    if (!reading.ok) return { must: member.must, ...reading, member: at };
    const key = uniqueBy?.(reading.value);
    if (uniqueBy !== undefined && seen.has(key))
      return { ok: false, must: 'in the list only once', member: at };
    seen.add(key);
    values.push(reading.value);
  }
  return { ok: true, value: values };
}

const sourceField: FieldReader<string> = {
  must: 'the name of a source, such as uniswap-v3',
  read: (given) => (typeof given === 'string' && given !== '' ? { ok: true, value: given } : { ok: false }),
};
const SOURCES = { what: 'names of sources', maximum: LIMITS.excludeSources.maximum };

/** A list in a body; in a query, the same separated by commas. */
function listOfTrade<Value>(
  member: FieldReader<Value>,
  bounds: Omit<ListBounds<Value>, 'minimum'>,
): FieldReader<readonly Value[]> {
  const inBody = listField(member, bounds);
  const inQuery = separatedField(member, bounds);
  return {
    must: inBody.must,
    read: (given, origin) => (origin === 'QUERY' ? inQuery : inBody).read(given, origin),
  };
}

/** Names of sources. */
export const sourcesField = listOfTrade(sourceField, SOURCES);

const addressOf = ({ address }: GivenAddress): string => address;

/**
 * Tokens to keep away from; `token` reads one.
 *
 * @example
 * ```ts
 * import { addressField, tokensField } from '@fairway/api';
 *
 * const field = tokensField(addressField);
 * ```
 */
export function tokensField(token: FieldReader<GivenAddress>): FieldReader<readonly GivenAddress[]> {
  return listOfTrade(token, {
    what: 'tokens',
    maximum: LIMITS.excludeTokens.maximum,
    uniqueBy: addressOf,
  });
}

/** Pools to keep away from. */
export const poolsField = listOfTrade(addressField, {
  what: 'pools',
  maximum: LIMITS.excludePools.maximum,
  uniqueBy: addressOf,
});
