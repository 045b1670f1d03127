import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { changedTests } from './changedTests.ts';
import { testFiles } from './testFiles.ts';

/** A made-up house: two packages, an application that is started as a program, and documents. */
const TREE: Readonly<Record<string, string>> = {
  'packages/low/package.json':
    '{ "name": "@x/low", "exports": { ".": "./src/index.ts", "./side": "./src/side.ts" } }',
  'packages/low/src/index.ts': "export * from './sum.ts';",
  'packages/low/src/sum.ts': 'export const sum = 1;',
  'packages/low/src/sum.test.ts': "import { sum } from './sum.ts';",
  'packages/low/src/side.ts': 'export const side = 1;',
  'packages/low/src/alone.test.ts': '',
  'packages/low/data/rates.json': '{}',
  'packages/high/package.json': '{ "name": "@x/high" }',
  'packages/high/src/index.ts': "import { sum } from '@x/low';",
  'packages/high/test/high.test.ts': "import '../src/index.ts';",
  'packages/high/test/side.test.ts': "import type { side } from '@x/low/side';",
  'apps/app/package.json': '{ "name": "@x/app" }',
  'apps/app/src/main.ts': "import '@x/high';",
  'apps/app/test/process.test.ts': "spawn('node', ['apps/app/src/main.ts']);",
  'scripts/helper.ts': '',
  'scripts/reads.test.ts': "read('README.md'); import './helper.ts';",
  'README.md': '',
  'tsconfig.base.json': '{}',
};

function git(root: string, ...arguments_: string[]): void {
  const { status, stderr } = spawnSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...arguments_], {
    cwd: root,
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr);
}

/** The tree on a branch from main. */
function branch(): { root: string; write(path: string, text: string): void; [Symbol.dispose](): void } {
  const root = mkdtempSync(join(tmpdir(), 'fairway-changed-'));
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  for (const [path, text] of Object.entries(TREE)) write(path, text);
  git(root, 'init', '--quiet', '--initial-branch=main');
  git(root, 'add', '.');
  git(root, 'commit', '--quiet', '-m', 'before');
  git(root, 'switch', '--quiet', '-c', 'change');
  return { root, write, [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }) };
}

const ALL = Object.keys(TREE)
  .filter((path) => path.endsWith('.test.ts'))
  .sort();
const ABOVE_SUM = [
  'apps/app/test/process.test.ts',
  'packages/high/test/high.test.ts',
  'packages/low/src/sum.test.ts',
];

for (const [path, reached] of [
  ['packages/low/src/sum.ts', ABOVE_SUM],
  ['packages/low/src/side.ts', ['packages/high/test/side.test.ts']],
  ['packages/low/src/alone.test.ts', ['packages/low/src/alone.test.ts']],
  ['apps/app/src/main.ts', ['apps/app/test/process.test.ts']],
  ['packages/low/data/rates.json', ALL.filter((each) => !each.startsWith('scripts/'))],
  [
    'packages/high/new.sql',
    ['apps/app/test/process.test.ts', 'packages/high/test/high.test.ts', 'packages/high/test/side.test.ts'],
  ],
  ['README.md', ['scripts/reads.test.ts']],
  ['tsconfig.base.json', ALL],
] as const)
  test(`a change of ${path} runs the tests that it can reach`, () => {
    using tree = branch();
    assert.deepEqual(changedTests(testFiles(tree.root), tree.root), []);
    tree.write(path, '// changed');
    assert.deepEqual(changedTests(testFiles(tree.root), tree.root), reached);
    git(tree.root, 'add', '.');
    git(tree.root, 'commit', '--quiet', '-m', 'changed');
    assert.deepEqual(changedTests(testFiles(tree.root), tree.root), reached, 'and when it is committed');
  });

test('a source that is removed runs the tests of what still imports it', () => {
  using tree = branch();
  rmSync(join(tree.root, 'packages/low/src/sum.ts'));
  assert.deepEqual(changedTests(testFiles(tree.root), tree.root), ABOVE_SUM);
});

test('what changed on main after the branch does not count, and without git nothing can be said', () => {
  using tree = branch();
  git(tree.root, 'switch', '--quiet', 'main');
  tree.write('packages/low/src/sum.ts', '// changed on main');
  git(tree.root, 'commit', '--quiet', '-am', 'later');
  git(tree.root, 'switch', '--quiet', 'change');
  assert.deepEqual(changedTests(testFiles(tree.root), tree.root), []);
  rmSync(join(tree.root, '.git'), { recursive: true });
  assert.throws(() => changedTests(testFiles(tree.root), tree.root), /run npm test/);
});
