// What a custodian may pay now: never an amount that must not be paid yet, any more, or perhaps a second time.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { payableNow, type Plan } from '../src/index.ts';
import { after, due } from './paidPlans.ts';
import {
  derived,
  evidence,
  executed,
  linkMade,
  lost,
  observed,
  paidByReference,
  paidByTransaction,
  paidInPart,
  payoutFailed,
  payoutHeld,
  payoutReturned,
  payoutSent,
  retried,
  submitted,
} from './planCommands.ts';
import { STEP_IDS } from './plans.ts';
import { changedBy, planAfter, summary } from './scenarios.ts';

const [, swapId, lastId] = STEP_IDS;

const PLANS: Readonly<Record<string, readonly [Plan, string]>> = {
  'a plan that received nothing': [planAfter([]), '0'],
  'a plan with its deposit': [planAfter([observed(1_000n), derived()]), '0'],
  'a swap that is being confirmed': [
    planAfter([observed(1_000n), derived(), executed(evidence('s', 'CONFIRMING'), 1)]),
    '0',
  ],
  'a final swap': [due(), '1500'],
  'a swap that a reorganisation took back': [due([lost(swapId, 's')]), '0'],
  'an account that is closed': [due([payoutFailed('P1', 'ACCOUNT_CLOSED')]), '0'],
  'an account that is tried again': [due([payoutFailed('P1'), retried(lastId)]), '1500'],
  'a payment that the custodian holds': [due([payoutHeld('P1')]), '1500'],
  'a transaction that waits to be mined': [due([payoutSent('p')]), '0'],
  'a transaction that waits, and the word that it failed': [
    due([payoutSent('p'), payoutFailed('P1'), retried(lastId)]),
    '1500',
  ],
  'a part that is final': [due([paidInPart(evidence('p', 'FINAL', 1_400n))]), '100'],
  'a payment that is made': [due([paidByReference('P1')]), '0'],
  'a payment that came back': [due([paidByReference('P1'), payoutReturned('P2')]), '0'],
  'a payment whose transaction is lost': [
    due([paidByTransaction(evidence('p', 'CONFIRMING')), lost(lastId, 'p')]),
    '0',
  ],
};

for (const [what, [plan, units]] of Object.entries(PLANS))
  test(`the custodian is to pay ${units} after ${what}`, () => {
    assert.equal(payableNow(plan), units);
  });

test('nothing is paid to what a recipient has chosen while the swap is lost or confirmed anew', () => {
  const chosen = [observed(1_000n), derived(), executed(evidence('s', 'FINAL'), 1), linkMade('FIRST', 1)];
  const plan = planAfter([...chosen, submitted(1)], 'DIGITAL_COLLECT');
  assert.deepEqual(
    [payableNow(plan), summary(plan)],
    ['1500', 'ACTION_REQUIRED: DONE DONE DONE; CUSTODIAN PAYOUT_DUE'],
  );
  const gone = changedBy(plan, lost(swapId, 's'));
  assert.equal(payableNow(gone), '0');
  assert.match(summary(gone), /TRANSACTION_LOST$/);
  const anew = changedBy(gone, executed(evidence('s', 'CONFIRMING', 1_500n, 'y'), 1));
  assert.equal(payableNow(anew), '0');
  assert.match(summary(anew), /TRANSACTION_CONFIRMING$/);
  const final = changedBy(anew, executed(evidence('s', 'FINAL', 1_500n, 'y'), 1));
  assert.deepEqual([payableNow(final), summary(final)], ['1500', summary(plan)]);
});

test('a rest is to be paid while nothing of the payment is lost', () => {
  const rest = due([paidInPart(evidence('p', 'FINAL', 1_400n))]);
  const paid = after(rest, paidByTransaction(evidence('q', 'CONFIRMING', 100n)));
  assert.equal(payableNow(paid), '0');
  assert.equal(payableNow(after(paid, lost(lastId, 'q'))), '0');
});
