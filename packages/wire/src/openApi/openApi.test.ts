import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  isPermission,
  isProblemCode,
  NODE_OPERATIONS,
  OPERATION_IDS,
  openApiDocument,
  type Operation,
  operation,
  PERMISSIONS,
  PROBLEM_CODES,
  PROBLEMS,
  problemCodesOf,
  problemExample,
} from '../index.ts';
import { EVM_ADDRESS_PATTERN } from '../fields.ts';

const BASE_URL = 'https://fairway.example';
const document = openApiDocument(BASE_URL);

/** A value and every value inside it. */
function* within(value: unknown): Generator<unknown> {
  yield value;
  if (typeof value !== 'object' || value === null) return;
  for (const inner of Object.values(value)) yield* within(inner);
}

function lookUp(pointer: string): unknown {
  let found: unknown = document;
  for (const part of pointer.slice(2).split('/')) found = (found as Record<string, unknown>)[part];
  return found;
}

test('every reference in the document leads somewhere', () => {
  let count = 0;
  for (const value of within(document)) {
    const reference = (value as { $ref?: unknown } | null)?.$ref;
    if (typeof reference !== 'string') continue;
    count += 1;
    assert.ok(lookUp(reference) !== undefined, reference);
  }
  assert.ok(count > 50);
});

test('the version of the description is the one that the interface states', () => {
  assert.equal((document['info'] as { version: string }).version, '0.1.0');
});

test('each operation is described once, and only open ones need no credential', () => {
  const paths = document['paths'] as Record<
    string,
    Record<string, { security: unknown[]; operationId: string }>
  >;
  const described = Object.values(paths).flatMap((methods) => Object.values(methods));
  assert.deepEqual(described.map(({ operationId }) => operationId).sort(), [...OPERATION_IDS].sort());
  for (const id of OPERATION_IDS) {
    const { path, method, access } = operation(id);
    const security = paths[path]?.[method.toLowerCase()]?.security ?? assert.fail(id);
    assert.equal(security.length === 0, access.kind === 'OPEN', id);
  }
});

test('each permission opens an operation', () => {
  const opening = new Set<unknown>(
    OPERATION_IDS.map((id) => operation(id).access).map(
      (access) => access.kind === 'PERMISSION' && access.permission,
    ),
  );
  assert.deepEqual(
    PERMISSIONS.filter((permission) => !opening.has(permission)),
    [],
  );
});

test('every problem belongs to an operation or to the connection', () => {
  const operations = [...OPERATION_IDS.map(operation), ...Object.values<Operation>(NODE_OPERATIONS)];
  const used = new Set(operations.flatMap(problemCodesOf));
  const ofTheConnection = ['method-not-allowed', 'headers-too-large'];
  assert.deepEqual([...PROBLEM_CODES].filter((code) => !used.has(code)).sort(), ofTheConnection.sort());
});

test('a problem has an error status, and its cause and remedy are sentences', () => {
  for (const code of PROBLEM_CODES) {
    const { status, title, cause, remedy, example } = PROBLEMS[code];
    assert.ok(status >= 400 && status < 600);
    assert.match(code, /^[a-z]+(-[a-z]+)*$/);
    assert.ok(!title.endsWith('.'));
    for (const sentence of [cause, remedy, example.detail]) assert.match(sentence, /^\S.*[.?]$/s, sentence);
    assert.equal(problemExample(code, BASE_URL)['type'], `${BASE_URL}/problems/${code}`);
  }
  assert.ok(!isProblemCode('toString'));
});

test('operations of the service need its permissions alone', () => {
  for (const id of OPERATION_IDS) {
    const { access } = operation(id);
    if (access.kind === 'PERMISSION') assert.ok(isPermission(access.permission));
  }
});

test('the codes of problems are named words, and what amounts are counted in is described once', () => {
  const { schemas } = document['components'] as unknown as { schemas: Record<string, unknown> };
  const { enum: codes } = schemas['ProblemCode'] as { enum: string[] };
  assert.deepEqual(codes, [...PROBLEM_CODES]);
  assert.match(JSON.stringify(schemas['Problem']), /"code":\{"\$ref":"#\/components\/schemas\/ProblemCode"/);
  assert.equal(JSON.stringify(document).match(/A currency, in its minor units\./g)?.length, 1);
});

test('a token of an answer is an asset, unless the interface has an address for it', () => {
  type Schema = { readonly $ref?: string; readonly items?: Schema; readonly pattern?: string };
  const resolved = (schema: Schema): Schema =>
    schema.$ref === undefined ? schema : (lookUp(schema.$ref) as Schema);
  const bare = new Set<string>();
  for (const value of within(document)) {
    const { properties } = (value ?? {}) as { properties?: Record<string, Schema> };
    for (const [name, schema] of Object.entries(properties ?? {})) {
      const own = resolved(schema);
      const { pattern } = resolved(own.items ?? own);
      if (/token|asset/i.test(name) && pattern === EVM_ADDRESS_PATTERN) bare.add(name);
    }
  }
  assert.deepEqual([...bare].sort(), ['excludeTokens', 'tokenIn', 'tokenOut']);
});

test('titles of operations begin with a verb, and markets and trading come first', () => {
  const verbs = new Set(
    `Approve Ask Change Check Create Deactivate Delete Destroy Download Enable End Fund Ignore Import Keep List Make Move
    Plan Quote Read Record Reject Report Reveal Rotate Save Say Send Stream Suggest Take Try`.split(/\s+/),
  );
  for (const id of OPERATION_IDS) {
    const { summary } = operation(id);
    assert.ok(verbs.has(summary.split(' ')[0] ?? ''), `${id}: ${summary}`);
  }
  const tags = document['tags'] as unknown as readonly { name: string }[];
  assert.deepEqual(
    tags.slice(0, 3).map(({ name }) => name),
    ['Markets', 'Trading', 'Payments'],
  );
  const { parameters } =
    (document['paths'] as unknown as Record<string, { get: { parameters: unknown } }>)['/v1/quote']?.get ??
    assert.fail();
  assert.match(JSON.stringify(parameters), /The token to pay with\. Native currency is 0xEeeee/);
});
