import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { makeCertificate } from '@fairway/testing/certificate';
import { judgeClientCertificate } from './index.ts';

const { cert, key, privateKey } = makeCertificate();

function reasonOf(certificate: { cert: string; key: string }): string | undefined {
  const judged = judgeClientCertificate(certificate);
  if (judged.ok) return undefined;
  // A line of the PEM text, as a message of OpenSSL could have one.
  assert.ok(!judged.detail.includes(key.split('\n')[1]!) && !judged.detail.includes(cert.split('\n')[1]!));
  return judged.reason;
}

test('a certificate with its key is taken, also with a chain behind it', () => {
  assert.equal(reasonOf({ cert, key }), undefined);
  assert.equal(reasonOf({ cert: `${cert}${makeCertificate().cert}`, key }), undefined);
});

test('keys with which a connection is quickly signed are taken, and no others', () => {
  const taken = [
    generateKeyPairSync('rsa', { modulusLength: 2048 }),
    generateKeyPairSync('rsa', { modulusLength: 4096 }),
    generateKeyPairSync('ec', { namedCurve: 'P-256' }),
    generateKeyPairSync('ec', { namedCurve: 'P-384' }),
    generateKeyPairSync('ed25519'),
  ];
  const refused = [
    generateKeyPairSync('rsa', { modulusLength: 1024 }),
    generateKeyPairSync('rsa', { modulusLength: 4104 }),
    generateKeyPairSync('rsa-pss', { modulusLength: 2048 }),
    generateKeyPairSync('ec', { namedCurve: 'P-521' }),
    generateKeyPairSync('ec', { namedCurve: 'secp256k1' }),
    generateKeyPairSync('ed448'),
    generateKeyPairSync('dsa', { modulusLength: 2048, divisorLength: 256 }),
  ];
  for (const keys of taken) assert.equal(reasonOf(makeCertificate({ keys })), undefined);
  for (const keys of refused) {
    assert.equal(reasonOf(makeCertificate({ keys })), 'KEY_KIND_REFUSED');
    const pem = keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    assert.equal(
      reasonOf({ cert, key: pem }),
      'KEY_KIND_REFUSED',
      'also behind a certificate of another key',
    );
  }
});

test('what cannot be shown to a receiver is refused with what is wrong', () => {
  const other = makeCertificate();
  assert.equal(reasonOf({ cert: 'x', key }), 'CERT_NOT_USABLE');
  assert.equal(reasonOf({ cert: key, key }), 'CERT_NOT_USABLE');
  assert.equal(reasonOf({ cert: cert.slice(0, -100), key }), 'CERT_NOT_USABLE');
  assert.equal(
    reasonOf({ cert: `${cert}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`, key }),
    'CERT_NOT_USABLE',
  );
  assert.equal(reasonOf({ cert, key: 'x' }), 'KEY_NOT_USABLE');
  assert.equal(reasonOf({ cert, key: cert }), 'KEY_NOT_USABLE');
  const locked = privateKey.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'p' });
  assert.equal(reasonOf({ cert, key: locked.toString() }), 'KEY_NOT_USABLE');
  assert.equal(reasonOf({ cert, key: other.key }), 'KEY_OF_ANOTHER_CERT');
  const others = [
    generateKeyPairSync('rsa', { modulusLength: 2048 }),
    generateKeyPairSync('ec', { namedCurve: 'P-384' }),
    generateKeyPairSync('ed25519'),
  ];
  for (const { privateKey: another } of others) {
    const pem = another.export({ type: 'pkcs8', format: 'pem' }).toString();
    assert.equal(reasonOf({ cert, key: pem }), 'KEY_OF_ANOTHER_CERT');
  }
  assert.equal(reasonOf({ cert: cert.repeat(100), key }), 'TOO_LONG');
});
