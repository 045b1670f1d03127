import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { EXAMPLE_NODES } from '../../test/exampleNodes.ts';
import { type FileConfig, parseConfigFile } from './configFile.ts';

const examplePath = join(import.meta.dirname, '../../../../examples/config/fairway.json');

type Target = { conversion?: string };

/** The example's configuration after a change of the targets of its corridors. */
function configured(change: (target: Target) => void): FileConfig {
  const file = JSON.parse(readFileSync(examplePath, 'utf8')) as {
    payments: { corridors: { target: Target }[] };
  };
  for (const { target } of file.payments.corridors) change(target);
  const readText = (path: string) =>
    path === examplePath ? JSON.stringify(file) : readFileSync(path, 'utf8');
  return parseConfigFile(examplePath, readText, EXAMPLE_NODES);
}

function conversionsOf(change: (target: Target) => void): readonly unknown[] {
  const { corridors = [] } = configured(change).payments ?? {};
  return [...new Set(corridors.map(({ target }) => target.conversion))];
}

test('a custodian converts the token of a corridor unless the corridor says that it is pegged', () => {
  assert.deepEqual(
    conversionsOf((target) => delete target.conversion),
    ['CUSTODIAN'],
  );
  assert.deepEqual(
    conversionsOf((target) => {
      target.conversion = 'PEGGED';
    }),
    ['PEGGED'],
  );
});
