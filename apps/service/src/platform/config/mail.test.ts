import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { EXAMPLE_NODES } from '../../../test/exampleNodes.ts';
import { ConfigError } from './error.ts';
import { parseConfigFile } from './file.ts';

const examplePath = join(import.meta.dirname, '../../../../../examples/config/fairway.json');
const FROM = 'Acme Payments <payments@acme.example>';

const USDC = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';
const COLLECTING = {
  id: 'usdc-collect',
  source: { chainId: 1, token: USDC },
  target: {
    type: 'EMAIL',
    currency: 'USDC',
    token: USDC,
    custodian: 'Custodian',
    settlementAddress: '0x00000000000000000000000000000000000fa157',
  },
  modes: ['DIGITAL_COLLECT'],
  destinations: { wallet: true },
  settlementTime: { min: 'PT1M', max: 'P1D' },
};

/** Adds keys to the example and reads it: returns its mail, or the problems. */
function mailOf(keys: object, environment: Readonly<Record<string, string>> = {}) {
  const file = JSON.stringify({ ...JSON.parse(readFileSync(examplePath, 'utf8')), ...keys });
  const readText = (path: string) => (path === examplePath ? file : readFileSync(path, 'utf8'));
  try {
    return parseConfigFile(examplePath, readText, { ...EXAMPLE_NODES, ...environment }).mail;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.message.split('\n').map((line) => line.replace(examplePath, 'FILE'));
  }
}

test('mail needs no configuration when no corridor sends e-mail', () => assert.equal(mailOf({}), undefined));

test('a corridor that offers digital collect needs mail', () => {
  const payments = { corridors: [COLLECTING] };
  assert.deepEqual(mailOf({ payments }), [
    'FILE: mail: is missing; corridor usdc-collect offers DIGITAL_COLLECT, which e-mails a link.',
  ]);
  assert.deepEqual(mailOf({ payments, mail: { smtpUrl: 'smtp://mail.example:587', from: FROM } }), {
    smtpUrl: 'smtp://mail.example:587',
    from: { name: 'Acme Payments', address: 'payments@acme.example' },
  });
});

test('a corridor that offers digital collect needs the public URL that its links lead to', () => {
  const payments = { corridors: [COLLECTING] };
  const mail = { smtpUrl: 'smtp://mail.example:587', from: FROM };
  const missing =
    'FILE: publicUrl: is missing; corridor usdc-collect offers DIGITAL_COLLECT, whose links lead there.';
  assert.deepEqual(mailOf({ payments, mail, publicUrl: undefined }), [missing]);
  assert.deepEqual(mailOf({ payments, publicUrl: undefined }), [
    missing,
    'FILE: mail: is missing; corridor usdc-collect offers DIGITAL_COLLECT, which e-mails a link.',
  ]);
  assert.notDeepEqual(mailOf({ mail, publicUrl: undefined }), [missing]);
});

test('the URL of the mail server may come from an environment variable, with a password', () => {
  const mail = { smtpUrl: 'env:SMTP_URL', from: FROM };
  const SMTP_URL = 'smtps://user:p%40ss@mail.example';
  assert.deepEqual(mailOf({ mail }, { SMTP_URL }), {
    smtpUrl: SMTP_URL,
    from: { name: 'Acme Payments', address: 'payments@acme.example' },
  });
});

const MUST_HOLD =
  'must hold the URL of an SMTP server: smtp://HOST:PORT or smtps://HOST:PORT, with USER:PASSWORD@ before HOST where it asks for them, both percent-encoded as UTF-8.';
for (const SMTP_URL of [
  '',
  'https://user:secret@mail.example',
  'smtp://user:sec%ret@mail.example',
  'smtp://h/?debug=true',
]) {
  test(`a variable that holds ${JSON.stringify(SMTP_URL)} is named, its value is not`, () => {
    assert.deepEqual(mailOf({ mail: { smtpUrl: 'env:SMTP_URL', from: FROM } }, { SMTP_URL }), [
      `SMTP_URL: this environment variable ${MUST_HOLD}`,
    ]);
  });
}

test('a URL of a mail server that cannot be read is named', () => {
  assert.deepEqual(mailOf({ mail: { smtpUrl: 'smtp://mail.example:port', from: FROM } }), [
    `FILE: mail.smtpUrl ${MUST_HOLD}`,
  ]);
});

const SENDERS = [
  'payments@acme.example',
  '<payments@acme.example>',
  'Acme payments@acme.example',
  'Acme <payments>',
  'Acme <a@acme.example>, Eve <b@acme.example>',
  'Acme\r\nBcc: evil@acme.example <payments@acme.example>',
  '"Acme" <payments@acme.example>',
];
for (const sender of SENDERS) {
  test(`${JSON.stringify(sender)} is refused as a sender`, () => {
    assert.deepEqual(mailOf({ mail: { smtpUrl: 'smtp://mail.example', from: sender } }), [
      'FILE: mail.from must be a name and an e-mail address: Name <name@example.com>.',
    ]);
  });
}
