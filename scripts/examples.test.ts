import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileExamples, type Example, readExamples } from './examples.ts';

const INDEX = 'packages/plan/src/index.ts';

/** The reading of a package of one file, whose index exports everything in it. */
function readingOf(source: string, list = '*') {
  const sources = new Map([
    [INDEX, `export ${list} from './a.ts';\n`],
    ['packages/plan/src/a.ts', source],
  ]);
  return readExamples('@fairway/plan', INDEX, sources);
}

const messages = (source: string, list?: string) =>
  readingOf(source, list).findings.map(({ message }) => message);

/** A documented function whose example is the given code. */
function documented(...code: string[]): string {
  const lines = ['Sums.', '', '@example', '```ts', ...code, '```'].map((line) => ` * ${line}`.trimEnd());
  return ['/**', ...lines, ' */', 'export function sum(): number {', '  return 1;', '}', ''].join('\n');
}

const GOOD = ["import { sum } from '@fairway/plan';", '', 'sum();'];

test('an example is read with its place, as it is written', () => {
  assert.deepEqual(readingOf(documented(...GOOD)), {
    examples: [
      {
        packageName: '@fairway/plan',
        functionName: 'sum',
        path: 'packages/plan/src/a.ts',
        line: 6,
        code: GOOD.join('\n'),
      },
    ],
    findings: [],
  });
});

test('every kind of exported function without an example is found', () => {
  const kinds = [
    'export function sum() {}',
    'export async function sum() {}',
    'export function* sum() {}',
    'export const sum = (a: number) => a;',
    'export const sum: Sum = async (a) => a;',
    'export const sum = (\n  a: number,\n) => a;',
    'export const sum = function () {};',
  ];
  for (const kind of kinds) {
    for (const docstring of ['', '/** Sums. */\n', '/**\n * Sums.\n * @example\n * sum();\n */\n']) {
      assert.deepEqual(
        messages(docstring + kind),
        ['sum is exported by @fairway/plan without an @example that begins with ```ts'],
        docstring + kind,
      );
    }
  }
});

test('types, constants, classes and what the index does not export need no example', () => {
  const others = [
    'export type Sum = (a: number) => number;',
    'export const SUMS = [1];',
    'export const total = sumOf(1);',
    'export class SumError extends Error {}',
    'function sum() {}',
  ];
  assert.deepEqual(messages(others.join('\n')), []);
  assert.deepEqual(messages('export function other() {}', '{ sum }'), []);
  assert.deepEqual(messages('export function sum() {}', 'type { sum }'), []);
});

test('a function is found under its exported name, through several files', () => {
  const sources = new Map([
    [INDEX, "export {\n  type A,\n  total as sum,\n} from './a.ts';\n"],
    ['packages/plan/src/a.ts', "export * from './deep/b.ts';\n"],
    ['packages/plan/src/deep/b.ts', 'export function total() {}\nexport function rest() {}\n'],
  ]);
  assert.deepEqual(readExamples('@fairway/plan', INDEX, sources).findings, [
    {
      place: 'packages/plan/src/deep/b.ts:1',
      message: 'sum is exported by @fairway/plan without an @example that begins with ```ts',
    },
  ]);
});

test('overloads share the example of the first', () => {
  const overloads = documented(...GOOD).replace(
    'export function sum(): number {',
    'export function sum(a: 1): 1;\nexport function sum(): number {',
  );
  assert.deepEqual(messages(overloads), []);
});

test('an example that does not import its function by package, or does not use it, is found', () => {
  const message = 'the example does not import sum from @fairway/plan and use it';
  assert.deepEqual(messages(documented("import { other } from '@fairway/plan';", 'other();')), [message]);
  assert.deepEqual(messages(documented("import { sum } from '@fairway/engine';", 'sum();')), [message]);
  assert.deepEqual(messages(documented("import { sum } from '@fairway/plan';", '// sum()')), [message]);
});

test('an example that imports by a path is found', () => {
  assert.deepEqual(messages(documented(...GOOD, "import './a.ts';")), [
    'the example imports ./a.ts: import a package by its name',
  ]);
});

test('each block under @example is an example of its own', () => {
  const two = documented(...GOOD, '```', '', '@example twice', '```ts', ...GOOD);
  assert.deepEqual(
    readingOf(two).examples.map(({ line }) => line),
    [6, 13],
  );
});

const example = (...code: string[]): Example => ({
  packageName: '@fairway/engine',
  functionName: 'createMarket',
  path: 'packages/engine/src/market.ts',
  line: 20,
  code: code.join('\n'),
});

test('examples compile with the types of the packages, each by itself, and may await', async () => {
  const fine = example(
    "import { setTimeout } from 'node:timers/promises';",
    "import { createMarket, type Market } from '@fairway/engine';",
    'declare const made: ReturnType<typeof createMarket>;',
    'const market: Market = made;',
    'await setTimeout(1, createMarket);',
  );
  assert.deepEqual(await compileExamples([fine, fine]), []);
  assert.deepEqual(await compileExamples([]), []);
});

test('an example that does not compile is found at its line of the docstring', async () => {
  const fault = example("import { MAX_HOPS } from '@fairway/engine';", '', 'const hops: string = MAX_HOPS;');
  const missing = example("import { gone } from '@fairway/engine';");
  const findings = await compileExamples([example('export {};'), fault, missing]);
  assert.deepEqual(
    findings.map(({ place }) => place),
    ['packages/engine/src/market.ts:22', 'packages/engine/src/market.ts:20'],
  );
  assert.match(findings[0]?.message ?? '', /^the example of createMarket does not compile: error TS2322: /);
});
