import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBesidePlaces } from './besidePlaces.ts';

test('an organisation gets more places while nothing is delayed, and loses them otherwise', () => {
  const places = createBesidePlaces(16);
  assert.equal(places.now(), 1);
  for (let run = 0; run < 200; run += 1) places.note('planSwap', 10, true);
  assert.equal(places.now(), 16);
  for (let run = 0; run < 100; run += 1) places.note('planSwap', 40, true);
  assert.equal(places.now(), 1);
});

test('operations that take long by themselves take no places away', () => {
  const places = createBesidePlaces(16);
  for (let run = 0; run < 200; run += 1) {
    places.note('planSwap', 300, true);
    places.note('listPayments', 5, true);
    places.note('listPayments', 9, true);
  }
  assert.equal(places.now(), 16);
});

test('operations of an organisation that needs no more places add none', () => {
  const places = createBesidePlaces(16);
  for (let run = 0; run < 200; run += 1) places.note('planSwap', 10, false);
  assert.equal(places.now(), 1);
});

test('what has become slower for good counts as the usual time after a while', () => {
  const places = createBesidePlaces(16);
  places.note('planSwap', 10, true);
  for (let run = 0; run < 2_000; run += 1) places.note('planSwap', 40, true);
  assert.equal(places.now(), 16);
});
