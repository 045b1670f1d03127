import { cutText } from '@fairway/values';
import { type Address, toAddress } from '@fairway/engine';
import {
  AMOUNT_PATTERN,
  EVM_ADDRESS_PATTERN,
  type FieldError,
  MAX_UINT64,
  MAX_UINT256,
  UNSIGNED_INTEGER_PATTERN,
} from '@fairway/wire';
import { isJsonNumber, isJsonObject, type JsonValue, pointerPart } from './body.ts';
import { hasWrongChecksum } from '../text/eip55.ts';
import type { ReadQuery } from './query.ts';
import { meantName } from '../text/spelling.ts';
import { timestampToMs } from '../time/timestamp.ts';

/** The fields of a query or a body, and the errors that were found in them so far. */
export type Fields = {
  readonly origin: 'QUERY' | 'BODY';
  readonly values: ReadonlyMap<string, JsonValue>;
  readonly errors: FieldError[];
  /** JSON Pointer to the object that holds the fields, when they are inside another field: `/options`. */
  readonly base?: string;
  /** The object as sentences name it, when it is in a list: `deductions[2]`. */
  readonly path?: string;
  /** The names that the object can have. */
  readonly known?: readonly string[];
};

/** Reads one kind of field. `must` completes the sentence "amount must be …". */
export type FieldReader<T> = {
  readonly must: string;
  read(given: JsonValue, origin: Fields['origin']): FieldReading<T>;
};

/**
 * The value of a field, or that it is wrong. `must`: replaces the reader's own, where that does not explain the error. `member`:
 * the member of a list that is wrong. `inside`: the member of an object that is wrong, without `given` where that may be a secret. `suggestions`: what was probably meant.
 */
export type FieldReading<T> =
  | { readonly ok: true; readonly value: T }
  | {
      readonly ok: false;
      readonly must?: string;
      readonly member?: { readonly index: number; readonly given: JsonValue };
      readonly inside?: { readonly name: string; readonly given?: JsonValue };
      readonly suggestions?: readonly string[];
    };

const UNREADABLE = { ok: false } as const;
const TOO_LARGE = { ok: false, must: 'at most 2^256-1, which has 78 digits' } as const;

/** The fields of a query string. Adds errors for repeated, malformed and unknown parameters. */
export function queryFields({ values, repeated, malformed }: ReadQuery, known: readonly string[]): Fields {
  const errors: FieldError[] = [];
  for (const part of malformed) {
    errors.push({
      pointer: '/query',
      detail: `The percent-encoding of ${JSON.stringify(cutText(part, 64))} is malformed.`,
    });
  }
  for (const name of repeated) {
    const detail = `${shownName(name)} is given more than once; give it once, with commas between several values.`;
    errors.push({ pointer: pointerTo('QUERY', name), detail });
  }
  const fields: Fields = { origin: 'QUERY', values, errors, known };
  refuseUnknown(fields, known);
  return fields;
}

/**
 * The fields of a body. Adds errors for a body that is not an object, and for unknown members. `inner`: the paths of members of
 * its members, which are proposed where one of them is given one level too high.
 *
 * @example
 * ```ts
 * import { bodyFields } from '@fairway/api';
 *
 * const fields = bodyFields({ amount: '1' }, ['amount']);
 * ```
 */
export function bodyFields(body: JsonValue, known: readonly string[], inner: readonly string[] = []): Fields {
  if (!isJsonObject(body)) {
    const detail = `The body must be a JSON object; given ${shown(body)}.`;
    return { origin: 'BODY', values: new Map(), errors: [{ pointer: '', detail }] };
  }
  const fields: Fields = { origin: 'BODY', values: new Map(Object.entries(body)), errors: [], known };
  refuseUnknown(fields, known, inner);
  return fields;
}

