// A reorganisation takes the swap back, and its transaction is reverted when it is mined again. The plan says so, and goes
// on or ends without force.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandsFromRecord, NEXT, nextOf, type Plan, swapTransactions, workOf } from '../src/index.ts';
import { underWay } from '../src/ending/closing.ts';
import {
  closed,
  derived,
  evidence,
  executed,
  hashOf,
  linkMade,
  lost,
  observed,
  paidByReference,
  payoutReturned,
  refunded,
  submitted,
  swapFailed,
  withheld,
} from './planCommands.ts';
import { STEP_IDS } from './plans.ts';
import { assertKnown, changedBy, planAfter, refusalOf, summary } from './scenarios.ts';

const [, swapId] = STEP_IDS;
const done = [observed(1_000n), derived(), executed(evidence('s', 'FINAL'), 1)];
const LOST = 'ACTION_REQUIRED: DONE READY PENDING; INTEGRATOR TRANSACTION_LOST';

/** The plan after the record has found that the transaction was reverted. */
function reverted(plan: Plan): Plan {
  const found = { readNumber: 9, deposits: [], executions: [], gone: [], reverted: [hashOf('s')] };
  const commands = commandsFromRecord(plan, found, plan.updatedAtMs);
  assert.deepEqual(
    commands.map(({ type }) => type),
    ['SWAP_FAILED'],
  );
  return commands.reduce((now, command) => changedBy(now, command), plan);
}

function detailOf(plan: Plan): string {
  return nextOf(plan, { nowMs: plan.updatedAtMs })?.detail ?? '';
}

test('before the payout the swap has failed, and can be tried again', () => {
  const plan = planAfter([...done, lost(swapId, 's')]);
  assert.equal(summary(plan), LOST);
  const failed = reverted(plan);
  assert.equal(summary(failed), 'ACTION_REQUIRED: DONE FAILED PENDING; INTEGRATOR STEP_FAILED');
  assert.match(detailOf(failed), /was reverted/);
  assert.deepEqual([swapTransactions(failed), underWay(failed)], [[], undefined]);
  assertKnown(failed, swapFailed('s'));
  const ended = changedBy(plan, closed({ force: true }));
  assert.equal(refusalOf(ended, swapFailed('s')).reason, 'STEP_NOT_READY');
});

test('newer instructions, and withheld ones, go on without the reverted transaction', () => {
  const fresh = reverted(planAfter([...done, lost(swapId, 's'), derived('cc')]));
  assert.equal(summary(fresh), 'ACTION_REQUIRED: DONE READY PENDING; INTEGRATOR SWAP_DUE');
  const low = reverted(planAfter([...done, lost(swapId, 's'), withheld('PRICE_BELOW_FLOOR')]));
  assert.equal(summary(low), 'IN_PROGRESS: DONE PENDING PENDING; SERVICE PRICE_BELOW_FLOOR');
  assert.deepEqual(workOf(low), { kind: 'DERIVE_INSTRUCTIONS' });
});

test('after the payout next says what is true, and the plan ends without force', () => {
  const plan = planAfter([...done, paidByReference('R1'), lost(swapId, 's')]);
  assert.match(String(underWay(plan)), /may still be mined/);
  const undone = reverted(plan);
  assert.equal(summary(undone), 'COMPLETED: DONE DONE DONE; INTEGRATOR MONEY_UNEXPLAINED');
  assert.match(detailOf(undone), /no use for 1000 .* Of 1500 .* that was spent no arrival is on record/);
  assert.deepEqual([swapTransactions(undone), underWay(undone)], [[], undefined]);
  const ended = changedBy(undone, closed());
  assert.deepEqual([ended.closed?.forced, nextOf(ended, { nowMs: 0 })], [false, undefined]);
  // Reported, it counts as much as when the record finds it.
  assert.equal(summary(changedBy(plan, swapFailed('s'))), summary(undone));
});

test('a payment that came back is not paid again with money that the swap did not bring', () => {
  const back = planAfter([...done, paidByReference('R1'), payoutReturned('B1'), lost(swapId, 's')]);
  const undone = reverted(back);
  assert.equal(underWay(undone), undefined);
  const next = nextOf(undone, { nowMs: 0 });
  assert.deepEqual(next && [NEXT[next.why].do, next.why], ['DECIDE', 'MONEY_UNEXPLAINED']);
  assert.equal(changedBy(undone, closed()).closed?.forced, false);
});

test('a recipient who has chosen is not paid: the deposit is refunded, and the plan ended', () => {
  const chosen = [...done, linkMade('FIRST', 1), submitted(1), lost(swapId, 's')];
  const undone = reverted(planAfter(chosen, 'DIGITAL_COLLECT'));
  assert.equal(summary(undone), 'ACTION_REQUIRED: DONE DONE DONE; INTEGRATOR MONEY_UNEXPLAINED');
  assert.match(detailOf(undone), /was mined again and reverted, so there is nothing to pay out/);
  const ended = changedBy(changedBy(undone, refunded('B1', 1_000n)), closed({ reason: 'REFUNDED' }));
  assert.deepEqual([ended.closed?.forced, nextOf(ended, { nowMs: 0 })], [false, undefined]);
});

test('a swap that succeeds after all counts, although it was reverted once', () => {
  const undone = reverted(planAfter([...done, paidByReference('R1'), lost(swapId, 's')]));
  const found = changedBy(undone, executed(evidence('s', 'FINAL', 1_500n, 'y'), 1));
  assert.equal(summary(found), 'COMPLETED: DONE DONE DONE; nothing');
});
