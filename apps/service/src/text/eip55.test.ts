import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eip55, hasWrongChecksum } from './eip55.ts';

const right = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';

test('a wrong checksum is wrong for strangers and for addresses of ours, which are remembered', () => {
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
