import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import { ConfigFile } from './schema.ts';
import { schemaProblem } from './schemaProblem.ts';

const ajv = new Ajv({ allErrors: true, strict: false, verbose: true });

function problemsOf(schema: object, value: unknown): string[] {
  const validate = ajv.compile(schema);
  assert.ok(!validate(value));
  return (validate.errors ?? []).map(schemaProblem);
}

test('each keyword of the schema of the configuration file has plain words', () => {
  const keywords = new Set<string>();
  const collect = (schema: unknown): void => {
    if (typeof schema !== 'object' || schema === null) return;
    const { properties = {}, items, anyOf = [], ...rest } = schema as Record<string, unknown>;
    for (const name of Object.keys(rest)) keywords.add(name);
    if (anyOf !== undefined && (anyOf as unknown[]).length > 0) keywords.add('anyOf');
    for (const each of [...Object.values(properties as object), items, ...(anyOf as unknown[])])
      collect(each);
  };
  collect(ConfigFile);
  const wrong: Readonly<Record<string, readonly [object, unknown, string]>> = {
    type: [{ type: 'array' }, 5, 'the file must be a list.'],
    minimum: [{ type: 'integer', minimum: 3 }, 2, 'the file must be a whole number of at least 3.'],
    maximum: [{ type: 'number', minimum: 3, maximum: 9 }, 10, 'the file must be a number from 3 to 9.'],
    exclusiveMinimum: [{ type: 'number', exclusiveMinimum: 0 }, 0, 'the file must be a number above 0.'],
    minLength: [{ type: 'string', minLength: 2 }, '', 'the file must have at least 2 characters.'],
    maxLength: [{ type: 'string', maxLength: 1 }, 'ab', 'the file must have at most 1 character.'],
    minItems: [{ type: 'array', minItems: 1 }, [], 'the file must have at least 1 entry.'],
    minProperties: [{ type: 'object', minProperties: 1 }, {}, 'the file must have at least 1 key.'],
    maxItems: [{ type: 'array', maxItems: 2 }, [1, 2, 3], 'the file must have at most 2 entries.'],
    uniqueItems: [
      { type: 'array', uniqueItems: true },
      [1, 1],
      'the file must not have the same entry twice.',
    ],
    pattern: [{ type: 'string', pattern: '^a' }, 'b', 'the file must match the pattern ^a.'],
    const: [{ const: 'V2' }, 'V4', 'the file must be "V2".'],
    enum: [{ enum: ['a', 'b'] }, 'c', 'the file must be one of "a", "b".'],
    required: [{ type: 'object', required: ['a'] }, {}, 'the file: a is missing.'],
    additionalProperties: [
      { type: 'object', additionalProperties: false },
      { a: 1 },
      'the file: a is not a key here.',
    ],
  };
  for (const [keyword, [schema, value, sentence]] of Object.entries(wrong))
    assert.deepEqual(problemsOf(schema, value), [sentence], keyword);
  // These only annotate, or hold other schemas whose errors are told besides.
  const silent = ['$id', '$schema', 'title', 'description', 'default', 'examples', 'anyOf'];
  for (const keyword of keywords)
    assert.ok(silent.includes(keyword) || keyword in wrong, `the keyword ${keyword} has no words`);
});

test('a key is named as programs name it', () => {
  const schema = {
    type: 'object',
    properties: {
      chains: {
        type: 'array',
        items: { type: 'object', properties: { agreement: { type: 'integer', minimum: 1 } } },
      },
    },
  };
  assert.deepEqual(problemsOf(schema, { chains: [{ agreement: 'two' }] }), [
    'chains[0].agreement must be a whole number of at least 1.',
  ]);
});

test('one of several words is named with all of them, and the given value is not repeated', () => {
  const schema = { anyOf: [{ const: 'ACTIVE' }, { const: 'SUSPENDED' }] };
  const problems = problemsOf(schema, 'secret');
  assert.ok(problems.includes('the file must be one of "ACTIVE", "SUSPENDED".'), String(problems));
  assert.ok(!problems.join().includes('secret'));
});
