import assert from 'node:assert/strict';
import { readStoreConfig } from './storeConfig.ts';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { EXAMPLE_NODES } from '../../../test/exampleNodes.ts';
import { readConfig } from './config.ts';

const folder = mkdtempSync(join(tmpdir(), 'fairway-config-'));
after(() => rmSync(folder, { recursive: true }));

const hex = (byte: string) => byte.repeat(32);
const examples = join(import.meta.dirname, '../../../../../examples/config');

test('configured payments need a sealing key; without payments none is needed', () => {
  const args = ['--config', join(examples, 'fairway.json')];
  assert.throws(() => readConfig(args, EXAMPLE_NODES), /^ConfigError: FAIRWAY_SEALING_KEYS: is missing/);
  const sealed = { ...EXAMPLE_NODES, FAIRWAY_SEALING_KEYS: `one:${hex('01')}` };
  const config = readConfig([...args, '--data', folder], sealed);
  assert.deepEqual(
    config.sealingKeys.map(({ id }) => id),
    ['one'],
  );
  assert.equal(config.payments?.corridors.length, 3);
  const { payments: _, ...file } = JSON.parse(readFileSync(join(examples, 'fairway.json'), 'utf8')) as {
    payments: object;
    tokenLists: string[];
  };
  const without = join(folder, 'fairway.json');
  writeFileSync(without, JSON.stringify({ ...file, tokenLists: [join(examples, 'tokens.json')] }));
  const unpaid = readConfig(['--config', without], EXAMPLE_NODES);
  assert.deepEqual([unpaid.sealingKeys, unpaid.payments], [[], undefined]);
});

test('payments of production need a place for their plans', () => {
  const sealed = { ...EXAMPLE_NODES, FAIRWAY_SEALING_KEYS: `one:${hex('01')}` };
  const args = ['--config', join(examples, 'fairway.json')];
  assert.throws(
    () => readConfig(args, sealed),
    /^ConfigError: --data: is missing; without it every plan .*Give --data DIR, or set DATABASE_URL\.$/,
  );
  for (const FAIRWAY_DATA of [folder, undefined])
    for (const DATABASE_URL of ['postgres://db.example/fairway', undefined])
      if (FAIRWAY_DATA !== undefined || DATABASE_URL !== undefined)
        assert.ok(readConfig(args, { ...sealed, FAIRWAY_DATA, DATABASE_URL }).payments);
});

test('an option that does not exist is answered in sentences', () => {
  assert.throws(() => readConfig(['-c'], {}), /^UsageError: There is no option -c here\.$/);
  assert.throws(() => readConfig(['--pot', '1'], {}), /no option --pot here\. Did you mean --port\?$/);
  assert.throws(() => readConfig(['--port'], {}), /^UsageError: --port needs a value after it\.$/);
  assert.throws(() => readConfig(['x'], {}), /^UsageError: Unexpected argument: x\.$/);
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

test('a login of DATABASE_URL that is not percent-encoded is named, and not shown', () => {
  for (const DATABASE_URL of ['postgres://me:100%@db.example/f', 'postgresql://me:p%ffss@db.example/f'])
    assert.throws(
      () => readStoreConfig(undefined, { DATABASE_URL }),
      (error: Error) =>
        error.message.startsWith('DATABASE_URL: percent-encode') && !/100|ffss/.test(error.message),
    );
  for (const DATABASE_URL of ['postgres://me:100%25@db.example/f', 'postgres:///f?host=/run/postgresql'])
    assert.deepEqual(readStoreConfig(undefined, { DATABASE_URL }).database, {
      kind: 'SERVER',
      url: DATABASE_URL,
    });
});
