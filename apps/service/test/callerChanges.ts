import assert from 'node:assert/strict';
import type { PaymentPlan } from '@fairway/wire';
import { AUSTRALIAN, freshAddress, type PaymentsClient, type PlanAnswer, stepOf } from './paymentsHarness.ts';

/** A change that a caller asks for. `prepare` makes the plan that it is asked of. */
export type CallerChange = {
  readonly what: string;
  readonly prepare: () => Promise<PaymentPlan>;
  readonly ask: (plan: PaymentPlan) => Promise<PlanAnswer>;
};

/** Fields of a payment whose deposit address is watched. */
export const watched = () => ({ options: { mode: 'STANDARD', depositAddress: freshAddress() } });

/** All of a plan's deposit. */
function depositOf(plan: PaymentPlan): { readonly amount: string; readonly asset: object } {
  const { asset, received } = plan.funds?.[0] ?? assert.fail('a plan has funds');
  return { amount: received, asset };
}

/** Plans that changes are asked of. */
function plansOf(client: () => PaymentsClient) {
  const reportDeposit = (plan: PaymentPlan) => client().report(plan, 'AWAIT_DEPOSIT', { outcome: 'DONE' });

  async function swapDue(fields: object = {}): Promise<PaymentPlan> {
    const { status, text, body } = await reportDeposit(await client().plan(fields));
    assert.equal(status, 200, text);
    // After an absence of the database the record of the chain is behind for a moment, and nothing is derived meanwhile.
    const isDerived = (plan: PaymentPlan) => stepOf(plan, 'EXECUTE_SWAP').attemptId !== undefined;
    return client().until(body, 'its instructions are derived', isDerived);
  }

  /** A plan whose link has expired, so that another one is made. */
  async function linkExpired(): Promise<PaymentPlan> {
    const recipient = { type: 'email', email: `${freshAddress()}@example.com`, name: 'Jo Citizen' };
    const due = await swapDue({
      corridorId: 'usdc-eur-collect',
      recipient,
      options: { mode: 'DIGITAL_COLLECT', collect: { expiresIn: 'PT1H' } },
    });
    const answers = [
      await client().simulate(due, 'EXECUTE_SWAP', 'swap.done'),
      await client().ask('/v1/sandbox/clock', { advance: 'PT2H' }),
    ];
    for (const { status, text } of answers) assert.equal(status, 200, text);
    return client().until(due, 'its link has expired', ({ next }) => next?.why === 'LINK_ENDED');
  }

  /** A plan whose payout failed, as the account is closed. */
  async function payoutFailed(): Promise<PaymentPlan> {
    const told = { outcome: 'FAILED', failure: { code: 'ACCOUNT_CLOSED' } };
    const { status, text, body } = await client().report(await payoutDue(), 'CUSTODIAN_PAYOUT', told);
    assert.equal(status, 200, text);
    return body;
  }

  /** A plan whose swap failed, so that it is tried again. */
  async function swapFailed(): Promise<PaymentPlan> {
    const due = await swapDue();
    const told = { outcome: 'FAILED', failure: { code: 'OTHER' } };
    const { status, text, body } = await client().report(due, 'EXECUTE_SWAP', told);
    assert.equal(status, 200, text);
    return body;
  }

  const payoutDue = async () => client().played(await swapDue(), 'swap.done');
  return { reportDeposit, swapDue, linkExpired, payoutFailed, swapFailed, payoutDue };
}

/** Changes that a caller can ask for: at least one of each way in which the store writes. `client`: of the service, once it runs. */
export function callerChanges(client: () => PaymentsClient): readonly CallerChange[] {
  const { reportDeposit, swapDue, linkExpired, payoutFailed, swapFailed, payoutDue } = plansOf(client);
  return [
    { what: 'a report of a deposit', prepare: () => client().plan(), ask: reportDeposit },
    { what: 'a cancellation', prepare: () => client().plan(watched()), ask: (plan) => client().end(plan) },
    {
      what: 'new instructions',
      prepare: () => swapDue(),
      ask: (plan) => client().again(plan, { slippageBps: 70 }),
    },
    {
      what: 'a reveal of the recipient',
      prepare: () => client().plan(),
      ask: (plan) => client().ask(`/v1/payments/${plan.planId}/recipient/reveal`, {}),
    },
    {
      what: 'another link',
      prepare: linkExpired,
      ask: (plan) => client().again(plan),
    },
    {
      what: 'a submitted transaction',
      prepare: () => swapDue(),
      ask: (plan) => {
        const { attemptId } = stepOf(plan, 'EXECUTE_SWAP');
        const txHash = `0x${plan.planId.slice(-32).repeat(2)}`;
        return client().report(plan, 'EXECUTE_SWAP', { outcome: 'SUBMITTED', attemptId, txHash });
      },
    },
    {
      what: 'a refund',
      prepare: () => swapDue(),
      ask: (plan) => {
        const told = { ...depositOf(plan), providerReference: `RF ${plan.planId}` };
        return client().ask(`/v1/payments/${plan.planId}/refunds`, told);
      },
    },
    {
      what: 'a close',
      prepare: () => swapDue(),
      ask: (plan) => client().end(plan, { reason: 'ABANDONED' }),
    },
    {
      what: 'a report of a payout',
      prepare: payoutDue,
      ask: (plan) => {
        const told = { outcome: 'DONE', providerReference: `PO ${plan.planId}` };
        return client().report(plan, 'CUSTODIAN_PAYOUT', told);
      },
    },
    {
      what: 'a swap that is tried again',
      prepare: swapFailed,
      ask: (plan) => client().again(plan),
    },
    {
      what: 'another recipient',
      prepare: payoutFailed,
      ask: (plan) => {
        const recipient = { ...AUSTRALIAN, account: { bsb: '062-000', accountNumber: '87654321' } };
        return client().again(plan, { recipient });
      },
    },
  ];
}
