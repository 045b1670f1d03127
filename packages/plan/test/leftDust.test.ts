// Anybody can send dust to the address of a plan that is over, again and again.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  acknowledgementOf,
  amountOf,
  type Corridor,
  createPlan,
  fundsOf,
  nextOf,
  type Plan,
  type PlanCommand,
} from '../src/index.ts';
import { assertPlan } from './invariants.ts';
import {
  evidence,
  executed,
  observed,
  paidByReference,
  recorded,
  recordedTransfer,
  refunded,
} from './planCommands.ts';
import { corridor, planMaking, planRequest } from './plans.ts';
import { changedBy, summary } from './scenarios.ts';

const DUSTY: Corridor = { ...corridor, dustBelow: amountOf(10n) };
const PAID = [observed(1_000n), executed(evidence('s', 'FINAL')), paidByReference('R1')];

function deposit(letter: string, units: bigint): PlanCommand {
  return recorded([recordedTransfer(letter, units)]);
}

function after(plan: Plan, commands: readonly PlanCommand[]): Plan {
  return commands.reduce((now, command) => {
    const next = changedBy(now, command);
    assertPlan(next);
    return next;
  }, plan);
}

function dustyPlan(): Plan {
  const created = createPlan(DUSTY, planRequest(), planMaking());
  assert.ok(created.ok);
  return created.plan;
}

test('dust asks nobody about a plan that is over, and all of it together hides no money', () => {
  const done = after(dustyPlan(), PAID);
  const dusty = after(done, [deposit('e', 5n), deposit('f', 4n)]);
  assert.equal(summary(dusty), 'COMPLETED: DONE DONE DONE; nothing');
  assert.deepEqual(
    fundsOf(dusty).flatMap(({ unallocated }) =>
      unallocated.map(({ amount, direction }) => [amount, direction]),
    ),
    [
      ['4', 'IN'],
      ['5', 'IN'],
    ],
  );
  assert.deepEqual(
    acknowledgementOf(dusty).map(({ amount }) => amount),
    ['9'],
  );
  for (const [more, left] of [
    [deposit('g', 1n), '10'],
    [deposit('g', 10n), '19'],
    [refunded('B1', 3n), '6'],
  ] as const) {
    const next = after(dusty, [more]);
    const isAsked = left !== '6';
    assert.equal(nextOf(next, { nowMs: 0 })?.why, isAsked ? 'MONEY_UNEXPLAINED' : undefined);
    assert.equal(acknowledgementOf(next)[0]?.amount, left);
  }
  // A rest of the payer's own deposit is no dust, however small.
  const rest = after(done, [deposit('g', 10n), refunded('B1', 6n)]);
  assert.equal(nextOf(rest, { nowMs: 0 })?.why, 'MONEY_UNEXPLAINED');
});
