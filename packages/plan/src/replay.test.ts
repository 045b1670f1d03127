import assert from 'node:assert/strict';
import { test } from 'node:test';
import { observed, paidByReference } from '../test/planEvents.ts';
import { MADE_AT_MS, newPlan } from '../test/plans.ts';
import { decide } from './decide.ts';
import type { PlanEvent, RecordedEvent } from './plan/events.ts';
import { replay } from './replay.ts';

const plan = newPlan();
const made: RecordedEvent = {
  revision: 1,
  atMs: MADE_AT_MS,
  actor: 'test',
  event: { type: 'PLAN_CREATED', plan },
};

function recorded(revision: number, event: PlanEvent): RecordedEvent {
  return { revision, atMs: MADE_AT_MS + revision, actor: 'test', event };
}

test('a history with nothing but the creation rebuilds the new plan', () => {
  assert.equal(replay([made]), plan);
});

test('a history rebuilds the plan, with the times at which things happened', () => {
  const decision = decide(plan, observed(400n), MADE_AT_MS + 2);
  assert.ok(decision.ok);
  assert.deepEqual(replay([made, recorded(2, observed(400n))]), decision.plan);
});

const broken: Readonly<Record<string, readonly RecordedEvent[]>> = {
  'that is empty': [],
  'without a beginning': [recorded(2, observed(400n))],
  'that begins twice': [made, made],
  'that begins at another revision': [{ ...made, revision: 2 }],
  'with a gap': [made, recorded(3, observed(400n))],
  'with an event twice': [made, recorded(2, observed(400n)), recorded(3, observed(400n))],
  'with an event that changed nothing': [made, recorded(1, observed(0n))],
  'with an event that could not have happened': [made, recorded(2, paidByReference('R1'))],
};

for (const [what, history] of Object.entries(broken)) {
  test(`a history ${what} is refused`, () => {
    assert.throws(() => replay(history), Error);
  });
}
