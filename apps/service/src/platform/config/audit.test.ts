import assert from 'node:assert/strict';
import { test } from 'node:test';
import { auditWarnings } from './audit.ts';
import { readConfig } from './config.ts';
import { readStoreConfig } from './storeConfig.ts';
import { ConfigError } from './error.ts';

const hex = (byte: string) => byte.repeat(32);
const keysOf = (environment: Readonly<Record<string, string>>) =>
  readStoreConfig('/data', environment).audit?.keys.map((source) =>
    source.kind === 'BYTES' ? `${source.id} ${source.key.toString('hex').slice(0, 2)}` : source.kind,
  );

test('the audit log is in the data folder unless a file is named, and nowhere without both', () => {
  assert.equal(readStoreConfig('/data', {}).audit?.file, '/data/audit.log');
  assert.equal(readStoreConfig(undefined, { FAIRWAY_DATA: '/data' }).audit?.file, '/data/audit.log');
  assert.equal(readStoreConfig('/data', { FAIRWAY_AUDIT_LOG: '/log/a' }).audit?.file, '/log/a');
  const environment = { FAIRWAY_AUDIT_LOG: '/log/a' };
  assert.equal(readConfig(['--audit-log', '/log/b'], environment).audit?.file, '/log/b');
  assert.equal(readConfig([], {}).audit, undefined);
});

test('the audit key of its own is used, else the sealing keys; without any a published one', () => {
  const FAIRWAY_SEALING_KEYS = `new:${hex('a1')},old:file:/keys/old`;
  assert.deepEqual(keysOf({ FAIRWAY_SEALING_KEYS }), ['new a1', 'FILE']);
  const FAIRWAY_AUDIT_KEY = `${hex('b1')}, file:/keys/audit`;
  const environment = { FAIRWAY_SEALING_KEYS, FAIRWAY_AUDIT_KEY };
  assert.deepEqual(keysOf(environment), ['audit b1', 'FILE']);
  assert.equal(readStoreConfig('/data', environment).audit?.formerKeys.length, 2);
  assert.equal(readStoreConfig('/data', { FAIRWAY_AUDIT_KEY }).audit?.isPublished, false);
  assert.equal(readStoreConfig('/data', {}).audit?.isPublished, true);
});

test('an audit key that is malformed is refused without being shown', () => {
  for (const FAIRWAY_AUDIT_KEY of [`${hex('5c')}0`, hex('5c').slice(1), `one:${hex('5c')}`, 'file:', ','])
    assert.throws(
      () => readStoreConfig('/data', { FAIRWAY_AUDIT_KEY }),
      (error: Error) =>
        error instanceof ConfigError &&
        error.message.startsWith('FAIRWAY_AUDIT_KEY: must be 32 bytes') &&
        !error.message.includes('5c5c'),
      FAIRWAY_AUDIT_KEY,
    );
});

test('a service of real chains is warned of a missing audit log and of a published key', () => {
  const chains = [{}];
  const { audit } = readStoreConfig('/data', {});
  assert.ok(audit);
  assert.match(auditWarnings({ chains }).join(), /^No audit log is written: give --audit-log FILE/);
  assert.match(auditWarnings({ chains, audit }).join(), /published key.*set FAIRWAY_AUDIT_KEY\.$/);
  assert.deepEqual(auditWarnings({ chains, audit: { ...audit, isPublished: false } }), []);
  assert.deepEqual(auditWarnings({ audit }), [], 'the sandbox is not warned');
});
