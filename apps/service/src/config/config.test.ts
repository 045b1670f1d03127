import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readConfig, readSealingKeys } from './config.ts';
import { ConfigError } from './configError.ts';

const folder = mkdtempSync(join(tmpdir(), 'fairway-config-'));
after(() => rmSync(folder, { recursive: true }));

const hex = (byte: string) => byte.repeat(32);
const examples = join(import.meta.dirname, '../../../../examples/config');
const ENVIRONMENT = {
  ...{ ETHEREUM_WS_URL: 'wss://x', ETHEREUM_HTTP_URL: 'https://x', BASE_WS_URL: 'wss://x' },
  ...{ BASE_HTTP_URL: 'https://x', ARBITRUM_WS_URL: 'wss://x', ARBITRUM_HTTP_URL: 'https://x' },
};

test('sealing keys are read in their order, and spaces around them do not matter', () => {
  const keys = readSealingKeys(`2026-b:${hex('Ab')}, 2026-a:${hex('01')} `);
  assert.deepEqual(
    keys.map(({ id, key }) => [id, key.toString('hex')]),
    [
      ['2026-b', hex('ab')],
      ['2026-a', hex('01')],
    ],
  );
  for (const none of [undefined, '']) assert.deepEqual(readSealingKeys(none), []);
});

test('a sealing key that is malformed is refused without being shown', () => {
  const secret = hex('5c');
  for (const text of [
    secret,
    `one:${secret}0`,
    `one:${secret.slice(2)}`,
    `one:${secret.slice(1)}g`,
    `:${secret}`,
    `one one:${secret}`,
    `${'x'.repeat(33)}:${secret}`,
    `one:${secret},`,
    `one:${secret};two:${secret}`,
    ' ',
  ]) {
    assert.throws(
      () => readSealingKeys(text),
      (error: Error) =>
        error instanceof ConfigError &&
        error.message.startsWith('FAIRWAY_SEALING_KEYS: must be ID:KEY') &&
        !error.message.includes('5c5c'),
      text,
    );
  }
});

test('two sealing keys with the same id are refused', () => {
  assert.throws(
    () => readSealingKeys(`one:${hex('01')},one:${hex('02')}`),
    /^ConfigError: FAIRWAY_SEALING_KEYS: each key needs an id of its own\.$/,
  );
});

test('configured payments need a sealing key; without payments none is needed', () => {
  const args = ['--config', join(examples, 'fairway.json')];
  assert.throws(() => readConfig(args, ENVIRONMENT), /^ConfigError: FAIRWAY_SEALING_KEYS: is missing/);
  const config = readConfig(args, { ...ENVIRONMENT, FAIRWAY_SEALING_KEYS: `one:${hex('01')}` });
  assert.deepEqual(
    config.sealingKeys.map(({ id }) => id),
    ['one'],
  );
  assert.equal(config.payments?.corridors.length, 2);
  const { payments: _, ...file } = JSON.parse(readFileSync(join(examples, 'fairway.json'), 'utf8')) as {
    payments: object;
    tokenLists: string[];
  };
  const without = join(folder, 'fairway.json');
  writeFileSync(without, JSON.stringify({ ...file, tokenLists: [join(examples, 'tokens.json')] }));
  const unpaid = readConfig(['--config', without], ENVIRONMENT);
  assert.deepEqual([unpaid.sealingKeys, unpaid.payments], [[], undefined]);
});

test('the sandbox seals with a published key unless it is given one', () => {
  assert.deepEqual(
    readConfig([], {}).sealingKeys.map(({ id }) => id),
    ['sandbox'],
  );
  const given = readConfig([], { FAIRWAY_SEALING_KEYS: `own:${hex('01')}` });
  assert.deepEqual(
    given.sealingKeys.map(({ id }) => id),
    ['own'],
  );
});
