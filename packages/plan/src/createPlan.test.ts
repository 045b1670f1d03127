import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newPlan } from '../test/plans.ts';
import { planStatus } from './planStatus.ts';

test('a STANDARD plan awaits the deposit, executes the swap and pays out, all PENDING at first', () => {
  const plan = newPlan();
  assert.deepEqual(
    plan.steps.map(({ type, status }) => [type, status]),
    [
      ['AWAIT_DEPOSIT', 'PENDING'],
      ['EXECUTE_SWAP', 'PENDING'],
      ['CUSTODIAN_PAYOUT', 'PENDING'],
    ],
  );
  assert.equal(planStatus(plan), 'PENDING');
});

test('a DIGITAL_COLLECT plan ends with the collect e-mail instead of a payout', () => {
  const types = newPlan({ mode: 'DIGITAL_COLLECT' }).steps.map(({ type }) => type);
  assert.deepEqual(types, ['AWAIT_DEPOSIT', 'EXECUTE_SWAP', 'SEND_DIGITAL_COLLECT']);
});