/**
 * The fields of an object inside a body; they share the list of errors with the body. Undefined when the object is
 * absent, and when the value is not an object, which adds an error.
 *
 * @example
 * ```ts
 * import { bodyFields, innerFields } from '@fairway/api';
 *
 * const fields = bodyFields({ options: { mode: 'STANDARD' } }, ['options']);
 * const options = innerFields(fields, 'options', ['mode']);
 * ```
 */
export function innerFields(fields: Fields, name: string, known: readonly string[]): Fields | undefined {
  const given = fields.values.get(name);
  if (given === undefined) return undefined;
  if (!isJsonObject(given)) {
    addError(fields, name, `${name} must be an object; given ${shown(given)}.`);
    return undefined;
  }
  const base = `${fields.base ?? ''}/${pointerPart(name)}`;
  const inner: Fields = {
    ...fields,
    values: new Map(Object.entries(given)),
    base,
    known,
    ...(fields.path === undefined ? {} : { path: `${fields.path}.${name}` }),
  };
  refuseUnknown(inner, known, [], { name, known: fields.known ?? [] });
  return inner;
}

/**
 * The fields of each object of a list inside a body. Undefined when the list is absent, and when the value is no list of
 * at most `most` objects, which adds an error.
 *
 * @example
 * ```ts
 * import { bodyFields, listedFields } from '@fairway/api';
 *
 * const fields = bodyFields({ lines: [{ amount: '1' }] }, ['lines']);
 * const lines = listedFields(fields, 'lines', ['amount'], 20);
 * ```
 */
export function listedFields(
  fields: Fields,
  name: string,
  known: readonly string[],
  most: number,
): readonly Fields[] | undefined {
  const given = fields.values.get(name);
  if (given === undefined) return undefined;
  if (!Array.isArray(given) || given.length > most) {
    const must = `a list of at most ${most} objects, each with ${listed(known)}`;
    addError(fields, name, `${name} must be ${must}; given ${shown(given)}.`);
    return undefined;
  }
  const members: readonly JsonValue[] = given;
  return members.flatMap((each, index) => {
    const base = `${fields.base ?? ''}/${pointerPart(name)}/${index}`;
    const path = `${fields.path === undefined ? '' : `${fields.path}.`}${name}[${index}]`;
    if (!isJsonObject(each)) {
      const detail = `${path} must be an object with ${listed(known)}; given ${shown(each)}.`;
      fields.errors.push({ pointer: base, detail });
      return [];
    }
    const inner: Fields = { ...fields, values: new Map(Object.entries(each)), base, path, known };
    refuseUnknown(inner, known);
    return [inner];
  });
}

/** Which fields there are. `holder`: the object that has them; absent for the request itself. */
function fieldsHint(origin: Fields['origin'], known: readonly string[], holder: string | undefined): string {
  const what = `${origin === 'QUERY' ? 'parameters' : 'fields'}${holder === undefined ? '' : ` of ${holder}`}`;
  return known.length === 0 ? `it takes no ${what}` : `the ${what} are ${listed(known)}`;
}

/** Names as a sentence lists them. */
function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

/** `around`: the name of the object in the one that holds it, and the names that can stand beside it. */
function refuseUnknown(
  fields: Fields,
  known: readonly string[],
  inner: readonly string[] = [],
  around?: { readonly name: string; readonly known: readonly string[] },
): void {
  const { origin, values, errors, path } = fields;
  for (const name of values.keys()) {
    if (known.includes(name)) continue;
    const beside = around && meantName(name, around.known);
    const meant =
      inner.find((each) => each.endsWith(`.${name}`)) ??
      meantName(name, known) ??
      (beside && `${beside}, beside ${around.name}`);
    const hint =
      meant === undefined
        ? `; ${fieldsHint(origin, known, path ?? around?.name)}.`
        : `; did you mean ${meant}?`;
    const what = `${path === undefined ? '' : `${path}.`}${shownName(name)}`;
    const detail = `${what} is not a ${origin === 'QUERY' ? 'parameter' : 'field'} of this request${hint}`;
    errors.push({ pointer: pointerIn(fields, name), detail });
  }
}

