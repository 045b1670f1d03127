import assert from 'node:assert/strict';
import { test } from 'node:test';
import { transfer } from '../test/planEvents.ts';
import { amountOf } from './amount.ts';
import { countedTransfers } from './depositRules.ts';

test('after a hundred transfers, those below a thousandth of the expected deposit do not count', () => {
  const dust = Array.from({ length: 150 }, (_, index) => transfer(`dust ${index}`, amountOf(1n)));
  const counted = (expected: bigint, last: bigint) => {
    const transfers = [...dust, transfer('last', amountOf(last))];
    const kept = countedTransfers(amountOf(expected), transfers);
    return [kept.length, kept.at(-1) === transfers.at(-1)];
  };
  assert.deepEqual(counted(1_234_567n, 1_234n), [101, true]);
  assert.deepEqual(counted(1_234_567n, 1_233n), [100, false]);
  // A thousandth of less than 1,000 units is zero, so every transfer counts.
  assert.deepEqual(counted(999n, 1n), [151, true]);
  assert.deepEqual(countedTransfers(amountOf(1_000_000n), dust.slice(0, 100)), dust.slice(0, 100));
});
