import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  amountOf,
  createPlan,
  type StepEvidence,
  type MaskedRecipient,
  type Plan,
  type PlanId,
  type SendDigitalCollectStep,
  type StepId,
} from '@fairway/plan';
import { planBody, type Shown } from './planBody.ts';

const address = (digits: string) => `0x${digits.repeat(20)}` as const;
const NOW_MS = Date.UTC(2026, 10, 26);
const SHOWN: Shown = {
  chains: new Map(),
  moments: { of: () => ({ state: 'AT_HEAD' }) },
  nowMs: () => NOW_MS,
  rateFor: () => undefined,
};
const BANK: MaskedRecipient = {
  type: 'bank',
  name: 'E. F.',
  country: 'DE',
  account: { accountNumberLast4: '2051' },
  fingerprint: 'f2',
};

/** A plan above the limit of approval whose recipient was asked by e-mail, and has chosen an account. */
function chosenPlan(): Plan {
  const created = createPlan(
    {
      id: 'corridor',
      source: { chainId: 1, token: address('01') },
      target: {
        ...{ type: 'BANK', currency: 'EUR', country: 'DE', chainId: 1, token: address('02') },
        ...{ custodian: 'Test custodian', settlementAddress: address('03') },
      },
      status: 'ACTIVE',
      modes: ['DIGITAL_COLLECT'],
      recipientTypes: ['bank'],
      minAmountIn: amountOf(1n),
      maxAmountIn: amountOf(1_000_000n),
      minConfirmations: 2,
      settlementTime: { min: 'PT1M', max: 'P1D' },
      paymentApproval: { above: amountOf(0n) },
    },
    {
      clientReference: 'INV-1',
      amountIn: amountOf(1_000n),
      recipient: { type: 'email', email: 'e***@example.com', fingerprint: 'f1' },
      mode: 'DIGITAL_COLLECT',
      options: { slippageBps: 50, collectLifeMs: 86_400_000, depositAddress: address('0d') },
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
  const { plan } = created;
  const steps = plan.steps.map((step) => {
    if (step.type === 'SEND_DIGITAL_COLLECT') return chosen(step);
    const done = { ...step, status: 'DONE' } as const;
    return done.type === 'EXECUTE_SWAP'
      ? { ...done, expected: amountOf(900n), attempts: [], evidence: FINAL }
      : done;
  });
  return { ...plan, steps };
}

/** The transaction that brought the money. */
const FINAL: StepEvidence = {
  ...{ chainId: 1, txHash: `0x${'a'.repeat(64)}`, blockNumber: 1, blockHash: `0x${'b'.repeat(64)}` },
  ...{ sender: address('0e'), nonce: 0, logIndexes: [], status: 'FINAL' },
};

function chosen(step: SendDigitalCollectStep): SendDigitalCollectStep {
  return { ...step, status: 'DONE', destination: BANK, delivery: { status: 'PENDING' } };
}

test('a process that has not looked at the record of the chain yet has nobody move money', () => {
  const { approval: _, ...plan } = chosenPlan();
  assert.equal(planBody(plan, SHOWN).next?.do, 'PAY');
  const { next } = planBody(plan, { ...SHOWN, moments: { of: () => undefined } });
  assert.deepEqual([next?.do, next?.why, next?.pay], ['WAIT', 'CATCHING_UP', undefined]);
});

test('nothing is to be paid to what a recipient chose before the payment is approved', () => {
  const plan = chosenPlan();
  const toPay = (of: Plan) => planBody(of, SHOWN).next?.pay?.amount;
  assert.deepEqual([planBody(plan, SHOWN).approval?.status, toPay(plan)], ['PENDING', undefined]);
  const { approval } = plan;
  assert.ok(approval !== undefined);
  const approved = { ...approval, approved: { by: 'cred_2', atMs: NOW_MS } };
  assert.equal(toPay({ ...plan, approval: approved }), '900');
});
