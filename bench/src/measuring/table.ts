import type { Row } from '../benchmark.ts';

/** A benchmark's rows as a table. */
export function tableOf(title: string, rows: readonly Row[]): string {
  const cells = rows.map(({ what, measured, target, note }) => [
    what,
    measured,
    target === undefined ? '' : `${target.text}: ${target.met ? 'met' : 'MISSED'}`,
    note ?? '',
  ]);
  return alignedTable([title, 'measured', 'target', 'note'], cells);
}

/** Cells as a Markdown table whose columns also line up on a terminal. */
export function alignedTable(header: readonly string[], cells: readonly (readonly string[])[]): string {
  const widths = header.map((name, column) =>
    Math.max(name.length, 3, ...cells.map((row) => (row[column] ?? '').length)),
  );
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`;
  return [line(header), rule, ...cells.map(line)].join('\n');
}
