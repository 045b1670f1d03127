import assert from 'node:assert/strict';
import { test } from 'node:test';
import { spellingFaults } from './constants.ts';

const namesIn = (source: string) => spellingFaults(source).map(({ name }) => name);

const DATA = [
  'const limit = 3;',
  'const limit = -1_000n;',
  'const limit = 0xff;',
  'const limit = 1e-3;',
  'const limitMs = 7 * 86_400_000;',
  'const limit = 2n ** 256n - 1n;',
  'const limit = (11n * ONE) / 10n;',
  'const limit = LIMITS.longest + 1;',
  'const limit = Number.MAX_SAFE_INTEGER;',
  "const name = 'Fairway (planning)';",
  "const name =\n  'Fairway';",
  'const name = `Fairway ${VERSION} (now)`;',
  'const name = String.raw`\\d+ ${COUNT}`;',
  'const isOpen = true;',
  'const pattern = /^(a|b)\\(c\\)$/i;',
  'const pattern = new RegExp(AMOUNT_PATTERN);',
  "const names = ['a', 'b'] as const;",
  "const names: readonly string[] = ['a'];",
  'const sizes = new Set([1, 2]);',
  "const sizes: Map<string, number> = new Map<string, number>([['a', 1]]);",
  "const table: Readonly<Record<string, (a: A) => string>> = { a: 'b', 'c-d': [1, { e: F }] };",
  "const table = {\n  a: 'b',\n  ...OTHER,\n} satisfies Record<string, string>;",
];

for (const code of DATA) {
  test(`data known when written is UPPER_CASE: ${JSON.stringify(code).slice(0, 50)}`, () => {
    const name = /const (\w+)/.exec(code)?.[1];
    assert.deepEqual(namesIn(code), [name]);
    assert.deepEqual(namesIn(`export ${code}`), [name]);
    assert.deepEqual(namesIn(code.replace(`const ${name}`, 'const MOST_2')), []);
  });
}

const OTHERS = [
  'const sum = (a: number) => a + 1;',
  'const sum = async (\n  a: number,\n): Promise<number> => a;',
  'const sum = <T>(a: T) => a;',
  'const twice = function (a: number) {\n  return 2;\n};',
  'const first = a => 1;',
  'const now = Date.now();',
  'const market = createMarket([]);',
  'const validate = ajv.compile({});',
  'const server = await start();',
  'const known = new Map<string, number>();',
  'const known: string[] = [];',
  'const known: Record<string, number> = {};',
  'const cache = new WeakMap<Pool, Tables>();',
  'const fields = { must: 1, read: (given) => 2 };',
  'const fields = {\n  must: 1,\n  read(given) {\n    return 2;\n  },\n};',
  'const tokens = [addressOf(1), addressOf(2)];',
  'const chain = { id: ready.chainId };',
  'const version = manifest.version;',
  'const text = `at ${Date.now()}`;',
  'const statement = sql`select 1`;',
  'const tally = { done: 0 };\ntally.done += 1;',
  'const tally = { a: [0] };\ntally.a[0] = 1;',
  'const tally = { done: 0 };\ntally.done++;',
  "const lines = ['first'];\nlines.push('next');",
  "const Quote = Type.Object({ a: 'b' });",
  "const Quote = { type: 'object' };",
];

for (const code of OTHERS) {
  test(`a constant that is not known data keeps its spelling: ${JSON.stringify(code).slice(0, 50)}`, () => {
    assert.deepEqual(namesIn(code), []);
  });
}

test('an object that its file only reads is data', () => {
  assert.deepEqual(
    namesIn('const tally = { done: 0 };\nif (tally.done === 1 || tally.done <= 2) f(tally);'),
    ['tally'],
  );
});

test('a function in UPPER_CASE is found, and the result of a call is not', () => {
  assert.deepEqual(namesIn('const RAW = (a: number) => 1;'), ['RAW']);
  assert.deepEqual(namesIn('const RAW = async (a: number): Promise<1> => 1;'), ['RAW']);
  assert.deepEqual(namesIn('const RAW = ((a: number) => 1)(2);'), []);
  assert.deepEqual(namesIn('const ZERO = amountOf(0n);'), []);
});

test('a TypeBox schema that is not in PascalCase is found', () => {
  assert.deepEqual(namesIn('const quote = Type.Object({});\nexport const QUOTE_BODY = Type.String();'), [
    'quote',
    'QUOTE_BODY',
  ]);
});

test('only constants at the outermost level are looked at, at their lines', () => {
  const source =
    'function f() {\n  const a = 1;\n}\n\n/* const b = 1; */\nconst c = `\nconst d = 1;\n`;\nconst e = 2;';
  assert.deepEqual(
    spellingFaults(source).map(({ name, lineNumber }) => [name, lineNumber]),
    [
      ['c', 6],
      ['e', 9],
    ],
  );
});
