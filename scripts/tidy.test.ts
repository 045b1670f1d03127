import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tidyFindings } from './tidy.ts';

const PATH = 'packages/engine/src/pool.ts';
const messages = (source: string, at = PATH) => tidyFindings(at, source).map(({ message }) => message);

test('every kind of export without a docstring is found, at its line', () => {
  const kinds = [
    'function a() {}',
    'async function a() {}',
    'const a = f();',
    'type a = 1;',
    'interface a {}',
  ];
  for (const kind of kinds) {
    const source = `const before = f();\n\nexport ${kind}\n`;
    assert.deepEqual(tidyFindings(PATH, source), [
      { place: `${PATH}:3`, message: 'a is exported without a docstring' },
    ]);
    assert.deepEqual(messages(`/** What a is. */\nexport ${kind}\n`), []);
  }
});

test('a docstring is right above, opened with two stars, and says something', () => {
  const missing = ['a is exported without a docstring'];
  assert.deepEqual(messages('/**\n * Several lines.\n */\nexport const a = f();'), []);
  assert.deepEqual(messages('/* One star. */\nexport const a = f();'), missing);
  assert.deepEqual(messages('// A line.\nexport const a = f();'), missing);
  assert.deepEqual(messages('/** */\nexport const a = f();'), missing);
  assert.deepEqual(messages('/** Far away. */\n\nexport const a = f();'), missing);
});

test('overloads share the docstring of the first', () => {
  const source = '/** Says it. */\nexport function a(x: 1): 1;\nexport function a(x: 2): 2;\n';
  assert.deepEqual(messages(source), []);
});

test('tests and what is not exported need no docstring', () => {
  assert.deepEqual(messages('export const a = f();', 'packages/engine/src/pool.test.ts'), []);
  assert.deepEqual(messages('export const a = f();', 'packages/engine/test/pools.ts'), []);
  assert.deepEqual(messages('const a = f();\nexport { b } from "./b.ts";'), []);
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

test('a test name of more than 90 characters is found, in every kind of test', () => {
  const name = 'x'.repeat(91);
  const kinds = [
    `test('${name}', () => {});`,
    `test("${name}", { timeout: 1 }, () => {});`,
    `it.skip(\n  '${name}',\n  () => {},\n);`,
    `  await t.test(\`${name}\`, () => {});`,
    `describe(\`\${kind}${name.slice(7)}\`, () => {});`,
  ];
  for (const kind of kinds) {
    assert.deepEqual(tidyFindings(PATH, `\n${kind}`), [
      { place: `${PATH}:2`, message: 'a test name of 91 characters: at most 90' },
    ]);
    assert.deepEqual(messages(kind.replace('x', '')), []);
  }
  assert.deepEqual(messages(`test('it is ${"\\\\'".repeat(40)}', () => {});`), []);
  assert.deepEqual(messages(`assert.ok(PATTERN.test('${name}'), 'a pattern');`), []);
});

test('a constant that is not spelt by what it is, is found at its line', () => {
  assert.deepEqual(tidyFindings(PATH, '\nconst limit = 3;'), [
    {
      place: `${PATH}:2`,
      message:
        'limit is data known when written: spell it in UPPER_CASE, or make it by a function if it changes',
    },
  ]);
});

test('a sentence of more than 25 words is found, at the line where it begins', () => {
  const most = `One ${'two '.repeat(23)}three.`;
  const long = `One ${'two '.repeat(24)}three.`;
  const message = 'a sentence of 26 words, "One two two two two…": make several, of at most 25';
  for (const [source, line] of [
    [`// ${long}`, 1],
    [`const a = f(); // ${long}`, 1],
    [`/* ${long} */`, 1],
    [`\n/** Short. ${long} */`, 2],
    [`/**\n * Short.\n * ${long.replaceAll(' two two', ' two\n * two')}\n */`, 3],
    [`// Short.\n// ${long.replaceAll(' two two', ' two\n// two')}`, 2],
    [`// ${long.replace('two two three', 'e.g. Two three')}`, 1],
    [`// ${long.replace('two two three', 'two `two. Two` three')}`, 1],
    [`/**\n * \`\`\`ts\n * f();\n * \`\`\`\n * ${long}\n */`, 5],
  ] as const) {
    assert.deepEqual(tidyFindings(PATH, source), [{ place: `${PATH}:${line}`, message }], source);
    assert.deepEqual(messages(source.replace('One two', 'One')), [], source);
  }
  assert.deepEqual(messages(`// ${most} ${most}\n// ${most}`), []);
  assert.deepEqual(messages(`// ${most.replace('three', 'three https://example.com/')}`), []);
});

test('lists are counted item by item, and code, addresses and strings not at all', () => {
  const half = 'two '.repeat(20);
  for (const source of [
    `/**\n * Begins ${half}\n * - ${half}\n * - ${half}\n */`,
    `// 1. ${half}\n// 2. ${half}`,
    `/**\n * ${half}\n * @throws ${half}\n */`,
    `/**\n * ${half}\n *\n * ${half}\n */`,
    `/**\n * Short.\n * @example\n * \`\`\`ts\n * const a = ${half}${half};\n * \`\`\`\n */`,
    `// ${half} https://example.com/${half.replaceAll(' ', '/')} \`${half}\` two.`,
    `const a = '// ${half}${half}';\nconst b = f(\`/* ${half}${half} */\`);`.replace('const a', 'const A'),
    `// ${half}\nf();\n// ${half}`,
    `/* ${half} */\n// ${half}`,
  ])
    assert.deepEqual(messages(source), [], source);
});

test('a sentence that begins turned around is found', () => {
  for (const sentence of [
    'Of what is absent nothing is taken back.',
    'Whoever sends a transaction decides it.',
    'Whatever comes after it is recorded.',
    'Whichever is first counts.',
    'So is what further calls execute.',
    'So many blocks are kept.',
    'Nor does the link.',
    'Neither does the link.',
  ]) {
    const beginning = sentence.split(' ').slice(0, 5).join(' ');
    const message = `a sentence turned around, "${beginning}…": begin with its subject`;
    assert.deepEqual(messages(`// ${sentence}`), [message]);
    assert.deepEqual(tidyFindings(PATH, `/**\n * Short.\n * ${sentence}\n */`), [
      { place: `${PATH}:3`, message },
    ]);
  }
});

test('only a first sentence may begin with what it names', () => {
  for (const word of ['What', 'Who', 'Which', 'Whose']) {
    assert.deepEqual(messages(`/** ${word} a plan pays. */`), []);
    assert.deepEqual(messages(`// Asks. ${word} a plan pays?`), []);
    assert.equal(messages(`// Short. ${word} was unclear is not counted.`).length, 1);
  }
  assert.deepEqual(messages('// So the plan waits. Neither is known. Office hours. Offers are read.'), []);
});
