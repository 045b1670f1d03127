const segmenter = new Intl.Segmenter();

/**
 * The beginning of a text, of at most `most` code points: the one way in which texts of others are cut to a length.
 * It is well-formed Unicode even when the text is not. It ends between two characters as people see them, unless a
 * single one is longer than the limit.
 *
 * @example
 * ```ts
 * import { cutText } from '@fairway/values';
 *
 * cutText('Tether USD', 6); // 'Tether'
 * cutText('a👩‍🚀', 3); // 'a': half of an astronaut is none
 * ```
 */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text.toWellFormed();
  // A code point has two units at most. One more shows where the last character ends.
  const start = text.slice(0, 2 * most + 2).toWellFormed();
  const kept = Array.from(start).slice(0, most).join('');
  const boundary = segmenter.segment(start).containing(kept.length)?.index ?? kept.length;
  return boundary === 0 ? kept : kept.slice(0, boundary);
}
