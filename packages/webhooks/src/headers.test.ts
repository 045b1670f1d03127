import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type HeadersRefusal, judgeWebhookHeaders } from './index.ts';

test('usual headers are taken, with names in lower case', () => {
  const judged = judgeWebhookHeaders({
    Authorization: 'Bearer a.b-c_d',
    'X-Tenant': 'north south',
    'x-empty': '',
  });
  assert.deepEqual(judged, {
    ok: true,
    headers: { authorization: 'Bearer a.b-c_d', 'x-tenant': 'north south', 'x-empty': '' },
  });
  assert.deepEqual(judgeWebhookHeaders({}), { ok: true, headers: {} });
});

test('headers that the sender writes, or of one connection, are refused in any letter case', () => {
  const names = [
    'Host',
    'Content-Length',
    'content-type',
    'Content-Encoding',
    'CONNECTION',
    'Transfer-Encoding',
    'Keep-Alive',
    'Proxy-Connection',
    'Proxy-Authorization',
    'Proxy-Authenticate',
    'TE',
    'Trailer',
    'Upgrade',
    'HTTP2-Settings',
    'Expect',
    'User-Agent',
    'webhook-id',
    'Webhook-Timestamp',
    'WEBHOOK-SIGNATURE',
    'webhook-anything',
  ];
  for (const name of names) {
    const judged = judgeWebhookHeaders({ 'x-a': 'b', [name]: 'hidden' });
    assert.ok(!judged.ok && judged.reason === 'NAME_RESERVED', name);
    assert.equal(judged.header, name);
    assert.match(judged.detail, /remove it/);
  }
});

test('names and values that could break a request are refused, and no value is repeated', () => {
  const refused: [Record<string, string>, HeadersRefusal][] = [
    [{ 'x-a': 'hidden\r\nhost: b' }, 'VALUE_NOT_ALLOWED'],
    [{ 'x-a': 'hidden\n' }, 'VALUE_NOT_ALLOWED'],
    [{ 'x-a': '\rhidden' }, 'VALUE_NOT_ALLOWED'],
    [{ 'x-a': 'hid\0den' }, 'VALUE_NOT_ALLOWED'],
    [{ 'x-a': 'hidden\u{7f}' }, 'VALUE_NOT_ALLOWED'],
    [{ 'x-a': ' hidden' }, 'VALUE_NOT_ALLOWED'],
    [{ 'x-a': 'hidden ' }, 'VALUE_NOT_ALLOWED'],
    [{ 'x-a': 'hiddenä' }, 'VALUE_NOT_ALLOWED'],
    [{ 'x-a': 'hidden\u{10a}' }, 'VALUE_NOT_ALLOWED'],
    [{ 'x-a\r\nhost': 'hidden' }, 'NAME_NOT_ALLOWED'],
    [{ 'x-a:': 'hidden' }, 'NAME_NOT_ALLOWED'],
    [{ 'x a': 'hidden' }, 'NAME_NOT_ALLOWED'],
    [{ '': 'hidden' }, 'NAME_NOT_ALLOWED'],
    [{ 'x-ä': 'hidden' }, 'NAME_NOT_ALLOWED'],
    [{ ['x'.repeat(65)]: 'hidden' }, 'NAME_NOT_ALLOWED'],
    [{ 'x-a': 'hidden', 'X-A': 'hidden' }, 'NAME_REPEATED'],
    [{ 'x-a': 'hidden'.repeat(1000) }, 'TOO_LONG'],
    [Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`x-${index}`, 'hidden'])), 'TOO_MANY'],
  ];
  for (const [headers, reason] of refused) {
    const judged = judgeWebhookHeaders(headers);
    assert.ok(!judged.ok && judged.reason === reason, JSON.stringify([headers, judged]));
    assert.doesNotMatch(judged.detail, /hidden/);
  }
});

test('a header named as the prototype of objects is a header like any other', () => {
  const judged = judgeWebhookHeaders(JSON.parse('{"__proto__":"a"}') as Record<string, string>);
  assert.ok(judged.ok);
  assert.deepEqual(Object.entries(judged.headers), [['__proto__', 'a']]);
});
