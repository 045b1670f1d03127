import assert from 'node:assert/strict';
import { test } from 'node:test';
import { importsOf } from './sourceText.ts';

test('every kind of import is found, with its line', () => {
  const source = [
    "import { a } from './a.ts';",
    "import type { B } from './b.ts';",
    'import {',
    '  c,',
    '  type D,',
    "} from './c.ts';",
    "import './effect.ts';",
    "export { e } from './e.ts';",
    "export type * from './f.ts';",
    "export * as g from './g.ts';",
    "const h = await import('./h.ts');",
    "type I = import('./i.ts').I;",
  ].join('\n');
  assert.deepEqual(
    importsOf(source).map(({ specifier, lineNumber }) => `${lineNumber} ${specifier}`),
    [
      '1 ./a.ts',
      '2 ./b.ts',
      '3 ./c.ts',
      '7 ./effect.ts',
      '8 ./e.ts',
      '9 ./f.ts',
      '10 ./g.ts',
      '11 ./h.ts',
      '12 ./i.ts',
    ],
  );
});

test('what only looks like an import is none', () => {
  const source = [
    "// import { a } from './a.ts';",
    "/* const b = import('./b.ts'); */",
    '/**',
    " * import { c } from './c.ts';",
    ' */',
    `const d = "import('./d.ts')";`,
    "const e = `\nimport { e } from './e.ts';\n`;",
    "export const f = from('./f.ts');",
    "const url = 'https://example.com'; // import('./g.ts')",
  ].join('\n');
  assert.deepEqual(importsOf(source), []);
});
