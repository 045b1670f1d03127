import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seed } from '@fairway/testing/properties';
import fc from 'fast-check';
import { cutText } from './cutText.ts';

test('a text is cut between characters, and never within a pair of units', () => {
  assert.equal(cutText('Tether', 6), 'Tether');
  assert.equal(cutText('Tether', 5), 'Tethe');
  assert.equal(cutText('a😀b', 2), 'a😀');
  assert.equal(cutText('a😀b', 1), 'a');
  assert.equal(cutText('ae\u0301b', 2), 'a', 'an accent stays with its letter');
  assert.equal(cutText('a👩‍🚀b', 3), 'a');
  assert.equal(cutText('a👩‍🚀b', 4), 'a👩‍🚀');
  assert.equal(cutText('', 3), '');
});

test('one character that is longer than all that may stay is cut within it', () => {
  assert.equal(cutText(`a${'\u0301'.repeat(500)}`, 4), 'a\u0301\u0301\u0301');
  assert.equal(cutText('👩‍🚀', 1), '👩');
});

test(`every cut is a well-formed beginning of at most so many code points (FC_SEED=${seed})`, () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc
      .array(fc.constantFrom('a', '😀', '\ud83d', '\ude00', '\u0301', '\u200d', '🇦', '🇹'))
      .map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 30 }), (whole, most) => {
      const cut = cutText(whole, most);
      assert.ok(cut.isWellFormed());
      assert.ok(Array.from(cut).length <= most);
      assert.ok(whole.toWellFormed().startsWith(cut));
      assert.ok(cut.length > 0 || whole.length === 0);
    }),
    { seed, numRuns: 2000 },
  );
});
