/**
 * Text from outside as one line that shows what it holds: line breaks and runs of spaces become a space; controls,
 * halves of surrogate pairs and whatever hides or turns text are left out. The joiners that some scripts need stay.
 * @param maxLength in code points; what is longer ends in an ellipsis
 */
export function plainLine(text: string, maxLength: number): string {
  const line = text.replace(/\s+/gu, ' ').replace(HIDDEN, '').replace(/ {2,}/g, ' ').trim();
  const characters = Array.from(line);
  return characters.length <= maxLength ? line : `${characters.slice(0, maxLength - 1).join('')}…`;
}

/** Beside the controls: soft hyphen, zero width space, word joiner and its neighbours, byte order mark, annotations, tags. */
const HIDDEN =
  /[\p{Cc}\p{Cs}\p{Bidi_Control}\p{Noncharacter_Code_Point}\u00ad\u200b\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;
