import assert from 'node:assert/strict';
import { test } from 'node:test';
import { observed } from '../test/planCommands.ts';
import { MADE_AT_MS, newPlan } from '../test/plans.ts';
import { decide } from './decide.ts';
import { evolve, type PlanEvent, planCreated, planOf, type RecordedEvent } from './evolve.ts';

const plan = newPlan();
const made = recorded(1, planCreated(plan));
const decision = decide(plan, observed(400n), MADE_AT_MS + 2);
assert.ok(decision.ok && decision.outcome === 'CHANGED');
const second = recorded(2, decision.event);

function recorded(revision: number, event: PlanEvent): RecordedEvent {
  return { revision, atMs: MADE_AT_MS + revision, actor: 'test', ...event };
}

test('a history with nothing but the creation tells the new plan', () => {
  assert.deepEqual(planOf([made]), plan);
});

test('a history tells the plan that was decided, after it was written down', () => {
  const written = JSON.parse(JSON.stringify([made, second])) as RecordedEvent[];
  assert.deepEqual(planOf(written), decision.plan);
});

test('an event keeps what changed and nothing else', () => {
  const places = decision.event.changes.map(({ at }) => at.join('.'));
  assert.deepEqual(places, [
    'steps.0.status',
    'steps.0.finalBlock',
    'steps.0.verification',
    'ledger',
    'revision',
    'updatedAtMs',
  ]);
});

test('an event has an outcome at every plan, and a command says nothing to it', () => {
  const elsewhere = { ...second, command: { type: 'PLAN_ENDED', force: false } as const };
  assert.deepEqual(evolve(plan, elsewhere), decision.plan);
  const later = { ...decision.plan, revision: 9 };
  assert.deepEqual(evolve(later, second), decision.plan);
});

const broken: Readonly<Record<string, readonly RecordedEvent[]>> = {
  'that is empty': [],
  'without a beginning': [second],
  'that begins twice': [made, recorded(2, planCreated(plan))],
  'that begins at another revision': [{ ...made, revision: 2 }],
  'with a gap': [made, recorded(3, decision.event)],
};

for (const [what, history] of Object.entries(broken)) {
  test(`a history ${what} tells no plan`, () => {
    assert.equal(planOf(history), undefined);
  });
}
