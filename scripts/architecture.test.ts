import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { arrowFindings, importFindings, importsOf, type Manifest, type Workspace } from './architecture.ts';
import { repositoryRoot, treeFiles } from './repository.ts';

const files = treeFiles().filter((path) => existsSync(join(repositoryRoot, path)));
const workspaces: Workspace[] = files
  .filter((path) => /^((apps|packages)\/[^/]+|bench|examples)\/package\.json$/.test(path))
  .map((path) => ({
    folder: path.slice(0, -'/package.json'.length),
    manifest: JSON.parse(readFileSync(join(repositoryRoot, path), 'utf8')) as Manifest,
  }));

test('the pure packages depend on nothing, and plan on recipients alone', () => {
  const dependenciesOf = (name: string) => {
    const { manifest } =
      workspaces.find((workspace) => workspace.manifest.name === name) ?? assert.fail(name);
    return Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies });
  };
  assert.deepEqual(dependenciesOf('@fairway/engine'), []);
  assert.deepEqual(dependenciesOf('@fairway/recipients'), []);
  assert.deepEqual(dependenciesOf('@fairway/plan'), ['@fairway/recipients']);
});

test('every package.json follows the arrows between packages', () => {
  assert.ok(workspaces.length > 5);
  assert.deepEqual(workspaces.flatMap(arrowFindings), []);
});

test('no import leaves its package by path or needs a development dependency outside tests', () => {
  const findings = workspaces.flatMap((workspace) =>
    files
      .filter((path) => path.startsWith(`${workspace.folder}/`) && /\.(ts|mjs)$/.test(path))
      .flatMap((path) => importFindings(path, readFileSync(join(repositoryRoot, path), 'utf8'), workspace)),
  );
  assert.deepEqual(findings, []);
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
  assert.equal(importsOf(source).length, 6);
});
