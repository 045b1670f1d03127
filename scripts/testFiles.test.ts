import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gitFiles, treeFiles, walkedFiles } from './repository.ts';
import { selectTestFiles, shareProcesses, testFiles } from './testFiles.ts';

function temporaryTree(files: Readonly<Record<string, string>>): { root: string; [Symbol.dispose](): void } {
  const root = mkdtempSync(join(tmpdir(), 'fairway-tree-'));
  for (const [path, content] of Object.entries(files)) write(root, path, content);
  return { root, [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }) };
}

function write(root: string, path: string, content: string): void {
  mkdirSync(join(root, path, '..'), { recursive: true });
  writeFileSync(join(root, path), content);
}

function git(root: string, ...arguments_: string[]): void {
  const { status, stderr } = spawnSync('git', arguments_, { cwd: root, encoding: 'utf8' });
  assert.equal(status, 0, stderr);
}

const hasGit = spawnSync('git', ['--version']).status === 0;

test('ignored files and installed packages are not part of the tree', { skip: !hasGit }, () => {
  using tree = temporaryTree({
    'a.ts': '',
    'node_modules/x/y.js': '',
    'kept.log': '',
    '.gitignore': '*.log\nnode_modules/\n',
  });
  assert.deepEqual(walkedFiles(tree.root).sort(), ['.gitignore', 'a.ts', 'kept.log']);
  git(tree.root, 'init', '--quiet');
  assert.deepEqual(gitFiles(tree.root)?.sort(), ['.gitignore', 'a.ts']);
});

test('without git the folders are walked', () => {
  using tree = temporaryTree({ 'a.ts': '', 'b/c.ts': '' });
  assert.equal(gitFiles(tree.root), undefined);
  assert.deepEqual(treeFiles(tree.root), ['a.ts', 'b/c.ts']);
});

test('test files are found in the workspaces and the scripts, and chosen by a part of their path', () => {
  using tree = temporaryTree({
    'packages/engine/src/v2.test.ts': '',
    'packages/engine/src/v2.ts': '',
    'apps/service/test/cases/quote.test.ts': '',
    'elsewhere/x.test.ts': '',
    'scripts/lock.test.ts': '',
  });
  const files = testFiles(tree.root);
  assert.deepEqual(files, [
    'apps/service/test/cases/quote.test.ts',
    'packages/engine/src/v2.test.ts',
    'scripts/lock.test.ts',
  ]);
  assert.deepEqual(selectTestFiles(files, []), files);
  assert.deepEqual(selectTestFiles(files, ['./packages/engine', 'cases/']), files.slice(0, 2));
  assert.deepEqual(selectTestFiles(files, ['nothing']), []);
});

test('files on the usual sandbox share processes, and one with a sandbox of its own does not', () => {
  using tree = temporaryTree({
    ...Object.fromEntries(
      ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => [
        `apps/service/test/cases/${name}.test.ts`,
        'payments = await startPaymentsTest();',
      ]),
    ),
    'apps/service/test/cases/g.test.ts': "payments = await startPaymentsTest(undefined, ['--data', data]);",
  });
  const { alone, shared } = shareProcesses(testFiles(tree.root), 2, tree.root);
  assert.deepEqual(alone, ['apps/service/test/cases/g.test.ts']);
  assert.deepEqual(
    shared.map((run) => run.files.map((path) => path.at(-9))),
    [
      ['a', 'c', 'e'],
      ['b', 'd', 'f'],
    ],
  );
});

test('unit tests share processes, and a file that starts a program has its own', () => {
  using tree = temporaryTree({
    'apps/service/src/text.test.ts': "test('a', () => {});",
    'apps/service/test/quote.test.ts': "test('b', () => {});",
    'packages/engine/src/v2.test.ts': "test('c', () => {});",
    'packages/engine/src/v3.test.ts': 'beforeEach(() => {});',
    'packages/plan/src/plan.test.ts': "test('d', () => {});",
    'scripts/run.test.ts': "import { spawn } from 'node:child_process';",
  });
  const files = testFiles(tree.root);
  const { alone, shared } = shareProcesses(files, 2, tree.root);
  assert.deepEqual(alone, [
    'apps/service/test/quote.test.ts',
    'packages/engine/src/v3.test.ts',
    'scripts/run.test.ts',
  ]);
  assert.deepEqual(
    shared.map((run) => run.files),
    [['apps/service/src/text.test.ts', 'packages/plan/src/plan.test.ts'], ['packages/engine/src/v2.test.ts']],
  );
  const imported = [...(shared[0]?.program ?? '').matchAll(/^import "(file:[^"]+)";$/gm)];
  assert.deepEqual(
    imported.map(([, url = '']) => fileURLToPath(url)),
    shared[0]?.files.map((path) => join(tree.root, path)),
  );
  assert.equal(shareProcesses(files, 8, tree.root).shared.length, 3);
});
