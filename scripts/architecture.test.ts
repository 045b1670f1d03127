import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';
import { test } from 'node:test';
import { ARROWS, arrowFindings, importFindings, type Manifest, type Workspace } from './architecture.ts';
import { FOLDER_ARROWS } from './folderArrows.ts';
import {
  crowdedFindings,
  doorFindings,
  fileCircleFindings,
  folderArrowFindings,
  folderCircleFindings,
  importEdges,
  repeatedNameFindings,
  type SourceFile,
} from './importGraph.ts';
import { repositoryRoot, treeFiles } from './repository.ts';
import type { Finding } from './tidy.ts';

const files = treeFiles().filter((path) => existsSync(join(repositoryRoot, path)));
const sources: SourceFile[] = files
  .filter((path) => /^(apps|packages|bench|examples|scripts)\/.*\.(ts|mjs)$/.test(path))
  .map((path) => ({ path, text: readFileSync(join(repositoryRoot, path), 'utf8') }));
const workspaces: Workspace[] = files
  .filter((path) => /^((apps|packages)\/[^/]+|bench|examples)\/package\.json$/.test(path))
  .map((path) => ({
    folder: path.slice(0, -'/package.json'.length),
    manifest: JSON.parse(readFileSync(join(repositoryRoot, path), 'utf8')) as Manifest,
  }));

const doors = Object.fromEntries(
  workspaces.map(({ folder, manifest }) => [manifest.name, `${folder}/src/index.ts`]),
);
const edges = importEdges(sources, doors);

/** Fails with one line for each finding. */
function assertNone(findings: readonly Finding[]): void {
  assert.ok(findings.length === 0, findings.map(({ place, message }) => `\n${place}: ${message}`).join(''));
}

test('the pure packages depend on pure packages alone', () => {
  const pure = [
    '@fairway/engine',
    '@fairway/recipients',
    '@fairway/plan',
    '@fairway/relay',
    '@fairway/values',
  ];
  for (const name of pure) {
    const allowed = ARROWS[name];
    assert.ok(allowed !== undefined && allowed !== 'ANY', name);
    for (const dependency of allowed) assert.ok(pure.includes(dependency), `${name} -> ${dependency}`);
  }
});

test('every package.json follows the arrows between packages', () => {
  assert.ok(workspaces.length > 5);
  assertNone(workspaces.flatMap(arrowFindings));
});

test('no import leaves its package by path or needs a development dependency outside tests', () => {
  const findings = workspaces.flatMap((workspace) =>
    sources
      .filter(({ path }) => path.startsWith(`${workspace.folder}/`))
      .flatMap(({ path, text }) => importFindings(path, text, workspace)),
  );
  assertNone(findings);
});

test('no files import each other in a circle, types counted', () => {
  assert.ok(edges.length > 2_000);
  assertNone(fileCircleFindings(edges));
});

test('no folders import each other in a circle, types counted', () => {
  const findings = workspaces.flatMap(({ folder }) => folderCircleFindings(`${folder}/src`, edges));
  assertNone(findings);
});

test('imports between folders follow FOLDER_ARROWS, and every arrow is used', () => {
  const findings = workspaces.flatMap(({ folder, manifest }) =>
    folderArrowFindings(`${folder}/src`, files, edges, FOLDER_ARROWS[manifest.name] ?? {}),
  );
  assertNone(findings);
});

/** What the sandbox brings is imported where it is needed: production must not load it. */
const SANDBOX_DOOR = 'apps/service/src/parts/sandbox/sandbox.ts';

test('a part is imported by its door alone', () => {
  assertNone(doorFindings('apps/service/src/parts', edges, [SANDBOX_DOOR]));
});

test('an import that reaches into a part is found', () => {
  const at = (from: string, to: string) => doorFindings('a/src/parts', [{ from, to, lineNumber: 4 }]);
  assert.deepEqual(at('a/src/parts/one/x.ts', 'a/src/parts/two/deep/y.ts'), [
    {
      place: 'a/src/parts/one/x.ts:4',
      message: 'a/src/parts/two/deep/y.ts is inside of a part: import a/src/parts/two/index.ts',
    },
  ]);
  assert.equal(at('a/src/run.ts', 'a/src/parts/two/y.ts').length, 1);
  assert.deepEqual(at('a/src/parts/one/x.ts', 'a/src/parts/two/index.ts'), []);
  assert.deepEqual(at('a/src/parts/two/z.ts', 'a/src/parts/two/deep/y.ts'), []);
  assert.deepEqual(at('a/src/parts/one/x.test.ts', 'a/src/parts/two/y.ts'), []);
});

