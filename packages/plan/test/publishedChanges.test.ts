// What others are told of each change of a plan, in which order.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { publishedChangesOf, type Plan, type PlanCommand } from '../src/index.ts';
import {
  closed,
  delivery,
  derived,
  evidence,
  executed,
  LINK_ENDS_AT_MS,
  LINK_EXPIRED,
  linkMade,
  linkMailed,
  linkOpened,
  linkRequested,
  lost,
  observed,
  paidByReference,
  payoutFailed,
  payoutHeld,
  payoutReturned,
  recorded,
  recordedTransfer,
  retried,
  submitted,
} from './planCommands.ts';
import { newPlan, STEP_IDS } from './plans.ts';
import { changedBy } from './scenarios.ts';

const [, swapId, lastId] = STEP_IDS;
const DEPOSITED = [observed(1_000n), derived()];
const SWAPPED = [...DEPOSITED, executed(evidence('s', 'FINAL'), 1)];
const MAILED = [...SWAPPED, linkMade('FIRST', 1), linkMailed(1)];
const CHOSEN = [...MAILED, submitted(1)];

/** The plan after a command that adds its movements, as the store has them added. */
function after(plan: Plan, command: PlanCommand): Plan {
  return changedBy(plan, command, command.type === 'TIME_PASSED' ? undefined : plan.updatedAtMs + 61_000);
}

/** What is told of the last of these commands, without the `updated` that each change has. */
function told(mode: Plan['mode'], commands: readonly PlanCommand[]): string {
  const before = commands.slice(0, -1).reduce((plan, command) => after(plan, command), newPlan({ mode }));
  const last = commands.at(-1) ?? assert.fail();
  const [first, ...rest] = publishedChangesOf(before, after(before, last));
  assert.equal(first?.type, 'payment_plan.updated');
  return rest
    .map((each) => {
      const of = 'stepId' in each ? ` ${each.stepId}` : 'round' in each ? ` ${each.round}` : '';
      return `${each.type.replace('payment_plan.', '').replace('collect_request', 'collect')}${of}`;
    })
    .join(', ');
}

test('a new plan is created, and a plan that did not change is told of with nothing', () => {
  const plan = newPlan();
  assert.deepEqual(publishedChangesOf(undefined, plan), [
    { subject: 'payment_plan', type: 'payment_plan.created' },
  ]);
  assert.deepEqual(publishedChangesOf(plan, plan), []);
});

const STANDARD: readonly (readonly [commands: readonly PlanCommand[], told: string])[] = [
  [[observed(400n)], 'step.ready step_1'],
  [[observed(1_000n)], 'step.done step_1'],
  [DEPOSITED, 'step.ready step_2'],
  [SWAPPED, 'step.done step_2, step.ready step_3'],
  [[...SWAPPED, paidByReference('P1')], 'step.done step_3, completed'],
  [[...SWAPPED, payoutFailed('P1')], 'step.failed step_3, failed'],
  [[...SWAPPED, payoutFailed('P1'), retried(lastId)], 'step.ready step_3'],
  [[...SWAPPED, payoutHeld()], 'step.held step_3'],
  [[...SWAPPED, payoutHeld(), payoutHeld('P1')], 'step.held step_3'],
  [[...SWAPPED, payoutHeld(), payoutFailed('P1')], 'step.failed step_3, failed'],
  [[...SWAPPED, paidByReference('P1'), payoutReturned('B1')], 'returned'],
  [[...SWAPPED, recorded([recordedTransfer('e', 12n)])], 'unallocated'],
  [[{ type: 'PLAN_ENDED', force: false }], 'cancelled'],
  [[{ type: 'TIME_PASSED' }], 'step.failed step_1, expired'],
  [[{ type: 'RECIPIENT_REVEALED' }], ''],
];

for (const [commands, expected] of STANDARD)
  test(
    `after ${commands.map(({ type }) => type).join(', ')}: ${expected === '' ? 'no more' : expected}`.slice(
      0,
      90,
    ),
    () => {
      assert.equal(told('STANDARD', commands), expected);
    },
  );

/** Another link after `LINK_EXPIRED`. */
const REISSUED = linkMade('REISSUED', 2, LINK_ENDS_AT_MS + 86_400_000);
const COLLECT: readonly (readonly [commands: readonly PlanCommand[], told: string])[] = [
  [[...SWAPPED, linkMade('FIRST', 1)], 'collect.created 1'],
  [MAILED, 'collect.sent 1'],
  [[...SWAPPED, linkMade('FIRST', 1), linkMailed(1, 'BOUNCED')], 'collect.bounced 1'],
  [[...MAILED, linkOpened(1)], 'collect.opened 1'],
  [[...MAILED, linkMade('RESENT', 2)], 'collect.updated 1'],
  [[...MAILED, LINK_EXPIRED, linkRequested(1)], 'collect.link_requested 1'],
  [[...MAILED, linkMade('RESENT', 2), linkRequested(1)], 'collect.link_requested 1'],
  [CHOSEN, 'step.done step_3, collect.submitted 1'],
  [[...CHOSEN, delivery('SENT', 'R1')], 'collect.updated 1'],
  [[...CHOSEN, delivery('DELIVERED', 'R1')], 'collect.delivered 1, completed'],
  [[...CHOSEN, payoutHeld()], 'step.held step_3, collect.updated 1'],
  [[...CHOSEN, delivery('FAILED', 'R1')], 'collect.failed 1'],
  [[...CHOSEN, delivery('FAILED', 'R1'), linkMade('REOPENED', 2)], 'collect.created 2'],
  [[...CHOSEN, delivery('DELIVERED', 'R1'), delivery('RETURNED', 'B1')], 'collect.updated 1, returned'],
  [[...MAILED, LINK_EXPIRED], 'step.failed step_3, collect.expired 1, failed'],
  [[...MAILED, LINK_EXPIRED, REISSUED], 'step.ready step_3, collect.reissued 1'],
];

for (const [commands, expected] of COLLECT)
  test(`of a recipient who is asked, the last command tells ${expected}`.slice(0, 90), () => {
    assert.equal(told('DIGITAL_COLLECT', commands), expected);
  });

test('a plan that is completed and then closed is told as closed, and as what it was', () => {
  const paid = [...SWAPPED, paidByReference('P1')].reduce((plan, command) => after(plan, command), newPlan());
  const over = after(paid, recorded([recordedTransfer('e', 12n)]));
  const types = publishedChangesOf(over, after(over, closed())).map(({ type }) => type);
  assert.deepEqual(types, ['payment_plan.updated', 'payment_plan.closed']);
});

test('a round whose swap is taken back is cancelled, unless the recipient has chosen before', () => {
  const taken: PlanCommand = lost(swapId, 's');
  assert.match(told('DIGITAL_COLLECT', [...MAILED, taken]), /collect\.cancelled 1/);
  assert.doesNotMatch(told('DIGITAL_COLLECT', [...CHOSEN, taken]), /collect\.cancelled/);
});
