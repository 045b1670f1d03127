/** The most marks that a letter of a name can need: Burmese and Tibetan stack up to seven. */
const MOST_MARKS = 8;

/** The invisible characters that names need: the joiners of Persian and Indic scripts, and the variants of Han letters. */
const NEEDED = /[\p{Join_Control}[\p{Variation_Selector}--[\u180b-\u180d\u180f]]]/gv;

/**
 * Those of Mongolian names: a variant behind a letter, and the vowel separator between two letters (The Unicode Standard,
 * section 13.5). Elsewhere they show nothing.
 */
const NEEDED_IN_MONGOLIAN =
  /(?<=[\p{Script=Mongolian}&&\p{L}])(?:[\u180b-\u180d\u180f]?\u180e(?=[\p{Script=Mongolian}&&\p{L}])|[\u180b-\u180d\u180f])/gv;

/** Characters that are drawn as nothing, or in ways that depend on the font: fillers and tags among them. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Co}\u2800]/u;

const MARKS_IN_A_ROW = new RegExp(`[\\p{M}\\p{Join_Control}]{${MOST_MARKS + 1}}`, 'u');

/**
 * Whether people can read a line and tell it from another one. Something in it can be seen. Nothing in it is
 * invisible but what its script needs, and marks are not heaped up. See Unicode Technical Standard 39, section 5.4.
 */
export function isReadableLine(line: string): boolean {
  if (MARKS_IN_A_ROW.test(line)) return false;
  return (
    !INVISIBLE.test(line.replace(NEEDED_IN_MONGOLIAN, '').replace(NEEDED, '')) &&
    /[^\p{Z}\p{C}\p{M}]/u.test(line)
  );
}
