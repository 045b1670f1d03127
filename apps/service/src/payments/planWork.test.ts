import assert from 'node:assert/strict';
import { test } from 'node:test';
import { amountOf, type Plan, type PlanEvent } from '@fairway/plan';
import type { PaymentParts } from './paymentParts.ts';
import { performWork } from './planWork.ts';

const NOW_MS = Date.UTC(2026, 10, 21);
const SCOPE = { organisationId: 'org_1', environment: 'sandbox' } as const;

/**
 * The events that the service records for a plan while the plan's chain is away, or while its market is not fresh for
 * this reason.
 */
async function doneWithoutChain(plan: Plan, why?: string): Promise<readonly PlanEvent['type'][]> {
  const events: PlanEvent['type'][] = [];
  const parts = {
    chains: new Map(
      why === undefined ? [] : [[1, { follower: { status: () => ({ freshness: { fresh: false, why } }) } }]],
    ),
    nowMs: () => NOW_MS,
    store: {
      payments: {
        loadPlan: () => Promise.resolve({ ok: true, plan }),
        changePlan: (_scope: unknown, _planId: unknown, { type }: PlanEvent) => {
          events.push(type);
          return Promise.resolve({ ok: true, outcome: 'CHANGED', plan });
        },
      },
      jobs: { schedule: () => Promise.resolve({ ok: true }) },
    },
    // The work under test needs only these members.
  } as unknown as PaymentParts;
  await performWork(parts, SCOPE, 'plan_1');
  return events;
}

function planOf(depositStatus: 'DONE' | 'READY'): Plan {
  const isDone = depositStatus === 'DONE';
  const amount = amountOf(5n);
  const link = { version: 1, state: 'SENT', mail: 'ACCEPTED', expiresAtMs: NOW_MS, madeAtMs: 0, resends: 0 };
  const deposit = {
    stepId: 'step_1',
    type: 'AWAIT_DEPOSIT',
    status: depositStatus,
    expected: amount,
    received: amountOf(0n),
  };
  const evidence = isDone ? { evidence: { status: 'FINAL' } } : {};
  const swap = {
    stepId: 'step_2',
    type: 'EXECUTE_SWAP',
    status: isDone ? 'DONE' : 'PENDING',
    attempts: [],
    ...evidence,
  };
  const collect = {
    stepId: 'step_3',
    type: 'SEND_DIGITAL_COLLECT',
    status: isDone ? 'READY' : 'PENDING',
    rounds: [],
  };
  return {
    planId: 'plan_1',
    expiresAtMs: NOW_MS,
    corridor: { source: { chainId: 1, token: `0x${'02'.repeat(20)}` } },
    options: { depositAddress: `0x${'03'.repeat(20)}` },
    steps: [deposit, swap, isDone ? { ...collect, link } : collect],
    // Only these members decide which work the plan needs.
  } as unknown as Plan;
}

test('a link expires while the chain is away, but a plan that waits for a deposit does not', async () => {
  assert.deepEqual(await doneWithoutChain(planOf('DONE')), ['TIME_PASSED']);
  assert.deepEqual(await doneWithoutChain(planOf('READY')), []);
});

test('nothing ends while the clocks of the process, the database and the chain differ', async () => {
  for (const why of ['CLOCK_DIFFERS', 'BLOCK_TOO_OLD', 'BLOCK_IN_FUTURE'])
    assert.deepEqual(await doneWithoutChain(planOf('DONE'), why), [], why);
  for (const why of ['NO_CONTACT', 'LAGGING'])
    assert.deepEqual(await doneWithoutChain(planOf('DONE'), why), ['TIME_PASSED'], why);
});
