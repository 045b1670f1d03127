import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wordsOf } from './words.ts';

const ID = 'FW0123456789ABCDEF0123456789ABCDEF';

/** Texts as banks write them, and the reference that they name. */
const TEXTS = [
  ['Invoice INV-7, ("PO/88") paid', 'INV7'],
  ['Invoice INV-7, ("PO/88") paid', 'PO88'],
  ['EREF+inv 2026 0007+SVWZ+rent', 'INV20260007'],
  [`${'word '.repeat(1_900)}INV-2026-7`, 'INV20267'],
  [`EREF: ${ID}`, ID],
  [`rent for may ${ID.slice(0, 20)} ${ID.slice(20)} thank you`, ID],
  [`SVWZ+rentEREF+${ID.toLowerCase()}ABWA+x`, ID],
  [`REMI/${ID.slice(0, 8)}-${ID.slice(8, 16)}-${ID.slice(16)}/ACME`, ID],
  [`${ID.slice(0, 16)} Jo Citizen`, ID.slice(0, 16)],
] as const;

for (const [text, reference] of TEXTS)
  test(`the text ${text.slice(-50)} names ${reference}`, () => {
    assert.ok(wordsOf(text).named.has(reference));
  });

test('words without a digit, and those longer than any reference, are none', () => {
  assert.deepEqual([...wordsOf('paid for the rent').named], []);
  assert.deepEqual([...wordsOf('x'.repeat(129) + 1).tagged], []);
});

test('a long text is gone through once', () => {
  const workOf = (text: string) => {
    const before = process.threadCpuUsage();
    wordsOf(text);
    const { user, system } = process.threadCpuUsage(before);
    return user + system;
  };
  for (const piece of ['.', 'FW', 'a1 ', 'FW0123456789ABCDEF'])
    for (let tries = 0; ; tries += 1) {
      const [less, more] = [piece.repeat(10_000), piece.repeat(40_000)].map(workOf);
      // Its square would be 16 times as much; less than 20 ms is too little to be compared.
      if ((more ?? 0) / Math.max(20_000, less ?? 0) < 9) break;
      assert.ok(tries < 3, piece);
    }
});
