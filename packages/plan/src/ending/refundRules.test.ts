// What a plan may be about to send back, and to whom: nothing else may be taken for it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  closed,
  evidence,
  executed,
  payoutFailed,
  payoutReturned,
  paidByReference,
  recorded,
  recordedTransfer,
  refunded,
} from '../../test/planCommands.ts';
import { corridor } from '../../test/plans.ts';
import { changedBy, planAfter } from '../../test/scenarios.ts';
import type { PlanCommand } from '../plan/commands.ts';
import { assetsOf } from '../terms/money.ts';
import { pendingRefundOf } from './refundRules.ts';
import type { Plan } from '../plan/types.ts';

const { source, target } = assetsOf({ corridor });
const deposit = recordedTransfer('a', 1_000n);
const late = recordedTransfer('b', 300n);
const payer = deposit.from;

const DEPOSITED: readonly PlanCommand[] = [recorded([deposit])];
const SWAPPED = [...DEPOSITED, executed(evidence('c', 'FINAL'))];
const pending = (plan: Plan, account: string = payer) => [
  pendingRefundOf(plan, account, source),
  pendingRefundOf(plan, account, target),
];

test('what is neither swapped nor paid out may go back at any time, and nothing of what was', () => {
  assert.deepEqual(pending(planAfter(DEPOSITED)), [1_000n, 0n]);
  assert.deepEqual(pending(planAfter(SWAPPED)), [0n, 1_500n]);
  const paid = planAfter([...SWAPPED, paidByReference('PO-1')]);
  assert.deepEqual(pending(paid), [0n, 0n]);
});

test('what nobody asked for may go back to who has paid, until it is refunded', () => {
  const over = planAfter([...SWAPPED, recorded([late])]);
  assert.deepEqual(pending(over), [300n, 1_500n]);
  assert.deepEqual(pending(over, payer.toUpperCase().replace('0X', '0x')), [300n, 1_500n]);
  assert.deepEqual(pending(over, `0x${'77'.repeat(20)}`), [0n, 0n], 'an account that has paid nothing');
  assert.deepEqual(pending(changedBy(over, refunded('RF-1', 300n))), [0n, 1_500n]);
});

test('what cannot be paid out may go back: after a failure, and after it came back', () => {
  assert.deepEqual(pending(planAfter([...SWAPPED, payoutFailed()])), [0n, 1_500n]);
  const returned = planAfter([...SWAPPED, paidByReference('PO-1'), payoutReturned('PO-1')]);
  assert.deepEqual(pending(returned), [0n, 1_500n]);
});

test('what was acknowledged goes nowhere, unless the plan was closed as refunded', () => {
  const stuck = planAfter([...SWAPPED, payoutFailed()]);
  const closedAs = (reason: 'REFUNDED' | 'ABANDONED') => changedBy(stuck, closed({ reason }));
  assert.deepEqual(pending(closedAs('ABANDONED')), [0n, 0n]);
  assert.deepEqual(pending(closedAs('REFUNDED')), [0n, 1_500n]);
  const { target: asset } = assetsOf({ corridor });
  const back = changedBy(closedAs('REFUNDED'), refunded('RF-2', 600n, asset));
  assert.deepEqual(pending(back), [0n, 900n], 'less what was sent back');
});
