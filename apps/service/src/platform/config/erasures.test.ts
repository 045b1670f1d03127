import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from './config.ts';
import { erasureWarnings } from './erasures.ts';
import { readStoreConfig } from './storeConfig.ts';

test('the file of erasures is named by option or environment, and lies beside the data folder', () => {
  assert.equal(readStoreConfig('/data', {}).erasureLog, undefined);
  const environment = { FAIRWAY_ERASURE_LOG: '/data.erasures' };
  assert.equal(readStoreConfig('/data', environment).erasureLog, '/data.erasures');
  assert.equal(readConfig(['--erasure-log', '/log/b'], environment).erasureLog, '/log/b');
  for (const inside of ['/data/erasures', '/data/../data/a/b'])
    assert.throws(
      () => readStoreConfig('/data', { FAIRWAY_ERASURE_LOG: inside }),
      /is in the data folder, with which it would be put back/,
    );
});

test('production without the file is warned that nobody can be erased', () => {
  const config = { environment: 'production', payments: {} } as const;
  assert.match(erasureWarnings(config).join(), /give --erasure-log FILE/);
  assert.deepEqual(erasureWarnings({ ...config, erasureLog: '/a' }), []);
  assert.deepEqual(erasureWarnings({ ...config, environment: 'sandbox' }), []);
});
