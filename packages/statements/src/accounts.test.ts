import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accountForm, isAccount } from './accounts.ts';

/** Accounts as a payee gives them, as banks write them, and whether they are the same; undefined where nothing is said. */
const PAIRS = [
  ['DE89 3704 0044 0532 0130 00', 'DE89370400440532013000', true],
  ['DE89370400440532013000', '0532013000', true],
  ['DE89370400440532013000', 'XXXX XXXX 3000', true],
  ['DE89370400440532013000', 'DE89 XXXX XXXX 3000', true],
  ['DE89370400440532013000', '****3000', true],
  ['DE89370400440532013000', '*3000', true],
  ['12345678', '062-000 12345678', true],
  ['12345678', '0012345678', true],
  ['GB29 NWBK 6016 1331 9268 19', '60-16-13 31926819', true],
  ['DE89370400440532013000', 'DE02120300000000202051', false],
  ['12345678', '12345679', false],
  ['12345678', '****5670', false],
  ['12345', '62000 54321', false],
  ['DE89370400440532013000', '3001', false],
  ['12345678', '78', undefined],
  ['12345678', '***', undefined],
  ['12345678', '', undefined],
] as const;

for (const [given, written, isSame] of PAIRS)
  test(`whether ${given} is ${written}: ${isSame}`, () => {
    assert.equal(isAccount(accountForm(written), accountForm(given)), isSame);
    assert.equal(isAccount(undefined, accountForm(given)), undefined);
    assert.equal(isAccount(accountForm(written), undefined), undefined);
  });

/** What banks show of the account 12345678 of the bank 062000, and whether it is that. */
for (const [shown, isSame] of [
  ['062-000 12345678', true],
  ['062001 12345678', false],
  ['12345678', true],
  ['0000012345678', true],
  ['00000012345678', true],
  ['…45678', true],
  ['GB29NWBK06200012345678', true],
  ['GB29NWBK06200112345678', false],
] as const)
  test(`whether ${shown} is 12345678 of the bank 062000: ${isSame}`, () => {
    assert.equal(isAccount(accountForm(shown), '12345678', '062000'), isSame);
  });

test('no part of a number but its end, which answers show, can be found out by trying', () => {
  const answers = Array.from({ length: 10 }, (_, digit) => isAccount(`${digit}5678`, '12345678'));
  assert.deepEqual(new Set(answers), new Set([true]));
});

test('an account of any length has a short form', () => {
  assert.equal(accountForm(`${'1'.repeat(10_000)}-12345678`).length, 34);
});
