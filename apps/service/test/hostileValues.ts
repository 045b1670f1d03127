import fc from 'fast-check';

/** A JSON value as a JavaScript value. */
export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** Carried by every hostile text, so that an answer that repeats one is noticed. */
export const MARK = '77mark';

const awkward = [
  '',
  ' ',
  '\0',
  '\ud800',
  '\udc00\ud800',
  '\u2028',
  '\r\nX: y',
  '\u202e',
  'é'.normalize('NFD'),
  '𝒳'.repeat(40),
  '__proto__',
  'constructor',
  '0x',
  '-1',
  '1e400',
  "'; drop table plans; --",
  '${jndi:x}',
  '%00',
  'a'.repeat(70),
  'x'.repeat(20_000),
];

/** Texts that are known to cause faults in parsers, databases and pages, each with the mark. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...awkward).map((text) => `${MARK}${text}`),
  fc.string({ unit: 'binary', maxLength: 40 }).map((text) => `${text}${MARK}`),
);

/** Names of built-in members of objects, and names that no field has. */
const hostileName: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    'length',
    '',
    '/',
    '~',
    '0',
    'a/b~c',
  ),
  fc.constantFrom(...awkward),
  fc.string({ unit: 'binary', maxLength: 12 }),
);

function deep(levels: number): Json {
  let value: Json = MARK;
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

/** A value of any kind, which is rarely the kind that a field expects. */
const hostileValue: fc.Arbitrary<Json> = fc.oneof(
  hostileText,
  fc.constantFrom<Json>(null, true, false, [], {}, [[]], { type: 'bank' }, deep(20), deep(40)),
  fc.constantFrom<Json>(0, -1, 1, 1.5, 1e21, 2 ** 53, 5000, 5001, 31_337),
  fc.constantFrom('0', '1', '01', '1.0', String(2n ** 256n), '9'.repeat(78), '9'.repeat(79), '1e3', ' 1'),
  fc.constantFrom(
    'STANDARD',
    'DIGITAL_COLLECT',
    'bank',
    'wallet',
    'email',
    'emoney',
    'AU',
    'PHP',
    'P1M',
    'P14D',
  ),
  fc.constantFrom(
    `0x${'ab'.repeat(20)}`,
    `0x${'00'.repeat(20)}`,
    `0x${'ab'.repeat(32)}`,
    '2026-01-01T00:00:00Z',
  ),
  fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>,
);

/** One change of a JSON value. `where` chooses the place, as a fraction of all places. */
export type Damage = {
  readonly kind: 'REPLACE' | 'REMOVE' | 'ADD';
  readonly where: number;
  readonly name: string;
  readonly value: Json;
};

/** Up to four damages. */
export const damages: fc.Arbitrary<readonly Damage[]> = fc.array(
  fc.record({
    kind: fc.constantFrom('REPLACE' as const, 'REPLACE' as const, 'REMOVE' as const, 'ADD' as const),
    where: fc.double({ min: 0, max: 0.999_999, noNaN: true }),
    name: hostileName,
    value: hostileValue,
  }),
  { minLength: 0, maxLength: 4 },
);

/** A copy of a value with damages; a member called __proto__ is a member like any other. */
export function damaged(value: Json, list: readonly Damage[]): Json {
  return list.reduce((copy, damage) => damagedOnce(copy, damage), structuredClone(value));
}

function damagedOnce(value: Json, { kind, where, name, value: given }: Damage): Json {
  const places = placesIn(value);
  const place = places[Math.floor(where * places.length)];
  if (place === undefined) return given;
  const { holder, key } = place;
  const target = (holder as Record<string, Json>)[key];
  if (kind === 'REMOVE') delete (holder as Record<string, Json>)[key];
  else if (kind === 'ADD' && isObject(target)) define(target, name, given);
  else if (kind === 'ADD' && !Array.isArray(holder)) define(holder, name, given);
  else define(holder, key, given);
  return value;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function define(holder: object, key: string, value: Json): void {
  const own = { value: structuredClone(value), enumerable: true, writable: true, configurable: true };
  Object.defineProperty(holder, key, own);
}

/** Every member of a value, at every depth. */
function placesIn(value: Json): { readonly holder: object; readonly key: string }[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => [{ holder: value, key }, ...placesIn(member)]);
}
