import assert from 'node:assert/strict';
import { webcrypto } from 'node:crypto';
import { test } from 'node:test';
import { createPageStates } from './pageStates.ts';

const TEXT = '{"token":"q7Yv0mJ3bXl1k9Zs2Wd4Tn6Rf8Hg5Pc","form":"account.iban=DE89370400440532013000"}';
const states = createPageStates(Buffer.alloc(32, 1));

test('a page state opens to the text that was sealed, and is another one each time', () => {
  const sealed = states.seal('sandbox', TEXT);
  assert.match(sealed, /^[\w-]+$/);
  assert.equal(states.open('sandbox', sealed), TEXT);
  assert.notEqual(states.seal('sandbox', TEXT), sealed);
  assert.ok(!Buffer.from(sealed, 'base64url').includes('DE89'));
});

test('a page state of another environment, another key, or altered anywhere does not open', () => {
  const sealed = states.seal('sandbox', TEXT);
  assert.equal(states.open('production', sealed), undefined);
  assert.equal(createPageStates(Buffer.alloc(32, 2)).open('sandbox', sealed), undefined);
  const bytes = Buffer.from(sealed, 'base64url');
  for (let at = 0; at < bytes.length; at += 1) {
    const altered = Buffer.from(bytes);
    altered.writeUInt8((altered.at(at) ?? 0) ^ 1, at);
    assert.equal(states.open('sandbox', altered.toString('base64url')), undefined, `byte ${at}`);
  }
  for (const none of ['', 'x', 'AAAA', sealed.slice(0, -2), TEXT, '\ud800'])
    assert.equal(states.open('sandbox', none), undefined, none);
});

/** Seals as a page does in its browser. */
async function sealTyped(key: string, text: string, place = '["","","typed"]'): Promise<string> {
  const { subtle } = webcrypto;
  const imported = await subtle.importKey('raw', Buffer.from(key, 'base64'), 'AES-GCM', false, ['encrypt']);
  const iv = webcrypto.getRandomValues(new Uint8Array(12));
  const additionalData = Buffer.from(place);
  const sealed = await subtle.encrypt({ name: 'AES-GCM', iv, additionalData }, imported, Buffer.from(text));
  return Buffer.concat([iv, new Uint8Array(sealed)]).toString('base64');
}

test('what is typed into a page opens with the state of that page alone', async () => {
  const [one, other] = [states.seal('sandbox', TEXT), states.seal('sandbox', TEXT)];
  const key = states.typingKey(one);
  const typed = await sealTyped(key, 'name=J\u00f6');
  assert.equal(states.openTyped(one, typed), 'name=J\u00f6');
  assert.equal(states.openTyped(other, typed), undefined);
  assert.notEqual(states.typingKey(other), key);
  assert.equal(createPageStates(Buffer.alloc(32, 2)).openTyped(one, typed), undefined);
  assert.equal(states.openTyped(one, await sealTyped(key, 'name=J', '["","","other"]')), undefined);
  for (const none of ['', 'x', one]) assert.equal(states.openTyped(one, none), undefined);
});
