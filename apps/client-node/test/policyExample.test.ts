// The policy in the documentation is one that the node reads, and its table names each rule.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { readPolicy } from '@fairway/policies';

const text = readFileSync(new URL('../../../docs/client-node.md', import.meta.url), 'utf8');
const document = JSON.parse(/```json\n(\{\n {2}"chains"[^`]*)```/.exec(text)?.[1] ?? '') as {
  readonly chains: readonly [Readonly<Record<string, unknown>>];
};

test('the example of a policy is read', () => {
  const read = readPolicy(document);
  assert.deepEqual(read.ok ? [] : read.faults, []);
});

test('each rule of the example is explained', () => {
  for (const rule of Object.keys(document.chains[0])) assert.ok(text.includes(`| \`${rule}\``), rule);
});
