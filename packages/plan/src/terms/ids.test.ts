import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attemptIdOf, attemptPosition, leastPlanId, planIdAt } from './ids.ts';
import type { PlanId } from './scalars.ts';

const UUID = '0199a6f2-0000-7abc-8def-0123456789ab';
const AT_MS = Date.UTC(2026, 10, 22);

test('the id of a plan holds the time at which it was made, and sorts by it', () => {
  const id = planIdAt(AT_MS, UUID);
  assert.match(id, /^plan_[0-9a-f]{12}7abc8def0123456789ab$/);
  assert.equal(Number.parseInt(id.slice(5, 17), 16), AT_MS);
  assert.ok(leastPlanId(AT_MS) < id);
  assert.ok(id < leastPlanId(AT_MS + 1));
});

test('times that no id can hold are before or behind all ids', () => {
  assert.equal(leastPlanId(-1), 'plan_000000000000');
  assert.equal(leastPlanId(Date.UTC(9999, 11, 31) * 1000), 'plan_ffffffffffff');
});

const PLAN = 'plan_01a1ee565e007abc8def0123456789ab' as PlanId;
const OTHER = 'plan_01a1ee565e007abc8def0123456789ac' as PlanId;

test('an id of an attempt names its plan and its position', () => {
  assert.equal(attemptIdOf(PLAN, 0), 'att_01a1ee565e007abc8def0123456789ab0000');
  for (const position of [0, 1, 255, 65_535])
    assert.equal(attemptPosition(PLAN, attemptIdOf(PLAN, position)), position);
});

test('what is no id of an attempt of the plan names no position', () => {
  const id = attemptIdOf(PLAN, 10);
  const wrong = [
    attemptIdOf(OTHER, 10),
    id.toUpperCase(),
    id.slice(0, -1),
    `${id}0`,
    '',
    'att_',
    `${id.slice(0, -4)}-001`,
  ];
  for (const each of wrong) assert.equal(attemptPosition(PLAN, each), undefined, each);
});
