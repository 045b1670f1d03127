import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bodyFields, optional } from './fields.ts';
import { referenceField, textField } from './textFields.ts';

function taken(text: string, field = textField(100)): boolean {
  const fields = bodyFields({ given: text }, ['given']);
  return optional(fields, 'given', field) === text;
}

/** Characters that turn the direction of a text or are invisible. */
const HIDDEN = [
  '\u202e',
  '\u2066',
  '\u200e',
  '\u061c',
  '\u200b',
  '\u2060',
  '\ufeff',
  '\u00ad',
  '\u034f',
  '\u3164',
];
/** A family, a heart, and a Persian word, whose letters are joined or kept apart. */
const JOINED = [
  '\u{1f469}\u200d\u{1f467}',
  '\u2764\ufe0f',
  '\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645',
];

test('a text with characters that are not seen is refused, wherever they stand', () => {
  for (const hidden of HIDDEN)
    for (const text of [`INV-1${hidden}`, `${hidden}INV-1`, `IN${hidden}V-1`, hidden])
      for (const field of [textField(100), referenceField(100)])
        assert.equal(taken(text, field), false, JSON.stringify(text));
});

test('texts may have what some scripts and emoji are joined by, references may not', () => {
  for (const text of [...JOINED, 'Zoë Müller & Söhne', '\u5f20\u4f1f', '\u05d3\u05d5\u05d3', 'a\u00a0b']) {
    assert.ok(taken(text), text);
    assert.equal(taken(text, referenceField(100)), !JOINED.includes(text), text);
  }
});
