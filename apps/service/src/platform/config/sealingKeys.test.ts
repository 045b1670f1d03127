import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError } from './error.ts';
import type { EnvironmentVariables } from './variables.ts';
import { readSealingKeys } from './sealingKeys.ts';

const hex = (byte: string) => byte.repeat(32);
const read = (text: string | undefined, others: EnvironmentVariables = {}) =>
  readSealingKeys({ ...others, FAIRWAY_SEALING_KEYS: text });

test('sealing keys are read in their order, and spaces around them do not matter', () => {
  const keys = read(`2026-b:${hex('Ab')}, 2026-a:${hex('01')} `);
  assert.deepEqual(
    keys.map((source) => source.kind === 'BYTES' && [source.id, source.key.toString('hex')]),
    [
      ['2026-b', hex('ab')],
      ['2026-a', hex('01')],
    ],
  );
  for (const none of [undefined, '']) assert.deepEqual(read(none), []);
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
    `one:file:`,
    `one:kms:`,
    `one:vault:${secret}`,
    `:file:${secret}`,
  ]) {
    assert.throws(
      () => read(text),
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
    () => read(`one:${hex('01')},one:${hex('02')}`),
    /^ConfigError: FAIRWAY_SEALING_KEYS: each key needs an id of its own\.$/,
  );
});

test('keys can be in files, and wrapped by a key management service', () => {
  const aws = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 's' };
  const credentials = { kind: 'STATIC', accessKeyId: 'a', secretAccessKey: 's' };
  assert.deepEqual(read(`a:file:/run/a b, b:kms:/etc/b.json,c:${hex('01')}`, aws), [
    { kind: 'FILE', id: 'a', path: '/run/a b' },
    { kind: 'KMS', id: 'b', path: '/etc/b.json', access: { credentials } },
    { kind: 'BYTES', id: 'c', key: Buffer.from(hex('01'), 'hex') },
  ]);
});

test('credentials for a key management service are those that the tools of AWS find', () => {
  const credentialsFrom = (others: EnvironmentVariables) => {
    const [source] = read('a:kms:/a', others);
    assert.ok(source?.kind === 'KMS');
    return source.access.credentials;
  };
  const pair = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 's' };
  const given = { kind: 'STATIC', accessKeyId: 'a', secretAccessKey: 's' };
  const uri = { AWS_CONTAINER_CREDENTIALS_FULL_URI: 'http://x/y' };
  assert.deepEqual(credentialsFrom({ ...pair, ...uri }), given);
  assert.deepEqual(credentialsFrom({ ...pair, AWS_SESSION_TOKEN: 't' }), { ...given, sessionToken: 't' });
  assert.deepEqual(credentialsFrom({ AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: '/v2/x' }), {
    kind: 'CONTAINER',
    url: 'http://169.254.170.2/v2/x',
  });
  assert.deepEqual(credentialsFrom({ ...uri, AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: '/token' }), {
    kind: 'CONTAINER',
    url: 'http://x/y',
    authorizationFile: '/token',
  });
  assert.equal(credentialsFrom({ AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: '' }), undefined);
});
