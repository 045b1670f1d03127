import { cutText } from '@fairway/values';

/**
 * Turns text from outside into one line without hidden characters. Line breaks and runs of spaces become one space.
 * Controls, halves of surrogate pairs, and characters that hide or turn text are left out. The joiners that some
 * scripts need stay.
 *
 * @example
 * ```ts
 * import { plainLine } from '@fairway/api';
 *
 * plainLine('one\ntwo', 20); // 'one two'
 * ```
 * @param maxLength in code points; a longer text is cut and ends with an ellipsis
 */
export function plainLine(text: string, maxLength: number): string {
  const line = text.replace(/\s+/gu, ' ').replace(HIDDEN, '').replace(/ {2,}/g, ' ').trim();
  return cutText(line, maxLength) === line ? line : `${cutText(line, maxLength - 1)}…`;
}

/**
 * In addition to controls: soft hyphen, zero width space, word joiner and its neighbours, byte order mark,
 * annotations, tags.
 */
const HIDDEN =
  /[\p{Cc}\p{Cs}\p{Bidi_Control}\p{Noncharacter_Code_Point}\u00ad\u200b\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;
