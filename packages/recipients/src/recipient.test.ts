import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AuAccount } from './accounts/au.ts';
import {
  canonicalRecipient,
  type MaskedRecipient,
  maskRecipient,
  type Recipient,
  recipientFaults,
} from './index.ts';

const JANE = {
  type: 'bank',
  name: 'Jane van Doe',
  country: 'AU',
  account: { bsb: '123456', accountNumber: '12345678' },
} as const;
const withAccount = (account: AuAccount): Recipient => ({ ...JANE, account });
const withIban = (iban: string): Recipient => ({ ...JANE, country: 'DE', account: { iban } });
const named = (name: string): string | undefined => maskRecipient({ ...JANE, name }, 'f').name;
const last4 = (recipient: Recipient): string => {
  const masked: MaskedRecipient = maskRecipient(recipient, 'f');
  return masked.type === 'bank' ? masked.account.accountNumberLast4 : assert.fail();
};

test('a masked bank recipient shows initials, country and the end of the account number', () => {
  assert.deepEqual(maskRecipient(JANE, 'f'), {
    type: 'bank',
    name: 'J. V. D.',
    country: 'AU',
    account: { accountNumberLast4: '5678' },
    fingerprint: 'f',
  });
  const german = { iban: 'DE36000000000000001234', bic: 'XMPLDE22' };
  assert.equal(last4({ ...JANE, country: 'DE', account: german }), '1234');
  assert.equal(last4({ ...JANE, country: 'MX', account: { clabe: '000000000000000013' } }), '0013');
});

test('a masked account number shows two digits when it is short, and never more than half', () => {
  const shown = (accountNumber: string) => last4(withAccount({ bsb: '123456', accountNumber }));
  assert.equal(shown('1234567'), '67');
  assert.equal(shown('12345'), '45');
  assert.equal(shown('123'), '3');
  assert.equal(shown('1'), '');
});

test('a masked name has a star where an initial would be the whole name', () => {
  assert.equal(named('王 小明'), '* *');
  assert.equal(named('김민수'), '*');
  assert.equal(named('Aung O'), 'A. *');
  assert.equal(named('élodie ßen'), 'É. S.');
  assert.equal(named('𝐉ane 😀x'), '* *');
  assert.equal(named('3M Company'), '* C.');
});

test('masked wallets, eMoney wallets and e-mail recipients can be recognised', () => {
  const address = '0x1111111111111111111111111111111111111111';
  assert.deepEqual(maskRecipient({ type: 'wallet', chainId: 1, address, name: 'Jane Doe' }, 'f'), {
    type: 'wallet',
    chainId: 1,
    address,
    name: 'J. D.',
    fingerprint: 'f',
  });
  const emoney = {
    type: 'emoney',
    name: 'Jane Doe',
    provider: 'Example Pay',
    idType: 'PHONE',
    idValue: '+12025550143',
    currency: 'PHP',
  } as const;
  assert.deepEqual(maskRecipient(emoney, 'f'), {
    type: 'emoney',
    name: 'J. D.',
    provider: 'Example Pay',
    idType: 'PHONE',
    idValueLast4: '0143',
    currency: 'PHP',
    fingerprint: 'f',
  });
  assert.deepEqual(maskRecipient({ type: 'email', email: 'jane@example.com', locale: 'en' }, 'f'), {
    type: 'email',
    email: 'j***@example.com',
    locale: 'en',
    fingerprint: 'f',
  });
  const short = maskRecipient({ type: 'email', email: 'jd@example.com' }, 'f');
  assert.equal(short.type === 'email' && short.email, '***@example.com');
});

test('the same details have one canonical text, in any spelling and order', () => {
  const canonical = canonicalRecipient(JANE);
  for (const account of [
    { bsb: '123-456', accountNumber: '1234 5678' },
    { accountNumber: '12345678', bsb: '123 456' },
  ]) {
    assert.equal(canonicalRecipient(withAccount(account)), canonical);
  }
  assert.equal(canonicalRecipient({ ...JANE, name: ' JANE  Van doe ' }), canonical);
  assert.equal(
    canonicalRecipient(withIban('de36 0000 0000 0000 0000 00')),
    canonicalRecipient(withIban('DE36000000000000000000')),
  );
  const email = (address: string) => canonicalRecipient({ type: 'email', email: address });
  assert.equal(email('Jane@EXAMPLE.com'), email('Jane@example.com'));
  const phone = (idType: 'PHONE' | 'ACCOUNT_ID', idValue: string) =>
    canonicalRecipient({ type: 'emoney', name: 'J', provider: 'P', idType, idValue, currency: 'PHP' });
  assert.equal(phone('PHONE', '+1 202-555-0143'), phone('PHONE', '+12025550143'));
  assert.notEqual(phone('ACCOUNT_ID', 'a-b'), phone('ACCOUNT_ID', 'ab'));
});

test('different details have different canonical texts', () => {
  const account = { bic: 'XMPLNZ22', accountNumber: '12345678' };
  const recipients: Recipient[] = [
    JANE,
    { ...JANE, name: 'Jane vanDoe' },
    { ...JANE, country: 'NZ', account },
    { ...JANE, country: 'SG', account },
    withAccount({ bsb: '123457', accountNumber: '12345678' }),
    withAccount({ bsb: '123456', accountNumber: '012345678' }),
    withAccount({ bsb: '12345', accountNumber: '612345678' }),
    withIban('DE36000000000012345678'),
    { type: 'email', email: 'Jane@example.com' },
    { type: 'email', email: 'jane@example.com' },
    { type: 'email', email: 'jane@example.com', name: 'en' },
    { type: 'email', email: 'jane@example.com', locale: 'en' },
  ];
  assert.equal(new Set(recipients.map(canonicalRecipient)).size, recipients.length);
});

test('the banks of the Crown dependencies have British IBANs', () => {
  const faults = (bic: string) => {
    const account = { iban: 'GB29NWBK60161331926819', bic };
    return recipientFaults({ type: 'bank', name: 'Jane Doe', country: 'GB', account }).map(
      ({ path }) => path,
    );
  };
  for (const country of ['GB', 'GG', 'IM', 'JE']) assert.deepEqual(faults(`NWBK${country}2L`), [], country);
  for (const country of ['IE', 'GI'])
    assert.deepEqual(faults(`NWBK${country}2L`), [['account', 'bic']], country);
});