test('a type that is imported from inside of a part is found', () => {
  const text = "import { door } from '../two/index.ts';\nimport type { Y } from '../two/deep/y.ts';\n";
  const planted = importEdges(
    [
      { path: 'a/src/parts/one/x.ts', text },
      { path: 'a/src/parts/two/index.ts', text: '' },
      { path: 'a/src/parts/two/deep/y.ts', text: '' },
    ],
    {},
  );
  assert.deepEqual(
    doorFindings('a/src/parts', planted).map(({ place }) => place),
    ['a/src/parts/one/x.ts:2'],
  );
});

/** More files than a reader can keep apart. */
const MOST_FILES = 40;

test('no room has more files than a reader can keep apart', () => {
  assertNone(crowdedFindings(files, MOST_FILES));
});

/** The folders of the rules of payments, where a reader has to see all that happens to the money. */
const MOST_FILES_OF_PLAN = 12;

test('no folder of the rules of payments has more files than are read in one go', () => {
  const ofPlan = files.filter((path) => path.startsWith('packages/plan/src/'));
  assert.ok(ofPlan.length > 50);
  assertNone(crowdedFindings(ofPlan, MOST_FILES_OF_PLAN));
});

test('a crowded room is found', () => {
  const paths = ['p/src/a/1.ts', 'p/src/a/2.ts', 'p/src/a/2.test.ts', 'p/src/a/b/3.ts'];
  assert.deepEqual(crowdedFindings(paths, 2), []);
  assert.deepEqual(
    crowdedFindings(paths, 1).map(({ place }) => place),
    ['p/src/a'],
  );
});

test('no name of a file begins with the name of its folder', () => {
  assertNone(repeatedNameFindings(files));
});

test('a name that begins with the name of its folder is found', () => {
  const paths = [
    'p/src/config/configMail.ts',
    'p/src/config/config.ts',
    'p/src/config/mail.ts',
    'p/src/a/b.ts',
  ];
  assert.deepEqual(
    repeatedNameFindings(paths).map(({ place }) => place),
    ['p/src/config/configMail.ts'],
  );
});

test('every path that the linter has rules for exists', () => {
  const { overrides } = JSON.parse(readFileSync(join(repositoryRoot, '.oxlintrc.json'), 'utf8')) as {
    overrides: readonly { files: readonly string[]; excludeFiles?: readonly string[] }[];
  };
  const patterns = overrides.flatMap(({ files: included, excludeFiles = [] }) => [
    ...included,
    ...excludeFiles,
  ]);
  assert.ok(patterns.length > 20);
  const idle = patterns.filter((pattern) => !files.some((path) => matchesGlob(path, pattern)));
  assert.deepEqual(idle, []);
});

test('a dependency against the arrows is found', () => {
  const messages = (name: string, ...dependencies: string[]) =>
    arrowFindings({
      folder: 'f',
      manifest: {
        name,
        dependencies: Object.fromEntries(dependencies.map((dependency) => [dependency, '1'])),
      },
    }).map(({ message }) => message);
  assert.deepEqual(messages('@fairway/engine', 'viem'), ['@fairway/engine must not depend on viem']);
  assert.deepEqual(messages('@fairway/evm', 'viem', '@fairway/engine', '@fairway/store'), [
    '@fairway/evm must not depend on @fairway/store',
  ]);
  assert.deepEqual(messages('@fairway/service', '@fairway/evm', '@fairway/testing'), [
    '@fairway/service must not depend on @fairway/testing',
  ]);
  assert.deepEqual(messages('@fairway/sandbox', '@uniswap/v3-core', '@uniswapped/x'), [
    '@fairway/sandbox must not depend on @uniswapped/x',
  ]);
  assert.deepEqual(messages('@fairway/bench', '@fairway/service'), []);
  assert.deepEqual(messages('@fairway/new'), ['@fairway/new has no arrows: add it to ARROWS']);
});

test('an import that leaves its package, or needs a development dependency, is found', () => {
  const workspace: Workspace = {
    folder: 'packages/evm',
    manifest: {
      name: '@fairway/evm',
      dependencies: { viem: '1' },
      devDependencies: { ethers: '1', '@a/b': '1' },
    },
  };
  const source = [
    "import { a } from '../../engine/src/index.ts';",
    'export {',
    '  b,',
    "} from 'ethers/abi';",
    "import 'viem';",
    "import type { C } from '@a/b';",
    "const d = await import('../../../scripts/check.ts');",
    "import { e } from '../src/fine.ts';",
  ].join('\n');
  const places = (path: string) => importFindings(path, source, workspace).map(({ place }) => place);
  assert.deepEqual(places('packages/evm/src/x.ts'), [
    'packages/evm/src/x.ts:1',
    'packages/evm/src/x.ts:2',
    'packages/evm/src/x.ts:6',
    'packages/evm/src/x.ts:7',
  ]);
  assert.deepEqual(places('packages/evm/src/x.test.ts'), [
    'packages/evm/src/x.test.ts:1',
    'packages/evm/src/x.test.ts:7',
  ]);
});
