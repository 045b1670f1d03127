// The calls that next offers: each can be had. Walks ask the same of every plan that they come by.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NEXT, nextOf, type Plan } from '../src/index.ts';
import { assertOptions } from './optionInvariants.ts';
import {
  closed,
  evidence,
  executed,
  LINK_EXPIRED,
  observed,
  paidByReference,
  payoutReturned,
  recorded,
  recordedTransfer,
  refunded,
  reported,
  sent,
} from './planCommands.ts';
import { changedBy, planAfter, summary } from './scenarios.ts';

/** The options of a plan, each of which it takes. */
function optionsOf(plan: Plan): readonly string[] {
  const action = nextOf(plan, { nowMs: plan.updatedAtMs });
  assertOptions(plan, action);
  return action === undefined ? [] : (action.options ?? NEXT[action.why].options ?? []);
}

const PAID = [reported(1_000n), executed(evidence('s', 'FINAL')), paidByReference('R1')] as const;

test('a plan that is COMPLETED and ended ends once more, when a second swap is told', () => {
  const ended = planAfter([...PAID, closed()]);
  const told = changedBy(ended, sent('t', 0, {}));
  assert.deepEqual(optionsOf(told), ['reports', 'end']);
  const again = changedBy(told, closed({ force: true }));
  assert.equal(summary(again), 'COMPLETED: DONE DONE DONE; nothing');
});

test('instructions are offered once more only while the swap is due', () => {
  const waits = planAfter([observed(1_000n), sent('t', 0, {})]);
  assert.deepEqual(optionsOf(waits), ['reports', 'again', 'end']);
  const refundedSince = changedBy(waits, refunded('B1', 1_000n));
  assert.deepEqual(optionsOf(refundedSince), ['reports', 'end']);
  const { detail = '' } = nextOf(refundedSince, { nowMs: refundedSince.updatedAtMs }) ?? {};
  assert.doesNotMatch(detail, /again/);
});

test('money that came back is paid again only once its swap is final', () => {
  const swapped = planAfter([...PAID, payoutReturned('R2', 1_400n)]);
  assert.deepEqual(optionsOf(swapped), ['again', 'refunds', 'end']);
  const { txHash } = evidence('s', 'FINAL');
  const { stepId } = swapped.steps[1] ?? assert.fail();
  const lost = changedBy(swapped, { type: 'EVIDENCE_LOST', stepId, txHash, cause: 'REORGANISED' });
  const found = changedBy(lost, executed(evidence('s', 'CONFIRMING', 1_500n, 'y')));
  assert.equal(summary(found), 'RETURNED: DONE DONE DONE; CHAIN TRANSACTION_CONFIRMING');
  assert.deepEqual(optionsOf(found), []);
});

test('a plan that expired and was ended is not opened again', () => {
  const late = changedBy(planAfter([LINK_EXPIRED]), recorded([recordedTransfer('e', 400n)]));
  assert.deepEqual(optionsOf(late), ['again', 'refunds', 'end']);
  const more = changedBy(changedBy(late, closed()), recorded([recordedTransfer('f', 400n)], 9));
  assert.deepEqual(optionsOf(more), ['refunds', 'end']);
});

test('nothing is to be refunded where nothing is there', () => {
  const spent = planAfter([executed(evidence('s', 'FINAL')), paidByReference('R1')]);
  assert.deepEqual(optionsOf(spent), ['reports', 'end']);
});
