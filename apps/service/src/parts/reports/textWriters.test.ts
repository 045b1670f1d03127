import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FileFrame } from './writer.ts';
import { csvWriter } from './textWriters.ts';

const { rows } = csvWriter({ columns: ['text', 'amount'] } as unknown as FileFrame);

/** The cells of a line as a spreadsheet reads them that separates cells by semicolons or tabs, and knows quotation marks. */
function cellsOf(line: string): string[] {
  const [first = '', ...others] = line.split(/[;\t]/);
  return [first, ...others.map((cell) => cell.replace(/^[\s"]*/, ''))];
}

test('no part of a text is a formula, whatever a spreadsheet separates cells by', () => {
  const formulas = ['=1+1', '+1', '-cmd', '@SUM(1)', '\uff1d1', '"=1"', ' =1', '""=1', '\u00a0=1'];
  const texts = formulas.flatMap((formula) => [
    formula,
    `a;${formula}`,
    `a\t${formula}`,
    `a;;${formula};b`,
    `"a";${formula}`,
    `a, b;${formula}`,
  ]);
  for (const text of texts) {
    const line = String(rows([[text, 7]])).trimEnd();
    for (const cell of cellsOf(line)) assert.doesNotMatch(cell, /^[=+\-@\uff1d]/, `${text} in ${line}`);
  }
});

test('texts without formulas stay as they are, and numbers stay numbers', () => {
  assert.equal(
    String(
      rows([
        ['a;b', 1],
        ['a; b-c=d', { decimal: '-5' }],
      ]),
    ),
    'a;b,1\r\na; b-c=d,-5\r\n',
  );
});
