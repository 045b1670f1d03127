import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attemptIdOf, attemptPosition } from './attemptId.ts';
import type { PlanId } from './scalars.ts';

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
