import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAddress } from 'viem';
import { eip55, hasWrongChecksum } from './eip55.ts';

const right = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';

test('only mixed letter case carries a checksum, and then every letter must be in the right case', () => {
  const digits = right.slice(2);
  assert.equal(hasWrongChecksum(`0x${digits.toLowerCase()}`), false);
  assert.equal(hasWrongChecksum(`0x${digits.toUpperCase()}`), false);
  assert.equal(isAddress(right), true);
  assert.equal(hasWrongChecksum(right), false);
  for (const [index, digit] of [...right].entries()) {
    const turned = digit === digit.toUpperCase() ? digit.toLowerCase() : digit.toUpperCase();
    if (index < 2 || turned === digit) continue;
    const mixed = `${right.slice(0, index)}${turned}${right.slice(index + 1)}`;
    assert.equal(isAddress(mixed), false);
    assert.equal(hasWrongChecksum(mixed), true, mixed);
  }
});

test('a wrong checksum is found for remembered addresses too', () => {
  const wrong = right.replace('b', 'B');
  const shouted = `0x${right.slice(2).toUpperCase()}`;
  for (const isOurs of [false, true]) {
    if (isOurs) assert.equal(eip55(right.toLowerCase() as `0x${string}`), right);
    assert.deepEqual([right, wrong, right.toLowerCase(), shouted].map(hasWrongChecksum), [
      false,
      true,
      false,
      false,
    ]);
  }
});