/**
 * The JSON Pointer to a field: /amount in a body, /query/amount in a query string.
 *
 * @example
 * ```ts
 * import { pointerTo } from '@fairway/api';
 *
 * pointerTo('QUERY', 'limit'); // '/query/limit'
 * ```
 */
export function pointerTo(origin: Fields['origin'], name: string): string {
  return `${origin === 'QUERY' ? '/query' : ''}/${pointerPart(name)}`;
}

function pointerIn({ origin, base = '' }: Fields, name: string): string {
  return `${base}${pointerTo(origin, name)}`;
}

/**
 * Adds an error about a field; the sentence begins with the field's name. A body that is not an object has one error of its
 * own, with the empty pointer.
 *
 * @example
 * ```ts
 * import { addError, bodyFields } from '@fairway/api';
 *
 * const fields = bodyFields({}, []);
 * addError(fields, 'amount', 'amount is missing.');
 * ```
 */
export function addError(fields: Fields, name: string, detail: string): void {
  addErrorAt(fields, pointerIn(fields, name), detail);
}

/**
 * Adds an error about one member of a list; `predicate` follows its name, such as types[2]. A query names the whole list,
 * whose members have no pointers of their own. `suggestions`: what was probably meant.
 *
 * @example
 * ```ts
 * import { addMemberError, bodyFields } from '@fairway/api';
 *
 * const fields = bodyFields({}, []);
 * addMemberError(fields, { name: 'types', index: 2 }, 'must be a type of events.');
 * ```
 */
export function addMemberError(
  fields: Fields,
  { name, index }: { readonly name: string; readonly index: number },
  predicate: string,
  suggestions: readonly string[] = [],
): void {
  const pointer = pointerIn(fields, name);
  if (fields.origin === 'QUERY') addErrorAt(fields, pointer, `${name} ${predicate}`, suggestions);
  else addErrorAt(fields, `${pointer}/${index}`, `${name}[${index}] ${predicate}`, suggestions);
}

function addErrorAt(
  fields: Fields,
  pointer: string,
  detail: string,
  suggestions: readonly string[] = [],
): void {
  if (fields.errors[0]?.pointer === '') return;
  const sentence = fields.path === undefined ? detail : `${fields.path}.${detail}`;
  const meant = suggestions.length === 0 ? {} : { suggestions: [...suggestions] };
  fields.errors.push({ pointer, detail: sentence, ...meant });
}

/**
 * Reads a required field. Undefined when it is missing or wrong, which adds an error.
 *
 * @example
 * ```ts
 * import { bodyFields, required, textField } from '@fairway/api';
 *
 * const fields = bodyFields({ note: 'x' }, ['note']);
 * const note = required(fields, 'note', textField(140));
 * ```
 */
export function required<T>(fields: Fields, name: string, reader: FieldReader<T>): T | undefined {
  if (!fields.values.has(name)) {
    addError(fields, name, `${name} is missing; it must be ${reader.must}.`);
    return undefined;
  }
  return optional(fields, name, reader);
}

/**
 * Reads an optional field. Undefined when it is absent, and when it is wrong, which adds an error.
 *
 * @example
 * ```ts
 * import { bodyFields, optional, textField } from '@fairway/api';
 *
 * const fields = bodyFields({}, ['note']);
 * const note = optional(fields, 'note', textField(140)); // undefined
 * ```
 */
