import { LINE_PATTERN, REFERENCE_PATTERN } from '@fairway/wire';
import type { FieldReader } from './fields.ts';

const [LINE_SHAPE, REFERENCE_SHAPE] = [new RegExp(LINE_PATTERN, 'u'), new RegExp(REFERENCE_PATTERN, 'u')];

/**
 * A text of 1 to `longest` characters on one line, not blank and without hidden characters. It is kept as it is sent.
 *
 * @example
 * ```ts
 * import { textField } from '@fairway/api';
 *
 * const note = textField(140);
 * ```
 */
export function textField(longest: number): FieldReader<string> {
  return lineField(longest, LINE_SHAPE);
}

/**
 * A reference of the caller: a text without any character that is not seen, as it is compared character by character.
 *
 * @example
 * ```ts
 * import { referenceField } from '@fairway/api';
 *
 * const reference = referenceField(64);
 * ```
 */
export function referenceField(longest: number): FieldReader<string> {
  return lineField(longest, REFERENCE_SHAPE);
}

function lineField(longest: number, shape: RegExp): FieldReader<string> {
  return {
    must: `a text of 1 to ${longest} characters, not blank and without control or hidden characters`,
    read(given) {
      if (typeof given !== 'string' || isLonger(given, longest)) return { ok: false };
      return shape.test(given) && given.isWellFormed() ? { ok: true, value: given } : { ok: false };
    },
  };
}

/**
 * Whether a text is longer than a number of characters, counted as JSON Schema does: by code points.
 *
 * @example
 * ```ts
 * import { isLonger } from '@fairway/api';
 *
 * isLonger('abc', 2); // true
 * ```
 */
export function isLonger(text: string, characters: number): boolean {
  return text.length > 2 * characters || Array.from(text).length > characters;
}
