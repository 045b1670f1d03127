import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seed } from '@fairway/testing/properties';
import fc from 'fast-check';
import { canonicalRecipient, maskRecipient, type Recipient } from './index.ts';

const options = { seed, numRuns: 500 };

const digits = (min: number, max: number) =>
  fc.array(fc.integer({ min: 0, max: 9 }), { minLength: min, maxLength: max }).map((list) => list.join(''));
const word = fc.string({
  unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyzéßжλ王김'),
  minLength: 1,
  maxLength: 12,
});
const local = fc.string({ unit: fc.constantFrom(...'abcdefgh0123.+_'), minLength: 1, maxLength: 12 });

test('a mask never holds a whole account number, local part or surname', () => {
  const parts = fc.record({ first: word, surname: word, number: digits(1, 20), local });
  fc.assert(
    fc.property(parts, ({ first, surname, number, local: part }) => {
      const name = `${first} ${surname}`;
      const email = `${part}@x.example`;
      const account = { bsb: '123456', accountNumber: number };
      const recipients: Recipient[] = [
        { type: 'bank', name, country: 'AU', account },
        { type: 'email', name, email },
        { type: 'emoney', name, provider: '-', idType: 'PHONE', idValue: number, currency: '-' },
      ];
      for (const recipient of recipients) {
        const masked = maskRecipient(recipient, '-');
        assert.ok(!masked.name?.includes(surname));
        if (masked.type === 'bank') assert.ok(!masked.account.accountNumberLast4.includes(number));
        if (masked.type === 'emoney') assert.ok(!masked.idValueLast4.includes(number));
        if (masked.type === 'email') assert.ok(!masked.email.includes(`${part}@`));
      }
    }),
    options,
  );
});

/** The same text in another spelling: with spaces, hyphens and other letter case. */
function respelt(text: string, choices: readonly number[]): string {
  return Array.from(text, (character, index) => {
    const choice = choices[index % choices.length] ?? 0;
    return `${choice & 1 ? character.toLowerCase() : character}${['', ' ', '-', ''][choice >> 1] ?? ''}`;
  }).join('');
}

test('canonical texts are equal for the same account details in other spellings alone', () => {
  const accounts = fc.tuple(digits(1, 9), digits(1, 9));
  const choices = fc.array(fc.integer({ min: 0, max: 7 }), { minLength: 1, maxLength: 9 });
  fc.assert(
    fc.property(accounts, accounts, choices, ([bsb, number], [otherBsb, otherNumber], spelling) => {
      const bank = (code: string, accountNumber: string) =>
        canonicalRecipient({
          type: 'bank',
          name: 'Jane Doe',
          country: 'IN',
          account: { ifsc: code, accountNumber },
        });
      const text = bank(`XMPL${bsb}`, number);
      assert.equal(bank(respelt(`XMPL${bsb}`, spelling), respelt(number, spelling)), text);
      const same = bsb === otherBsb && number === otherNumber;
      assert.equal(bank(`XMPL${otherBsb}`, otherNumber) === text, same);
    }),
    options,
  );
});
