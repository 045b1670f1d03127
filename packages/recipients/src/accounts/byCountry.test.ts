import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canonicalRecipient, maskRecipient, normalRecipient, type Recipient } from '../index.ts';

test('an account with a member that its kind does not have is a bug, and never masked silently', () => {
  const unknown = (account: object) =>
    ({ type: 'bank', name: 'Jane', country: 'AU', account }) as unknown as Recipient;
  for (const account of [
    { bsb: '123456', accountNumber: '12345678', constructor: '1' },
    { pixKey: '12345678909' },
  ]) {
    const recipient = unknown(account);
    for (const use of [normalRecipient, canonicalRecipient, (each: Recipient) => maskRecipient(each, 'f')])
      assert.throws(() => use(recipient), /has a member that its kind does not have/);
  }
  assert.throws(() => maskRecipient(unknown({ bsb: '123456' }), 'f'), Error);
});
