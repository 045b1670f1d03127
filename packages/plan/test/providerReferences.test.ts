// References of providers: blanks and letter case make no other payment.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fundsOf, referenceKey } from '../src/index.ts';
import { due } from './paidPlans.ts';
import { paidByReference, paidWithAmounts, payoutReturned } from './planCommands.ts';
import { assertKnown, changedBy } from './scenarios.ts';

test('a payment that is told again with other blanks and letters is the same payment', () => {
  const paid = due([paidWithAmounts('PO-1', 600n)]);
  assertKnown(paid, paidWithAmounts(' po-1', 600n));
  const whole = changedBy(paid, paidWithAmounts('PO-2', 999n));
  assertKnown(whole, paidByReference('po - 2'));
  const back = changedBy(whole, payoutReturned('Back-1', 600n));
  assertKnown(back, payoutReturned('BACK-1 ', 600n));
  assert.deepEqual(
    fundsOf(back).map(({ paidOut, returned }) => [paidOut, returned]),
    [
      ['0', '0'],
      ['1599', '600'],
    ],
  );
  assert.notEqual(referenceKey('1-23'), referenceKey('12-3'));
});
