import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
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

test('files share processes, except one that asks for its own and says why', () => {
  using tree = temporaryTree({
    'packages/engine/src/a.test.ts': "test('a', () => {});",
    'packages/engine/src/b.test.ts': "// Own process: it changes the environment.\ntest('b', () => {});",
    'packages/engine/src/c.test.ts': "// Own process:\ntest('c', () => {});",
    'packages/store/test/d.test.ts': "test('d', () => {});",
  });
  const { alone, shared } = shareProcesses(testFiles(tree.root), tree.root);
  assert.deepEqual(alone, ['packages/engine/src/b.test.ts']);
  assert.deepEqual(
    shared.map(({ files }) => files),
    [['packages/store/test/d.test.ts'], ['packages/engine/src/a.test.ts', 'packages/engine/src/c.test.ts']],
  );
});

test('files on the usual sandbox share it, and one with a sandbox of its own does not', () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  using tree = temporaryTree({
    ...Object.fromEntries(
      names.map((name) => [
        `apps/service/test/cases/${name}.test.ts`,
        'payments = await startPaymentsTest();',
      ]),
    ),
    'apps/service/test/cases/own.test.ts': "payments = await startPaymentsTest(undefined, ['--data', data]);",
  });
  const { shared } = shareProcesses(testFiles(tree.root), tree.root);
  assert.deepEqual(
    shared.map(({ files }) => files.map((path) => path.slice('apps/service/test/cases/'.length, -8))),
    [['own'], ['a', 'c', 'e'], ['b', 'd', 'f']],
  );
  const opens = shared.map(({ program }) => /startPaymentsTest\(\);\n.*await sandbox\.close/s.test(program));
  assert.deepEqual(opens, [false, true, true]);
});

test('a shared process ends a file before it loads the next, and fails as its files do', () => {
  const file = (name: string) => `
    import { after, before, test } from 'node:test';
    console.log('loaded ${name}');
    await new Promise((resolve) => setTimeout(resolve, 10));
    before(() => console.log('before ${name}'));
    after(() => console.log('after ${name}'));
    test('works', () => console.log('in ${name}'));`;
  using tree = temporaryTree({
    'packages/a/src/a.test.ts': file('a'),
    'packages/a/src/b.test.ts': file('b'),
    'packages/a/src/c.test.ts':
      "import { test } from 'node:test'; test('fails', () => { throw new Error(); });",
    'packages/a/src/d.test.ts': "throw new Error('does not load')",
    'packages/a/src/e.test.ts': file('e'),
  });
  const [run] = shareProcesses(testFiles(tree.root), tree.root).shared;
  write(tree.root, 'program.mjs', run?.program ?? '');
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { status, stdout } = spawnSync(process.execPath, ['--test-reporter=tap', 'program.mjs'], {
    cwd: tree.root,
    encoding: 'utf8',
    env,
  });
  assert.equal(status, 1);
  assert.deepEqual(
    stdout.split('\n').filter((line) => /^(loaded|before|in|after) /.test(line)),
    ['a', 'b', 'e'].flatMap((name) => ['loaded', 'before', 'in', 'after'].map((what) => `${what} ${name}`)),
  );
  const outcomes = stdout.split('\n').filter((line) => /^(not )?ok /.test(line));
  assert.deepEqual(
    outcomes.map((line) => /^(?:not )?ok/.exec(line)?.[0]),
    ['ok', 'ok', 'not ok', 'not ok', 'ok'],
  );
});
