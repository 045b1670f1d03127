import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { type ReceivedWebhook, verifyWebhook, WebhookError } from './webhooks.ts';

const [SECRET, OTHER] = [1, 2].map((byte) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`) as [
  string,
  string,
];
const NOW = new Date('2026-03-01T12:00:00Z');
const BODY = '{"id":"evt_1","type":"payment_plan.completed","note":"é"}';

/** A webhook as another implementation of the standard signs it. */
function signed(secret: string, body = BODY, at = NOW): ReceivedWebhook {
  const headers = {
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(at.getTime() / 1000),
    'webhook-signature': new Webhook(secret).sign('evt_1', at, body),
  };
  return { body, headers, secret: SECRET, now: NOW };
}

const later = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);

test('what another implementation of the standard has signed is verified', async () => {
  assert.equal((await verifyWebhook(signed(SECRET))).id, 'evt_1');
  assert.equal((await verifyWebhook({ ...signed(OTHER), secret: [SECRET, OTHER] })).id, 'evt_1');
  const [old, { headers }] = [signed(OTHER), signed(SECRET) as { headers: Record<string, string> }];
  const both = `${(old.headers as Record<string, string>)['webhook-signature']} v2,x ${headers['webhook-signature']}`;
  const given = { ...signed(SECRET), headers: new Headers({ ...headers, 'webhook-signature': both }) };
  assert.equal((await verifyWebhook(given)).id, 'evt_1');
});

const right = signed(SECRET);
const headers = right.headers as Record<string, string>;
const REFUSED: readonly (readonly [string, ReceivedWebhook, string])[] = [
  ['another secret', signed(OTHER), 'SIGNATURE_WRONG'],
  ['another body', { ...right, body: BODY.replace('1', '2') }, 'SIGNATURE_WRONG'],
  ['another id', { ...right, headers: { ...headers, 'webhook-id': 'evt_2' } }, 'SIGNATURE_WRONG'],
  [
    'another version',
    { ...right, headers: { ...headers, 'webhook-signature': 'v2,AAAA' } },
    'SIGNATURE_WRONG',
  ],
  ['no base64', { ...right, headers: { ...headers, 'webhook-signature': 'v1,%%' } }, 'SIGNATURE_WRONG'],
  [
    'an empty signature',
    { ...right, headers: { ...headers, 'webhook-signature': 'v1,' } },
    'SIGNATURE_WRONG',
  ],
  ['no signature', { ...right, headers: { ...headers, 'webhook-signature': undefined } }, 'HEADER_MISSING'],
  ['no time', { ...right, headers: { ...headers, 'webhook-timestamp': 'now' } }, 'HEADER_MISSING'],
  ['an old time', { ...right, now: later(301) }, 'TIMESTAMP_TOO_OLD'],
  ['a time to come', { ...right, now: later(-301) }, 'TIMESTAMP_TOO_NEW'],
  ['a malformed secret', { ...right, secret: 'secret' }, 'SECRET_MALFORMED'],
  ['a signed text that is no JSON', signed(SECRET, 'hello'), 'BODY_MALFORMED'],
];

for (const [name, webhook, reason] of REFUSED)
  test(`a webhook is refused with ${name}`, async () => {
    await assert.rejects(verifyWebhook(webhook), (error) => {
      assert.ok(error instanceof WebhookError);
      assert.equal(error.reason, reason);
      return true;
    });
  });

test('a webhook within the tolerance is taken', async () => {
  for (const seconds of [-300, 300]) await verifyWebhook({ ...right, now: later(seconds) });
});
