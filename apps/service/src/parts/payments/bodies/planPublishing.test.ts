import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  amountOf,
  createPlan,
  decide,
  type Plan,
  type PlanId,
  type RecordedTransfer,
  type StepId,
} from '@fairway/plan';
import { assertDescribed } from '../../../../test/describedEvents.ts';
import { eventOf } from '@fairway/notifications';
import { createPlanPublishing } from './planPublishing.ts';

const address = (digits: string) => `0x${digits.repeat(20)}` as const;
const [SOURCE, TARGET, DEPOSIT] = [address('01'), address('02'), address('0d')];
const NOW_MS = Date.UTC(2026, 10, 25);

function newPlan(): Plan {
  const created = createPlan(
    {
      id: 'corridor',
      source: { chainId: 1, token: SOURCE },
      target: {
        ...{ type: 'BANK', currency: 'EUR', country: 'DE', chainId: 1, token: TARGET },
        ...{ custodian: 'Test custodian', settlementAddress: address('03') },
      },
      status: 'ACTIVE',
      modes: ['STANDARD'],
      recipientTypes: ['bank'],
      minAmountIn: amountOf(1n),
      maxAmountIn: amountOf(1_000_000n),
      minConfirmations: 2,
      settlementTime: { min: 'PT1M', max: 'P1D' },
    },
    {
      clientReference: 'INV-1',
      amountIn: amountOf(1_000_000n),
      recipient: {
        type: 'bank',
        name: 'J. D.',
        country: 'DE',
        account: { accountNumberLast4: '78' },
        fingerprint: 'f1',
      },
      mode: 'STANDARD',
      options: { slippageBps: 50, collectLifeMs: 86_400_000, depositAddress: DEPOSIT },
      metadata: {},
    },
    {
      planId: `plan_${'0'.repeat(32)}` as PlanId,
      stepIds: ['step_1', 'step_2', 'step_3'] as unknown as [StepId, StepId, StepId],
      endToEndId: 'FW1',
      nowMs: NOW_MS,
      lifeMs: 86_400_000,
      watchFromBlock: 1,
      madeBy: 'cred_1',
      swap: {
        kind: 'WITHHELD',
        withheld: { reason: 'NOT_DERIVABLE', detail: 'No route.' },
        amountOut: amountOf(5n),
      },
    },
  );
  assert.ok(created.ok);
  return created.plan;
}

/** The plan with so many transfers to its deposit address. */
function paidBy(plan: Plan, count: number): Plan {
  const added = Array.from(
    { length: count },
    (_, index): RecordedTransfer => ({
      ...{ chainId: 1, logIndex: index, blockNumber: 7, token: SOURCE, from: address('0f'), to: DEPOSIT },
      txHash: `0x${'ab'.repeat(32)}`,
      blockHash: `0x${'cd'.repeat(32)}`,
      blockTimeMs: NOW_MS,
      amount: amountOf(2_000n),
    }),
  );
  const event = { type: 'RECORD_READ', stepId: 'step_1' as StepId, readNumber: 7, added } as const;
  const decision = decide(plan, event, NOW_MS + 1);
  assert.ok(decision.ok);
  return decision.plan;
}

const { publishedEventsOfPlan } = createPlanPublishing();
const bytesOf = (data: object) => Buffer.byteLength(JSON.stringify(data));

test('an event stays short, however many transfers a stranger sends', () => {
  const plan = newPlan();
  for (const count of [1, 40, 200, 1_000]) {
    const published = publishedEventsOfPlan(plan, paidBy(plan, count));
    assert.ok(published.length > 0);
    for (const { data } of published) assert.ok(bytesOf(data) <= 21_000, `${bytesOf(data)} bytes`);
    const kept = { position: 1n, eventId: `evt_${'0'.repeat(32)}`, sequence: 1, atMs: NOW_MS };
    assertDescribed(published.map((each) => eventOf({ ...kept, ...each }, 'sandbox')));
    const { object } = (published[0]?.data as { data: { object: { planId: string; status: string } } }).data;
    assert.ok(object.planId === plan.planId && object.status !== undefined);
  }
});

test('an event shows the last three attempts of a step', () => {
  const plan = newPlan();
  const attempts = ['A', 'B', 'C', 'D'].map((code) => ({ failure: { code }, failedAtMs: NOW_MS }));
  const steps = plan.steps.map((step) => (step.type === 'CUSTODIAN_PAYOUT' ? { ...step, attempts } : step));
  const [told] = publishedEventsOfPlan('AGAIN', { ...plan, steps });
  type Told = { data: { object: { steps: { attempts?: { failure: { code: string } }[] }[] } } };
  const { object } = (told?.data as Told).data;
  const codes = object.steps.at(-1)?.attempts?.map(({ failure }) => failure.code);
  assert.deepEqual(codes, ['B', 'C', 'D']);
});

test('who does not know how far the chain was read does not say what has to happen next', () => {
  const objectOf = (published: ReturnType<typeof publishedEventsOfPlan>) =>
    (published[0]?.data as { data: { object: { next?: object } } }).data.object;
  assert.equal(objectOf(publishedEventsOfPlan('AGAIN', newPlan())).next, undefined);
  const told = createPlanPublishing();
  told.showWith({
    chains: new Map(),
    moments: { of: () => undefined },
    nowMs: () => NOW_MS,
    rateFor: () => undefined,
  });
  assert.ok(objectOf(told.publishedEventsOfPlan('AGAIN', newPlan())).next !== undefined);
});