export function optional<T>(fields: Fields, name: string, reader: FieldReader<T>): T | undefined {
  const given = fields.values.get(name);
  if (given === undefined) return undefined;
  const reading = reader.read(given, fields.origin);
  if (reading.ok) return reading.value;
  const { must = reader.must, member, inside, suggestions = [] } = reading;
  if (inside !== undefined) {
    const pointer = `${pointerIn(fields, name)}/${pointerPart(inside.name)}`;
    const told = inside.given === undefined ? '' : `; given ${shown(inside.given)}`;
    const detail = `${name}.${shownName(inside.name)} must be ${must}${told}.`;
    addErrorAt(fields, pointer, detail);
    return undefined;
  }
  const meant = suggestions.length === 0 ? '.' : `; did you mean ${suggestions.join(' or ')}?`;
  const predicate = `must be ${must}; given ${shown(member === undefined ? given : member.given)}${meant}`;
  if (member === undefined) addErrorAt(fields, pointerIn(fields, name), `${name} ${predicate}`, suggestions);
  else addMemberError(fields, { name, index: member.index }, predicate, suggestions);
  return undefined;
}

/**
 * Returns the members without `undefined` in their types when the fields have no errors, and undefined when they have
 * some. Throws when a member is missing although there is no error.
 *
 * @example
 * ```ts
 * import { bodyFields, complete, required, textField } from '@fairway/api';
 *
 * const fields = bodyFields({ note: 'x' }, ['note']);
 * const input = complete(fields, { note: required(fields, 'note', textField(140)) });
 * ```
 */
export function complete<Members extends object>(
  fields: Fields,
  members: Members,
): { readonly [Name in keyof Members]: Exclude<Members[Name], undefined> } | undefined {
  if (fields.errors.length > 0) return undefined;
  for (const name in members)
    if (members[name] === undefined)
      throw new Error(`The field ${name} was not read, but no error was added for it.`);
  return members as { readonly [Name in keyof Members]: Exclude<Members[Name], undefined> };
}

const UNSIGNED_INTEGER = new RegExp(UNSIGNED_INTEGER_PATTERN);
const AMOUNT_SHAPE = new RegExp(AMOUNT_PATTERN);
/** More digits than an amount has: those of 2^256-1. */
const LONG_AMOUNT = /^[1-9][0-9]{78,}$/;
const ADDRESS_SHAPE = new RegExp(EVM_ADDRESS_PATTERN);

/** The digits of an integer as written: the text of a query parameter, or a JSON number of a body. */
function digitsOf(given: JsonValue, origin: Fields['origin']): string | undefined {
  const text = origin === 'QUERY' ? given : isJsonNumber(given) ? given.source : undefined;
  return typeof text === 'string' && UNSIGNED_INTEGER.test(text) ? text : undefined;
}

/** A chain id as plain decimal digits, so that every uint64 is kept exactly. */
export const chainIdField: FieldReader<string> = {
  must: 'an integer from 0 to 2^64-1 in plain decimal digits, such as 31337',
  read(given, origin) {
    const digits = digitsOf(given, origin);
    if (digits === undefined || digits.length > 20 || BigInt(digits) > MAX_UINT64) return UNREADABLE;
    return { ok: true, value: digits };
  },
};

/**
 * An integer within bounds, in plain decimal digits.
 *
 * @example
 * ```ts
 * import { integerField } from '@fairway/api';
 *
 * const limit = integerField({ minimum: 1, maximum: 100 });
 * ```
 */
export function integerField({
  minimum,
  maximum,
}: {
  minimum: number;
  maximum: number;
}): FieldReader<number> {
  const must = `an integer from ${minimum} to ${maximum} in plain decimal digits`;
  return {
    must,
    read(given, origin) {
      const digits = digitsOf(given, origin);
      if (digits === undefined && typeof given === 'string' && UNSIGNED_INTEGER.test(given))
        return { ok: false, must: `${must}, as a number without quotation marks` };
      if (digits === undefined || digits.length > 15) return UNREADABLE;
      const value = Number(digits);
      return value < minimum || value > maximum ? UNREADABLE : { ok: true, value };
    },
  };
}

/** true or false. */
export const booleanField: FieldReader<boolean> = {
  must: 'true or false',
  read(given, origin) {
    if (origin === 'QUERY' && (given === 'true' || given === 'false'))
      return { ok: true, value: given === 'true' };
    return typeof given === 'boolean' ? { ok: true, value: given } : UNREADABLE;
  },
};

