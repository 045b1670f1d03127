import { cutText } from '@fairway/values';

/** Width of what is printed for people. */
const WIDTH = 100;
const LONGEST_SYMBOL = 12;

/** Shortens a text to a number of characters, counted as code points. */
export function shortened(text: string, length: number): string {
  return cutText(text, length) === text ? text : `${cutText(text, length - 1)}…`;
}

/** Cuts the end of a line that is too wide. */
export function clipped(line: string): string {
  return shortened(line.trimEnd(), WIDTH);
}

/** Breaks a sentence into lines that fit the width. */
export function wrapped(sentence: string): string[] {
  const lines: string[] = [];
  for (const word of sentence.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= WIDTH)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** A token's symbol, shortened for print: a contract can have a symbol of any length. */
export function shownSymbol({ symbol }: { readonly symbol: string }): string {
  return shortened(symbol, LONGEST_SYMBOL);
}

/** One named fact; further values stand below the first. */
export type Fact = readonly [name: string, ...values: string[]];

/** Lines of facts, names in one column. */
export function factLines(facts: readonly Fact[]): string[] {
  return facts.flatMap(([name, ...values]) =>
    values.map((value, index) => clipped(`  ${(index === 0 ? name : '').padEnd(14)}${value}`)),
  );
}

/** Lines of cells in columns, indented. */
export function columns(rows: readonly (readonly string[])[]): string[] {
  return table(rows).map(clipped);
}

/** The same, as wide as they are: an id that is cut could not be copied. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows)
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length);
  return rows.map((row) =>
    `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd(),
  );
}
