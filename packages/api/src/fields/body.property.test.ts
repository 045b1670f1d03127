import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seed } from '@fairway/testing/properties';
import fc from 'fast-check';
import { isJsonNumber, type JsonValue, readJson } from './body.ts';

/** Converts the numbers of a value that was read to JavaScript numbers. */
function plain(value: JsonValue): unknown {
  if (isJsonNumber(value)) return Number(value.source);
  if (Array.isArray(value)) return value.map((item: JsonValue) => plain(item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)]));
}

const read = (text: string) => readJson(Buffer.from(text));

test('JSON within the depth limit is read as JSON.parse reads it', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 8 }), (text) => {
      const result = read(text);
      assert.ok(result.ok);
      assert.deepEqual(
        plain(result.value),
        JSON.parse(text, (_name, value: unknown) => value),
      );
    }),
    { seed, numRuns: 500 },
  );
});

test('numbers are kept as they are written', () => {
  for (const source of ['9007199254740993', '1e3', '1.0', '-0', '0', '123456789012345678901234567890']) {
    const result = read(`[${source}]`);
    assert.ok(result.ok && Array.isArray(result.value));
    const [number] = result.value as readonly JsonValue[];
    assert.ok(isJsonNumber(number) && number.source === source);
  }
});

test('a repeated name in one object is refused at any depth and in any escaping', () => {
  const name = fc.string({ unit: 'grapheme', maxLength: 6 });
  fc.assert(
    fc.property(name, fc.nat(5), fc.boolean(), (repeated, depth, inList) => {
      const escaped = [...Array(repeated.length).keys()]
        .map((index) => `\\u${repeated.charCodeAt(index).toString(16).padStart(4, '0')}`)
        .join('');
      const object = `{${JSON.stringify(repeated)} : 1, "other~": {"x": "\\"}"}, "${escaped}"\n:2}`;
      const nested = '{"a":'.repeat(depth) + (inList ? `[0,${object}]` : object) + '}'.repeat(depth);
      const result = read(nested);
      assert.equal(result.ok, repeated === 'other~' ? result.ok : false);
    }),
    { seed, numRuns: 300 },
  );
});

test('the same name in different objects or as a value is not a repeated name', () => {
  assert.ok(read('{"a":{"a":1},"b":[{"a":1},{"a":2}],"c":"a","d":["a","a"]}').ok);
});

test('the error of a repeated name has a JSON Pointer to it', () => {
  const result = read('{"x":{"y/z":1,"y/z":2}}');
  assert.ok(!result.ok);
  assert.equal(result.pointer, '/x/y~1z');
  const inLists = read('{"x":[0,[],{"a":[{},"b,",[{"y":1,"y":2}]]}]}');
  assert.ok(!inLists.ok);
  assert.equal(inLists.pointer, '/x/2/a/2/0/y');
});

test('a body of 32 levels is read, a body of 33 levels is refused', () => {
  assert.ok(read('['.repeat(32) + ']'.repeat(32)).ok);
  assert.ok(!read('['.repeat(33) + ']'.repeat(33)).ok);
});

test('bytes that are not UTF-8 are refused', () => {
  assert.ok(!readJson(Buffer.from([0x22, 0xff, 0x22])).ok);
  assert.ok(!readJson(Buffer.from('"x"', 'utf16le')).ok);
});

test('the error of a malformed body does not repeat the body', () => {
  const result = read('{"password": hunter2}');
  assert.ok(!result.ok && !result.detail.includes('hunter2'));
  assert.match(result.detail, /"h" is out of place/);
  const broken = read('{"a":"b"');
  assert.ok(!broken.ok);
  assert.match(broken.detail, /line 1, column 9/);
});
