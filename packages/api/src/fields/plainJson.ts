import { isJsonNumber, isJsonObject, type JsonValue } from './body.ts';

/**
 * A JSON value with JavaScript numbers. A number that is not a safe integer from 0 up becomes NaN.
 *
 * @example
 * ```ts
 * import { plainJson } from '@fairway/api';
 *
 * const plain = plainJson({ a: [null] });
 * ```
 */
export function plainJson(value: JsonValue): unknown {
  if (isJsonNumber(value)) {
    const number = /^(0|[1-9]\d{0,15})$/.test(value.source) ? Number(value.source) : Number.NaN;
    return Number.isSafeInteger(number) ? number : Number.NaN;
  }
  if (Array.isArray(value)) return value.map((item: JsonValue) => plainJson(item));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plainJson(member)]));
}
