import assert from 'node:assert/strict';
import { createHmac, hkdfSync } from 'node:crypto';
import { test } from 'node:test';
import { createEndToEndId, type PaymentName } from './endToEndIds.ts';

const SERVER_KEY = Buffer.alloc(32, 7);
const PAYMENT: PaymentName = {
  organisationId: 'org_1',
  environment: 'sandbox',
  clientReference: 'INV-1',
  attempt: 1,
  part: 1,
  account: 'Af1',
};

test('an end-to-end id is an HMAC of organisation, reference, attempt, part and account', () => {
  const key = Buffer.from(hkdfSync('sha256', SERVER_KEY, Buffer.alloc(0), 'fairway end-to-end ids v1', 32));
  const text = '["org_1","sandbox","INV-1",1,1,"Af1"]';
  const digits = createHmac('sha256', key).update(text).digest('hex').slice(0, 32).toUpperCase();
  assert.equal(createEndToEndId(SERVER_KEY)(PAYMENT), `FW${digits}`);
});

test('each payment and each key has another end-to-end id, and the same one every time', () => {
  const endToEndId = createEndToEndId(SERVER_KEY);
  const ids = [
    createEndToEndId(Buffer.alloc(32, 8))(PAYMENT),
    endToEndId(PAYMENT),
    endToEndId({ ...PAYMENT, organisationId: 'org_2' }),
    endToEndId({ ...PAYMENT, environment: 'production' }),
    endToEndId({ ...PAYMENT, clientReference: 'INV-1 ' }),
    endToEndId({ ...PAYMENT, clientReference: 'INV-1",1,1,"' }),
    endToEndId({ ...PAYMENT, attempt: 11 }),
    endToEndId({ ...PAYMENT, part: 11 }),
    endToEndId({ ...PAYMENT, account: 'af1' }),
    endToEndId({ ...PAYMENT, account: undefined }),
  ];
  assert.equal(new Set(ids).size, ids.length);
  assert.equal(createEndToEndId(SERVER_KEY)(PAYMENT), ids[1]);
  // 34 characters, in one case, of those that every bank takes.
  for (const id of ids) assert.match(id, /^FW[0-9A-F]{32}$/);
});
