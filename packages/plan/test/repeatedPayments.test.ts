// A custodian pays a wallet twice: the second payment is on the books, and changes no step.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fundsOf, nextOf, type Plan, PLAIN_WORDS, planStatus } from '../src/index.ts';
import { after, due, rowsOf } from './paidPlans.ts';
import {
  atLog,
  closed,
  evidence,
  gone,
  paidByReference,
  paidByTransaction,
  paidInPart,
  paidOnceMore,
  paidWithAmounts,
  payoutReturned,
} from './planCommands.ts';
import { STEP_IDS } from './plans.ts';
import { assertKnown, refusalOf } from './scenarios.ts';

const [, , lastId] = STEP_IDS;
const paid = due([paidByTransaction(evidence('p', 'FINAL', 1_500n))]);
const AGAIN = paidOnceMore(evidence('w', 'FINAL', 1_500n));

const above = (plan: Plan) =>
  (fundsOf(plan).at(-1)?.unallocated ?? []).map(
    ({ reason, amount, direction }) => `${reason} ${amount} ${direction}`,
  );

test('a second payment to a wallet is paid above what is due, and a person is asked', () => {
  const twice = after(paid, AGAIN);
  assert.deepEqual(above(twice), ['PAID_ABOVE_DUE 1500 OUT']);
  assert.deepEqual(twice.steps, paid.steps);
  assert.equal(fundsOf(twice).at(-1)?.paidOut, '3000');
  const action = nextOf(twice, { nowMs: twice.updatedAtMs }, PLAIN_WORDS);
  assert.equal(action?.why, 'MONEY_UNEXPLAINED');
  assert.match(
    action.detail,
    /was paid above what was due \(0x77\w+\): have it sent back and report it as RETURNED/,
  );
  assertKnown(twice, AGAIN);
});

test('what is sent back of a second payment settles it, and makes nothing due', () => {
  const back = after(after(paid, AGAIN), payoutReturned('R1', 1_500n));
  assert.deepEqual(above(back), []);
  assert.equal(fundsOf(back).at(-1)?.outstanding, '0');
  assert.equal(planStatus(back), 'RETURNED');
  assert.equal(planStatus(after(back, closed())), 'ENDED');
});

test('a second payment that the chain loses is off the books, and the first one stays', () => {
  const twice = after(paid, AGAIN);
  const lost = after(twice, gone(twice, lastId, 'w'));
  assert.deepEqual([above(lost), lost.steps], [[], paid.steps]);
});

test('a second payment is refused before it is final, while the first is not, and of an account', () => {
  const early = paidOnceMore(evidence('w', 'CONFIRMING', 1_500n));
  assert.match(JSON.stringify(refusalOf(paid, early)), /when it has the confirmations/);
  const confirming = due([paidByTransaction(evidence('p', 'CONFIRMING', 1_500n))]);
  for (const plan of [confirming, due(), due([paidByReference('P1')])])
    assert.equal(refusalOf(plan, AGAIN).reason, 'STEP_NOT_READY');
});

test('when the first payment is lost, the second is off the books until it is told again', () => {
  const twice = after(paid, AGAIN);
  const lost = after(twice, gone(twice, lastId, 'p'));
  assert.equal(fundsOf(lost).at(-1)?.outstanding, '1500');
  const other = after(lost, paidByTransaction(evidence('w', 'FINAL', 1_500n)));
  assert.deepEqual([planStatus(other), above(other)], ['COMPLETED', []]);
  const both = after(other, paidOnceMore(evidence('p', 'FINAL', 1_500n, 'z')));
  assert.deepEqual(above(both), ['PAID_ABOVE_DUE 1500 OUT']);
});

test('a transaction that is told in another block has none of its transfers in the first one', () => {
  const twice = [
    paidWithAmounts('R1', 1_400n),
    paidInPart(evidence('q', 'FINAL', 700n)),
    paidOnceMore(atLog(evidence('q', 'FINAL', 90n), 1)),
  ];
  const plan = after(due(twice), paidInPart(atLog(evidence('q', 'FINAL', 90n, 'y'), 1)));
  assert.deepEqual(rowsOf(plan), ['PAYOUT 1400 R1', 'PAYOUT 90']);
});
