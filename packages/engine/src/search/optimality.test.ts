import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DualPoint } from './dual.ts';
import { boundOf, optimalityOf } from './optimality.ts';

/** A point of the search, of which only the bound matters. */
function pointOf(value: number, magnitude: number): DualPoint {
  return { value, magnitude } as DualPoint;
}

test('a bound is rounded to the last whole unit that can be reached', () => {
  assert.equal(boundOf(pointOf(1000.7, 0), 'EXACT_IN'), 1000n);
  assert.equal(boundOf(pointOf(1000, 0), 'EXACT_IN'), 1000n);
  // An EXACT_OUT search minimises -cost: a cost of at least 1000.2 units is one of 1001.
  assert.equal(boundOf(pointOf(-1000.2, 0), 'EXACT_OUT'), 1001n);
  assert.equal(boundOf(pointOf(-1000, 0), 'EXACT_OUT'), 1000n);
});

test('a bound is widened by the possible rounding errors of its sum', () => {
  assert.equal(boundOf(pointOf(1000.5, 3e12), 'EXACT_IN'), 1003n);
  assert.equal(boundOf(pointOf(-1000.5, 3e12), 'EXACT_OUT'), 998n);
});

test('a point without a finite value gives no bound, and zero is a bound', () => {
  for (const tradeType of ['EXACT_IN', 'EXACT_OUT'] as const) {
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])
      assert.equal(boundOf(pointOf(value, 0), tradeType), undefined);
    assert.equal(boundOf(pointOf(0, 0), tradeType), 0n);
  }
  assert.equal(boundOf(pointOf(-5, 0), 'EXACT_IN'), undefined);
  assert.equal(boundOf(pointOf(5, 0), 'EXACT_OUT'), 0n, 'nothing costs less than nothing');
});

test('the gap is the part of the bound not returned, or of the payment not needed', () => {
  assert.deepEqual(optimalityOf(1000n, 600n, 'EXACT_IN'), { upperBound: 1000n, gapBps: 4000 });
  assert.deepEqual(optimalityOf(600n, 1000n, 'EXACT_OUT'), { upperBound: 600n, gapBps: 4000 });
});

test('the gap is in thousandths of a basis point, rounded up', () => {
  assert.equal(optimalityOf(3n, 2n, 'EXACT_IN').gapBps, 3333.334);
  assert.equal(optimalityOf(2n, 3n, 'EXACT_OUT').gapBps, 3333.334);
  assert.equal(optimalityOf(10n ** 18n, 10n ** 18n - 1n, 'EXACT_IN').gapBps, 0.001);
});

test('an amount equal to its bound has no gap, and neither has an amount of zero', () => {
  for (const tradeType of ['EXACT_IN', 'EXACT_OUT'] as const) {
    assert.equal(optimalityOf(1000n, 1000n, tradeType).gapBps, 0);
    assert.equal(optimalityOf(0n, 0n, tradeType).gapBps, 0);
  }
  // Rounding errors may put the bound a little on the wrong side: that is no gap either.
  assert.equal(optimalityOf(1000n, 1001n, 'EXACT_IN').gapBps, 0);
  assert.equal(optimalityOf(1001n, 1000n, 'EXACT_OUT').gapBps, 0);
});
