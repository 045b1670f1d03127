// The OpenAPI document as tools read it: every example fits its schema, what clients are generated from has names, and
// the bounds are exact.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openApiDocument, openApiText } from '@fairway/wire';
import { Ajv2020 } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';

type Schema = { $ref?: string; type?: string; items?: Schema; oneOf?: Schema[]; properties?: object };
type Content = Record<
  string,
  { schema: Schema; example?: unknown; examples?: Record<string, { $ref?: string; value?: unknown }> }
>;
type Described = {
  operationId: string;
  requestBody?: { content: Content };
  responses: Record<string, { content?: Content }>;
};
type Document = {
  paths: Record<string, Record<string, Described>>;
  webhooks: Record<string, Record<string, Described>>;
  components: { schemas: Record<string, Schema>; examples: Record<string, { value: unknown }> };
};

const text = openApiText(openApiDocument('https://fairway.example'), 2);
const document = JSON.parse(text) as Document;
const ajv = new Ajv2020({ allErrors: true, strict: false });
ajvFormats.default(ajv);
ajv.addFormat('uint64', { type: 'number', validate: Number.isSafeInteger });
ajv.addSchema(document, 'openapi');

const operations = [document.paths, document.webhooks].flatMap((byPath) =>
  Object.entries(byPath).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({ path, method, described })),
  ),
);

/** The bodies of an operation's requests and successes. */
function bodiesOf({ requestBody, responses }: Described) {
  const successes = Object.entries(responses).filter(([status]) => status < '300');
  return [
    ...Object.entries(requestBody?.content ?? {}).map((body) => ({ of: 'request', body })),
    ...successes.flatMap(([, { content = {} }]) =>
      Object.entries(content).map((body) => ({ of: 'answer', body })),
    ),
  ].map(({ of, body: [type, described] }) => ({ of, type, ...described }));
}

/** Compiles a schema of the document, whose references lead into the document. */
const checkOf = (schema: Schema) =>
  ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"openapi#/')) as object);

test('every body as JSON has an example, and every example fits its schema', () => {
  let count = 0;
  for (const { described } of operations) {
    for (const { of, type, schema, example, examples = {} } of bodiesOf(described)) {
      const values = Object.values(examples).map((each) =>
        each.$ref === undefined
          ? each.value
          : document.components.examples[each.$ref.split('/').at(-1) ?? '']?.value,
      );
      if (example !== undefined) values.push(example);
      const isNeeded = of === 'request' || type === 'application/json';
      assert.ok(!isNeeded || values.length > 0, `${described.operationId}: no ${of} example of ${type}`);
      const check = checkOf(schema);
      for (const value of values) {
        count += 1;
        const shown = () => `${described.operationId} ${of}: ${ajv.errorsText(check.errors)}`;
        assert.ok(value !== undefined && check(value), shown());
      }
    }
  }
  assert.ok(count > 150, String(count));
});

test('every example of a schema fits it', () => {
  const within = (value: unknown): object[] =>
    typeof value === 'object' && value !== null ? [value, ...Object.values(value).flatMap(within)] : [];
  const schemas = within([document.paths, document.webhooks, document.components.schemas]).filter(
    (each): each is Schema & { examples: unknown[] } => 'examples' in each && Array.isArray(each.examples),
  );
  assert.ok(schemas.length > 100);
  for (const schema of schemas) {
    const check = checkOf(schema);
    for (const value of schema.examples)
      assert.ok(check(value), `${ajv.errorsText(check.errors)}: ${JSON.stringify(schema)}`);
  }
});

test('the bodies of requests and answers have names, so that generated clients have them too', () => {
  const isNamed = ({ $ref, type, items, oneOf }: Schema): boolean =>
    $ref !== undefined ||
    (oneOf?.every(isNamed) ?? false) ||
    (type === 'array' && items !== undefined && isNamed(items)) ||
    (type !== undefined && ['string', 'integer', 'number', 'boolean'].includes(type));
  for (const { described } of Object.values(document.paths).flatMap((methods) =>
    Object.values(methods).map((each) => ({ described: each })),
  )) {
    for (const { type, schema } of bodiesOf(described)) {
      const isOpaque = schema.type === undefined && schema.properties === undefined;
      const isRows =
        schema.type === 'array' && type === 'application/json' && schema.items?.properties === undefined;
      assert.ok(isNamed(schema) || isOpaque || isRows, `${described.operationId} ${type}`);
    }
  }
});

test('the bounds of uint64 are exact in the text of the document', () => {
  const maxima = [...text.matchAll(/"maximum": (\d{17,})/g)].map(([, digits]) => digits);
  assert.ok(maxima.length > 5);
  assert.deepEqual([...new Set(maxima)], [String(2n ** 64n - 1n)]);
});

test('a recipient is one of several objects that type tells apart, given and shown', () => {
  const kinds = {
    GivenRecipient: ['bank', 'email', 'emoney', 'wallet'],
    PaymentRecipient: ['bank', 'email', 'emoney', 'saved', 'wallet'],
    RecipientView: ['bank', 'email', 'emoney', 'wallet'],
  };
  for (const [name, types] of Object.entries(kinds)) {
    const { oneOf = [], discriminator } = document.components.schemas[name] as Schema & {
      discriminator: { propertyName: string; mapping: Record<string, string> };
    };
    assert.equal(discriminator.propertyName, 'type');
    assert.deepEqual(Object.keys(discriminator.mapping).toSorted(), types);
    assert.deepEqual(
      oneOf.map(({ $ref }) => $ref).toSorted(),
      Object.values(discriminator.mapping).toSorted(),
    );
  }
});
