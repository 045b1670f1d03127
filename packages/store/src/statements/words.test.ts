import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wordsOf } from './words.ts';

test('words with a digit are what may be references, alone and together, without punctuation', () => {
  const words = wordsOf('Invoice INV-7, ("PO/88") paid');
  for (const expected of ['INV-7', 'INV-7, ("PO/88")', 'Invoice INV-7', 'PO/88', '88")'])
    assert.ok(words.includes(expected), expected);
  assert.ok(!words.includes('paid'));
  assert.deepEqual(wordsOf('x'.repeat(129) + 1), []);
});

test('a row of dots is gone through once from each side', () => {
  const workOf = (count: number) => {
    const before = process.threadCpuUsage();
    wordsOf(`x${'.'.repeat(count)}7`);
    const { user, system } = process.threadCpuUsage(before);
    return user + system;
  };
  const least = (count: number) => Math.min(...[0, 1, 2].map(() => workOf(count)));
  // Its square would be 16 times as much; less than 20 ms is too little to be compared.
  assert.ok(least(40_000) / Math.max(20_000, least(10_000)) < 9);
});
