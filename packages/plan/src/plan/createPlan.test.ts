import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  corridor,
  derivedInstructions,
  LIFE_MS,
  MADE_AT_MS,
  newPlan,
  planMaking,
  planRequest,
  STEP_IDS,
} from '../../test/plans.ts';
import { amountOf } from '../terms/amount.ts';
import { payoutOf } from '../book/payout.ts';
import { createPlan } from './createPlan.ts';
import { planStatus } from '../next/next.ts';
import { swapStep } from './steps.ts';

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
  assert.equal(planStatus(plan), 'ACTION_REQUIRED');
});

test('a DIGITAL_COLLECT plan ends with the collect e-mail instead of a payout', () => {
  const types = newPlan({ mode: 'DIGITAL_COLLECT' }).steps.map(({ type }) => type);
  assert.deepEqual(types, ['AWAIT_DEPOSIT', 'EXECUTE_SWAP', 'SEND_DIGITAL_COLLECT']);
});

test('a new plan holds the request and the corridor as they are now, and no money has moved', () => {
  const { steps, corridor: kept, ...plan } = newPlan({ metadata: { order: '7' } });
  assert.deepEqual(kept, { ...corridor, dustBelow: '1' }, 'a thousandth of the amount is no dust');
  assert.deepEqual(plan, {
    ...planRequest({ metadata: { order: '7' } }),
    planId: 'plan_1',
    endToEndId: 'FW1',
    revision: 1,
    createdAtMs: MADE_AT_MS,
    updatedAtMs: MADE_AT_MS,
    lifeMs: LIFE_MS,
    expiresAtMs: MADE_AT_MS + LIFE_MS,
    watchFromBlock: 100,
    returns: [],
  });
  const [depositId, swapId, lastId] = STEP_IDS;
  const attempt = { ...derivedInstructions(), derivedAtMs: MADE_AT_MS, outcome: 'OPEN' };
  assert.deepEqual(steps, [
    { stepId: depositId, type: 'AWAIT_DEPOSIT', status: 'PENDING', expected: '1000' },
    { stepId: swapId, type: 'EXECUTE_SWAP', status: 'PENDING', expected: '1500', attempts: [attempt] },
    { stepId: lastId, type: 'CUSTODIAN_PAYOUT', status: 'PENDING', attempts: [] },
  ]);
});

test('a plan whose price is below the floor has no instructions and says why', () => {
  const withheld = { reason: 'PRICE_BELOW_FLOOR', detail: 'The quote is below the floor.' } as const;
  const swap = { kind: 'WITHHELD', withheld, amountOut: amountOf(1_200n) } as const;
  const created = createPlan(corridor, planRequest(), planMaking({ swap }));
  assert.ok(created.ok);
  const { stepId, type, status, ...rest } = swapStep(created.plan);
  assert.deepEqual(
    [stepId, type, status, rest],
    [STEP_IDS[1], 'EXECUTE_SWAP', 'PENDING', { expected: '1200', attempts: [], withheld }],
  );
  assert.equal(payoutOf(created.plan).due, '1200');
  assert.deepEqual(JSON.parse(JSON.stringify(created.plan)), created.plan);
});