/** A positive amount in smallest units. */
export const amountField: FieldReader<bigint> = {
  must: 'a string of decimal digits in smallest units, such as "1000000", without sign, point or leading zeros',
  read(given) {
    if (typeof given !== 'string') return UNREADABLE;
    if (LONG_AMOUNT.test(given)) return TOO_LARGE;
    if (!AMOUNT_SHAPE.test(given)) return UNREADABLE;
    const value = BigInt(given);
    if (value === 0n) return { ok: false, must: 'more than zero' };
    if (value > MAX_UINT256) return TOO_LARGE;
    return { ok: true, value };
  },
};

/** The same, or zero. */
export const amountOrZeroField: FieldReader<bigint> = {
  must: amountField.must,
  read: (given, ...rest) => (given === '0' ? { ok: true, value: 0n } : amountField.read(given, ...rest)),
};

/** A positive amount of a currency, in its minor units. */
export const minorAmountField: FieldReader<bigint> = {
  must: 'a string of decimal digits in minor units of the currency, such as "13700" for 137.00, without sign, point or leading zeros',
  read: amountField.read,
};

/** An address. `given`: as the caller wrote it. */
export type GivenAddress = { readonly given: string; readonly address: Address };

/** An address in lower case, in upper case, or in mixed case with a right EIP-55 checksum. */
export const addressField: FieldReader<GivenAddress> = {
  must: 'an address: 0x and 40 hex digits',
  read(given) {
    if (typeof given !== 'string' || !ADDRESS_SHAPE.test(given)) return UNREADABLE;
    if (hasWrongChecksum(given)) {
      return {
        ok: false,
        must: 'an address whose mixed letter case is its EIP-55 checksum (this one has a typing error, or write it all in lower case)',
      };
    }
    return { ok: true, value: { given, address: toAddress(given) } };
  },
};

/** Which side of the trade is exact. */
export const tradeTypeField: FieldReader<'EXACT_IN' | 'EXACT_OUT'> = {
  must: 'EXACT_IN or EXACT_OUT',
  read: (given) => (given === 'EXACT_IN' || given === 'EXACT_OUT' ? { ok: true, value: given } : UNREADABLE),
};

/** An instant, in milliseconds since 1970. */
export const timestampField: FieldReader<number> = {
  must: 'a date-time with a time zone, such as "2026-03-01T12:00:00Z"',
  read(given) {
    const ms = typeof given === 'string' ? timestampToMs(given) : undefined;
    return ms === undefined ? UNREADABLE : { ok: true, value: ms };
  },
};

/** A given value in a form that is short enough for a sentence. */
function shown(given: JsonValue): string {
  if (typeof given === 'string') {
    return given.length > 80
      ? `${JSON.stringify(cutText(given, 64))}… (${given.length} characters)`
      : JSON.stringify(given);
  }
  if (isJsonNumber(given)) return `${given.source.slice(0, 64)} (a number)`;
  if (Array.isArray(given)) return given.length === 0 ? 'an empty list' : `a list of ${given.length}`;
  return typeof given === 'object' && given !== null ? 'an object' : String(given);
}

/**
 * A given name for a sentence. A name that looks like one of a field is unchanged; any other is quoted and shortened.
 */
function shownName(name: string): string {
  return /^[A-Za-z][A-Za-z0-9]{0,31}$/.test(name) ? name : JSON.stringify(cutText(name, 64));
}

/**
 * A text that must be one of the given words.
 *
 * @example
 * ```ts
 * import { wordField } from '@fairway/api';
 *
 * const mode = wordField(['STANDARD', 'DIGITAL_COLLECT']);
 * ```
 */
export function wordField<const Word extends string>(words: readonly Word[]): FieldReader<Word> {
  return {
    must: words.length === 1 ? `${words[0]}` : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`,
    read(given) {
      const value = words.find((word) => word === given);
      return value === undefined ? UNREADABLE : { ok: true, value };
    },
  };
}
