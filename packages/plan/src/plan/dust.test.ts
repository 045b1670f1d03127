import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newPlan } from '../../test/plans.ts';
import { amountOf } from '../terms/amount.ts';
import { dustBelow } from './dust.ts';

test('less than a thousandth of what a plan takes is dust', () => {
  const dustOf = (amount: bigint) => dustBelow(newPlan({ amountIn: amountOf(amount) }));
  assert.deepEqual([1_000n, 999n, 123_456n].map(dustOf), ['1', '0', '123']);
});
