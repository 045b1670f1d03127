import { cutText } from '@fairway/values';
import { LIMITS } from '@fairway/wire';

declare const numberToken: unique symbol;

/** A JSON number as it was written, so that each field can read its digits without floating point. */
export type JsonNumber = { readonly [numberToken]: true; readonly source: string };

/** A parsed JSON value whose numbers are their source text. */
export type JsonValue = null | boolean | string | JsonNumber | JsonList | JsonObject;
type JsonList = readonly JsonValue[];
type JsonObject = { readonly [name: string]: JsonValue };

/** A body that was read, or why it could not be. `pointer`: the place of the error, when it has one. */
export type ReadBody =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly detail: string; readonly pointer?: string };

const numbers = new WeakSet<object>();

/** Whether a value is a JSON number. */
export function isJsonNumber(value: unknown): value is JsonNumber {
  return typeof value === 'object' && value !== null && numbers.has(value);
}

/**
 * Whether a value is a JSON object.
 *
 * @example
 * ```ts
 * import { isJsonObject } from '@fairway/api';
 *
 * isJsonObject({}); // true
 * ```
 */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !numbers.has(value);
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Reads a body as strict JSON: UTF-8, no repeated name in an object (in any escaping), at most 32 levels. Numbers are
 * kept as written. Never throws.
 *
 * @example
 * ```ts
 * import { readJson } from '@fairway/api';
 *
 * const read = readJson(Buffer.from('{}'));
 * ```
 */
export function readJson(bytes: Uint8Array): ReadBody {
  if (bytes.length === 0) return { ok: false, detail: 'The body is empty; send a JSON object.' };
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    return { ok: false, detail: 'The body is not valid UTF-8.' };
  }
  try {
    JSON.parse(text);
  } catch (error) {
    return { ok: false, detail: `The body is not valid JSON${placeOf(error)}.` };
  }
  const fault = structureFault(text);
  if (fault !== undefined) return { ok: false, ...fault };
  return { ok: true, value: parseKeepingNumbers(text) };
}

/** The place of the error from V8's message. The message also quotes a piece of the body, which is left out. */
function placeOf(error: unknown): string {
  const message = error instanceof Error ? error.message : '';
  const place = /line (\d+) column (\d+)/.exec(message);
  if (place !== null) return `: line ${place[1]}, column ${place[2]}`;
  const token = /^Unexpected token '(.)'/su.exec(message);
  if (token !== null) return `: ${JSON.stringify(token[1])} is out of place`;
  return message.includes('end of JSON input') ? ': it ends too early' : '';
}

/** The type of JSON.parse with a `source` in the reviver's context, which TypeScript's library does not declare yet. */
type ParseWithSource = (
  text: string,
  reviver: (name: string, value: JsonValue | number, context: { readonly source?: string }) => JsonValue,
) => JsonValue;

function parseKeepingNumbers(text: string): JsonValue {
  return (JSON.parse as unknown as ParseWithSource)(text, (_name, value, { source }) => {
    if (typeof value !== 'number') return value;
    const kept = { source: source ?? '' } as JsonNumber;
    numbers.add(kept);
    return kept;
  });
}

/** An object or a list that is being read. `names`: those of an object so far. `place`: the present name or index. */
type Level = { readonly names: Set<string> | undefined; place: string };

/**
 * Finds what JSON.parse accepts and a body may not have: repeated names, or too many levels. The text is valid JSON.
 */
function structureFault(text: string): { detail: string; pointer?: string } | undefined {
  const levels: Level[] = [];
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (character === '{' || character === '[') {
      levels.push(character === '{' ? { names: new Set(), place: '' } : { names: undefined, place: '0' });
      if (levels.length > LIMITS.bodyDepth) {
        return { detail: `The body nests deeper than ${LIMITS.bodyDepth} levels.` };
      }
    } else if (character === '}' || character === ']') {
      levels.pop();
    } else if (character === ',') {
      const level = levels.at(-1);
      if (level !== undefined && level.names === undefined) level.place = String(Number(level.place) + 1);
    } else if (character === '"') {
      const end = stringEnd(text, index);
      const level = levels.at(-1);
      if (level?.names !== undefined && isName(text, end)) {
        const name = JSON.parse(text.slice(index, end)) as string;
        level.place = name;
        if (level.names.has(name)) return repeatedName(levels);
        level.names.add(name);
      }
      index = end - 1;
    }
  }
  return undefined;
}

function repeatedName(levels: readonly Level[]): { detail: string; pointer: string } {
  const places = levels.map(({ place }) => place);
  const shown = JSON.stringify(cutText(places.at(-1) ?? '', 64));
  return {
    detail: `The name ${shown} appears twice in one object; send each name once.`,
    pointer: places.map((place) => `/${pointerPart(place)}`).join(''),
  };
}

/**
 * A name as a part of a JSON Pointer. A name that is longer than that of any field is shortened.
 *
 * @example
 * ```ts
 * import { pointerPart } from '@fairway/api';
 *
 * pointerPart('a/b'); // 'a~1b'
 * ```
 */
export function pointerPart(name: string): string {
  return cutText(name, 64).replaceAll('~', '~0').replaceAll('/', '~1');
}

/** The index after the closing quote of the string that opens at `start`. */
function stringEnd(text: string, start: number): number {
  let index = start + 1;
  while (text[index] !== '"') index += text[index] === '\\' ? 2 : 1;
  return index + 1;
}

/** Whether the string that ends here is a member's name: in valid JSON a colon follows only names. */
function isName(text: string, end: number): boolean {
  let index = end;
  while (/[ \t\r\n]/.test(text[index] ?? '')) index += 1;
  return text[index] === ':';
}

/**
 * What is wrong with the headers Content-Type and Content-Encoding of a body; undefined when they declare plain JSON in
 * UTF-8. Parameters other than charset are ignored.
 *
 * @example
 * ```ts
 * import { mediaTypeFault } from '@fairway/api';
 *
 * mediaTypeFault('text/plain', undefined); // 'Content-Type must be application/json; given "text/plain".'
 * ```
 */
export function mediaTypeFault(
  contentType: string | undefined,
  encoding: string | undefined,
): string | undefined {
  if (contentType === undefined) return 'Content-Type is missing; send "Content-Type: application/json".';
  const [type = '', ...parameters] = contentType.split(';');
  const shown = JSON.stringify(cutText(contentType, 64));
  if (type.trim().toLowerCase() !== 'application/json') {
    return `Content-Type must be application/json; given ${shown}.`;
  }
  const foreign = parameters
    .map((parameter) => /^\s*charset\s*=\s*"?([^"]*?)"?\s*$/i.exec(parameter)?.[1])
    .find((charset) => charset !== undefined && !/^utf-?8$/i.test(charset));
  if (foreign !== undefined) return `The charset must be utf-8; given ${shown}.`;
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity') {
    return 'Compressed bodies are not accepted; send the body without Content-Encoding.';
  }
  return undefined;
}
