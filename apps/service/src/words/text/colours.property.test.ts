import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seed } from '@fairway/testing/properties';
import fc from 'fast-check';
import { type Colour, contrast, inkOn, LEAST_CONTRAST, mixed, readable } from './colours.ts';

const colours = fc
  .integer({ min: 0, max: 0xffffff })
  .map((value): Colour => `#${value.toString(16).padStart(6, '0')}`);

test('contrast is that of WCAG', () => {
  assert.equal(contrast('#000000', '#ffffff'), 21);
  assert.equal(contrast('#777777', '#777777'), 1);
  assert.equal(contrast('#767676', '#ffffff').toFixed(2), '4.54');
  assert.equal(contrast('#ffffff', '#0000ff').toFixed(2), '8.59');
});

test('black or white can be read on every colour', () => {
  fc.assert(
    fc.property(colours, (colour) => contrast(inkOn(colour), colour) >= LEAST_CONTRAST),
    { seed },
  );
});

for (const surfaces of [
  ['#f2f4f7', '#ffffff'],
  ['#0e1318', '#171e26'],
] as const)
  test(`every colour becomes readable on ${surfaces.join(' and ')}, and one that is stays as it is`, () => {
    fc.assert(
      fc.property(colours, (colour) => {
        const found = readable(colour, (candidate) => [...surfaces, mixed(surfaces[1], candidate, 0.08)]);
        const on = [...surfaces, mixed(surfaces[1], found, 0.08)];
        assert.ok(on.every((surface) => contrast(found, surface) >= LEAST_CONTRAST));
        const was = [...surfaces, mixed(surfaces[1], colour, 0.08)];
        if (was.every((surface) => contrast(colour, surface) >= LEAST_CONTRAST)) assert.equal(found, colour);
      }),
      { seed },
    );
  });
