import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { createWebhookSecret, readWebhookSecret, signatureOf, type WebhookKey } from './index.ts';

function keyOf(secret: string): WebhookKey {
  const read = readWebhookSecret(secret);
  assert.ok(read.ok);
  return read.key;
}

test('a new secret is whsec_ and 32 random bytes in base64, and its key is read back', () => {
  const secrets = Array.from({ length: 50 }, createWebhookSecret);
  assert.equal(new Set(secrets).size, 50);
  for (const secret of secrets) {
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    assert.equal(`whsec_${keyOf(secret).toString('base64')}`, secret);
    assert.equal(keyOf(secret).length, 32);
  }
});

test('what is no secret is refused without being repeated', () => {
  const secret = `whsec_${Buffer.alloc(32, 'k').toString('base64')}`;
  const spoilt = [
    '',
    'whsec_',
    secret.slice(6),
    secret.slice(0, -1),
    `${secret}=`,
    ` ${secret}`,
    `${secret}\n`,
    secret.replace('whsec_', 'WHSEC_'),
    `whsec_${Buffer.alloc(31).toString('base64')}`,
    `whsec_${Buffer.alloc(33).toString('base64')}`,
    // The same bytes with other unused bits.
    secret.replace(/.=$/, 't='),
    secret.replace('a', '-'),
  ];
  for (const text of spoilt) {
    const read = readWebhookSecret(text);
    assert.ok(!read.ok, text);
    assert.equal(read.reason, 'NOT_A_SECRET');
    assert.ok(!read.detail.includes(secret.slice(10, 20)));
  }
  assert.ok(readWebhookSecret(secret).ok);
});

test('the signature of the example in the specification of Standard Webhooks', () => {
  const key = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64') as WebhookKey;
  const content = {
    eventId: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    timestampSeconds: 1_614_265_330,
    body: '{"test": 2432232314}',
  };
  assert.equal(signatureOf(content, [key]), 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
});

test('several keys give several signatures, each as the library of Standard Webhooks makes it', () => {
  const secrets = [createWebhookSecret(), createWebhookSecret(), createWebhookSecret()];
  const content = { eventId: 'evt_1', timestampSeconds: 1_800_000_000, body: '{"name":"Zoë 東京"}' };
  const expected = secrets.map((secret) =>
    new Webhook(secret).sign('evt_1', new Date(1_800_000_000_000), content.body),
  );
  assert.equal(signatureOf(content, secrets.map(keyOf)), expected.join(' '));
});
