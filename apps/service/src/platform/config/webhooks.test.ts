import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ConfigFile } from './schema.ts';
import { toNetworks } from './webhooks.ts';

const fileOf = (allowPrivate?: string[]) =>
  (allowPrivate === undefined ? {} : { webhooks: { allowPrivate } }) as unknown as ConfigFile;

test('networks for webhooks are read as they are, and a mistake is named with its remedy', () => {
  const problems: string[] = [];
  assert.equal(toNetworks(fileOf(), 'f.json', problems), undefined);
  assert.deepEqual(toNetworks(fileOf(['10.1.2.3/32', 'FD00:1::/32']), 'f.json', problems), [
    '10.1.2.3/32',
    'fd00:1::/32',
  ]);
  assert.deepEqual(problems, []);
  toNetworks(fileOf(['10.1.2.3/8', 'inner.example']), 'f.json', problems);
  assert.equal(problems.length, 2);
  assert.match(problems[0] ?? '', /^f.json: webhooks.allowPrivate: "10.1.2.3\/8": .* write 10.0.0.0\/8 /);
});
