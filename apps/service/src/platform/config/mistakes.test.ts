import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { EXAMPLE_NODES } from '../../../test/exampleNodes.ts';
import { parseConfigFile } from './file.ts';

const examplePath = join(import.meta.dirname, '../../../../../examples/config/fairway.json');
const example = JSON.parse(readFileSync(examplePath, 'utf8')) as {
  payments: { corridors: object[] };
};

/** The lines about the example with other members. */
function problemsOf(members: object): string[] {
  const text = JSON.stringify({ ...example, ...members });
  const readText = (path: string) => (path === examplePath ? text : readFileSync(path, 'utf8'));
  try {
    parseConfigFile(examplePath, readText, EXAMPLE_NODES);
    return [];
  } catch (error) {
    return (error as Error).message.split('\n').map((line) => line.replace(examplePath, 'FILE'));
  }
}

test('a public URL that no program can read, or with a password, is refused', () => {
  for (const publicUrl of ['https://[::1', 'https://x:99999'])
    assert.deepEqual(problemsOf({ publicUrl }), [
      'FILE: publicUrl is no URL: its host or its port is wrong. Give one such as https://pay.example.com.',
    ]);
  for (const publicUrl of ['https://user:pw@x', 'https://user@x'])
    assert.match(
      problemsOf({ publicUrl }).join(),
      /^FILE: publicUrl must not hold a user name or a password/,
    );
  for (const publicUrl of ['https://[::1]:8443', 'https://x.example/pay'])
    assert.deepEqual(problemsOf({ publicUrl }), []);
});

test('a value that is none of several is told in one line', () => {
  assert.deepEqual(problemsOf({ environment: 'prod' }), [
    'FILE: environment must be one of "production", "sandbox".',
  ]);
});

test('an amount of the wrong form is told with the form', () => {
  const [corridor, ...others] = example.payments.corridors;
  const corridors = [{ ...corridor, minAmountIn: '1.5' }, ...others];
  assert.match(
    problemsOf({ payments: { ...example.payments, corridors } }).join(),
    /^FILE: payments\.corridors\[0\]\.minAmountIn is not as it must be\. An amount in the smallest units of the source token, as a text of digits/,
  );
});
