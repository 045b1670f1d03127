import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tidyFindings } from './tidy.ts';

const path = 'packages/engine/src/pool.ts';
const messages = (source: string, at = path) => tidyFindings(at, source).map(({ message }) => message);

test('every kind of export without a docstring is found, at its line', () => {
  const kinds = ['function a() {}', 'async function a() {}', 'const a = 1;', 'type a = 1;', 'interface a {}'];
  for (const kind of kinds) {
    const source = `const before = 1;\n\nexport ${kind}\n`;
    assert.deepEqual(tidyFindings(path, source), [
      { place: `${path}:3`, message: 'a is exported without a docstring' },
    ]);
    assert.deepEqual(messages(`/** What a is. */\nexport ${kind}\n`), []);
  }
});

test('a docstring is right above, opened with two stars, and says something', () => {
  const missing = ['a is exported without a docstring'];
  assert.deepEqual(messages('/**\n * Several lines.\n */\nexport const a = 1;'), []);
  assert.deepEqual(messages('/* One star. */\nexport const a = 1;'), missing);
  assert.deepEqual(messages('// A line.\nexport const a = 1;'), missing);
  assert.deepEqual(messages('/** */\nexport const a = 1;'), missing);
  assert.deepEqual(messages('/** Far away. */\n\nexport const a = 1;'), missing);
});

test('overloads share the docstring of the first', () => {
  const source = '/** Says it. */\nexport function a(x: 1): 1;\nexport function a(x: 2): 2;\n';
  assert.deepEqual(messages(source), []);
});

test('tests and what is not exported need no docstring', () => {
  assert.deepEqual(messages('export const a = 1;', 'packages/engine/src/pool.test.ts'), []);
  assert.deepEqual(messages('export const a = 1;', 'packages/engine/test/pools.ts'), []);
  assert.deepEqual(messages('const a = 1;\nexport { b } from "./b.ts";'), []);
});

test('a class that is not an error is found', () => {
  assert.equal(messages('class Pool {}').length, 1);
  assert.equal(messages('class Pool extends Base {}').length, 1);
  assert.deepEqual(messages('class PoolError extends Error {}\nclass B extends PoolError {}'), []);
});

test('a name that says nothing is found, as a file and as a folder', () => {
  for (const name of ['utils.ts', 'helper.ts', 'common/pool.ts', 'manager.test.ts']) {
    assert.equal(messages('', `packages/engine/src/${name}`).length, 1, name);
  }
  assert.deepEqual(messages('', 'packages/engine/src/commonest.ts'), []);
});

test('a silenced rule needs its reason', () => {
  const silence = ['// oxlint', 'disable-next-line no-console'].join('-');
  assert.equal(messages(silence).length, 1);
  assert.deepEqual(messages(`${silence} -- the operator reads this`), []);
});
