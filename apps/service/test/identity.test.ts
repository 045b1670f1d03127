// Pages for recipients and for integrators look like one product: the same colours by the same names.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { STYLE } from '../src/parts/collect/pages/style.ts';
import { IDENTITY } from '@fairway/api';

/** The custom properties of the light scheme, then those of the dark one. */
function coloursIn(style: string): ReadonlyMap<string, string>[] {
  return [...style.matchAll(/:root\{([^}]*)\}/g)]
    .slice(0, 2)
    .map(
      ([, text = '']) =>
        new Map(
          [...text.matchAll(/--([a-z-]+):#([0-9a-f]+)/g)].map(([, name = '', digits = '']) => [
            name,
            digits.length === 3 ? digits.replaceAll(/./g, '$&$&') : digits,
          ]),
        ),
    );
}

test('pages for recipients have the colours of all pages', () => {
  const [ours, theirs] = [coloursIn(IDENTITY), coloursIn(STYLE)];
  for (const [scheme, colours] of theirs.entries()) {
    const common = [...colours].filter(([name]) => ours[scheme]?.has(name));
    assert.ok(common.length >= 14);
    for (const [name, colour] of common) assert.equal(ours[scheme]?.get(name), colour, name);
  }
  assert.deepEqual([ours.length, theirs.length], [2, 2]);
});
