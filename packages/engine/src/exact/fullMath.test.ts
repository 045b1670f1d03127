import assert from 'node:assert/strict';
import { test } from 'node:test';
import { divRoundingUp, mulDiv, mulDivRoundingUp } from './fullMath.ts';

const Q128 = 2n ** 128n;
const MAX_UINT256 = 2n ** 256n - 1n;

test('a product wider than 256 bits is divided exactly', () => {
  // The figures of the protocol's own test suite: Uniswap v3-core, FullMath spec.
  assert.equal(mulDiv(Q128, (50n * Q128) / 100n, (150n * Q128) / 100n), Q128 / 3n);
  assert.equal(mulDivRoundingUp(Q128, (50n * Q128) / 100n, (150n * Q128) / 100n), Q128 / 3n + 1n);
  assert.equal(mulDiv(Q128, 35n * Q128, 8n * Q128), (4375n * Q128) / 1000n);
  assert.equal(mulDivRoundingUp(Q128, 35n * Q128, 8n * Q128), (4375n * Q128) / 1000n);
  assert.equal(mulDiv(Q128, 1000n * Q128, 3000n * Q128), Q128 / 3n);
  assert.equal(mulDivRoundingUp(Q128, 1000n * Q128, 3000n * Q128), Q128 / 3n + 1n);
  assert.equal(mulDiv(MAX_UINT256, MAX_UINT256, MAX_UINT256), MAX_UINT256);
  assert.equal(mulDivRoundingUp(MAX_UINT256, MAX_UINT256, MAX_UINT256), MAX_UINT256);
});

test('a quotient is rounded up if there is a remainder, and only then', () => {
  for (let numerator = 0n; numerator <= 40n; numerator += 1n) {
    for (let divisor = 1n; divisor <= 12n; divisor += 1n) {
      let quotient = 0n;
      while (quotient * divisor < numerator) quotient += 1n;
      assert.equal(divRoundingUp(numerator, divisor), quotient, `${numerator} / ${divisor}`);
    }
  }
});
