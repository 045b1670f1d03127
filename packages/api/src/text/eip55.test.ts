import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAddress } from 'viem';
import { eip55, hasWrongChecksum } from './eip55.ts';

const RIGHT = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';

test('only mixed letter case carries a checksum, and then every letter must be in the right case', () => {
  const digits = RIGHT.slice(2);
  assert.equal(hasWrongChecksum(`0x${digits.toLowerCase()}`), false);
  assert.equal(hasWrongChecksum(`0x${digits.toUpperCase()}`), false);
  assert.equal(isAddress(RIGHT), true);
  assert.equal(hasWrongChecksum(RIGHT), false);
  for (const [index, digit] of [...RIGHT].entries()) {
    const turned = digit === digit.toUpperCase() ? digit.toLowerCase() : digit.toUpperCase();
    if (index < 2 || turned === digit) continue;
    const mixed = `${RIGHT.slice(0, index)}${turned}${RIGHT.slice(index + 1)}`;
    assert.equal(isAddress(mixed), false);
    assert.equal(hasWrongChecksum(mixed), true, mixed);
  }
});

test('a wrong checksum is found for remembered addresses too', () => {
  const wrong = RIGHT.replace('b', 'B');
  const shouted = `0x${RIGHT.slice(2).toUpperCase()}`;
  for (const isOurs of [false, true]) {
    if (isOurs) assert.equal(eip55(RIGHT.toLowerCase() as `0x${string}`), RIGHT);
    assert.deepEqual([RIGHT, wrong, RIGHT.toLowerCase(), shouted].map(hasWrongChecksum), [
      false,
      true,
      false,
      false,
    ]);
  }
});
