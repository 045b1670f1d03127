import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { createSealing, type SealedPlace } from './sealing.ts';

const key = (id: string) => ({ id, key: randomBytes(32) });
const PLACE: SealedPlace = { organisationId: 'org_1', ownerId: 'plan_1', field: 'recipient' };

test('a sealed text opens with the same key in the same place, and never looks the same twice', () => {
  const { seal, unseal } = createSealing([key('a')]);
  const [one, other] = [seal(PLACE, 'Zoë 🚢'), seal(PLACE, 'Zoë 🚢')];
  assert.deepEqual(unseal(PLACE, one), { ok: true, text: 'Zoë 🚢' });
  assert.deepEqual(unseal(PLACE, seal(PLACE, '')), { ok: true, text: '' });
  assert.equal(one.keyId, 'a');
  assert.notDeepEqual(one.sealed, other.sealed);
  assert.ok(!one.sealed.includes('Zo'));
});

test('a sealed value opens in no other place', () => {
  const { seal, unseal } = createSealing([key('a')]);
  const sealed = seal(PLACE, 'text');
  const broken = { ok: false, reason: 'SEAL_BROKEN' };
  for (const other of [
    { ...PLACE, organisationId: 'org_2' },
    { ...PLACE, ownerId: 'plan_2' },
    { ...PLACE, field: 'e-mail' },
    // Joined without separators, these places would be the same.
    { organisationId: 'org_1plan_1', ownerId: '', field: 'recipient' },
    { organisationId: 'org_1","plan_1', ownerId: 'recipient', field: '' },
  ])
    assert.deepEqual(unseal(other, sealed), broken, JSON.stringify(other));
});

test('a sealed value with any bit or its length changed does not open', () => {
  const { seal, unseal } = createSealing([key('a')]);
  const { keyId, sealed } = seal(PLACE, 'account 12345678');
  for (let bit = 0; bit < sealed.length * 8; bit += 1) {
    const altered = Buffer.from(sealed);
    altered[bit >> 3] = (altered[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    assert.equal(unseal(PLACE, { keyId, sealed: altered }).ok, false, `bit ${bit}`);
  }
  for (let length = 0; length < sealed.length; length += 1)
    assert.equal(unseal(PLACE, { keyId, sealed: sealed.subarray(0, length) }).ok, false, `length ${length}`);
  assert.equal(unseal(PLACE, { keyId, sealed: Buffer.concat([sealed, Buffer.alloc(1)]) }).ok, false);
});

test('an unknown key and another key of the same name are refused with different reasons', () => {
  const sealed = createSealing([key('a')]).seal(PLACE, 'text');
  assert.deepEqual(createSealing([key('b')]).unseal(PLACE, sealed), { ok: false, reason: 'KEY_UNKNOWN' });
  assert.deepEqual(createSealing([]).unseal(PLACE, sealed), { ok: false, reason: 'KEY_UNKNOWN' });
  assert.deepEqual(createSealing([key('a')]).unseal(PLACE, sealed), { ok: false, reason: 'SEAL_BROKEN' });
});

test('the first key seals, and every key opens what it sealed', () => {
  const [old, next] = [key('old'), key('new')];
  const sealed = createSealing([old]).seal(PLACE, 'text');
  const rotated = createSealing([next, old]);
  assert.equal(rotated.currentKeyId(), 'new');
  assert.equal(rotated.seal(PLACE, 'text').keyId, 'new');
  assert.deepEqual(rotated.unseal(PLACE, sealed), { ok: true, text: 'text' });
});

test('keys of a wrong length or with the same name are refused with an error', () => {
  assert.throws(() => createSealing([]).seal(PLACE, 'text'), /needs a key/);
  assert.throws(() => createSealing([{ id: 'short', key: randomBytes(31) }]), /short must have 32 bytes/);
  assert.throws(() => createSealing([key('a'), key('a')]), /Two sealing keys are called a/);
});
