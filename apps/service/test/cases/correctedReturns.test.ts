// Payments and returns that are reported once more, and entries of the bank for them: they are the same money.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Movement, PaymentPlan } from '@fairway/wire';
import { freshAddress, type PaymentsTest, startPaymentsTest, FILIPINO } from '../paymentsHarness.ts';
import { dayOf, paidOn, swappedOn } from '../paidPlans.ts';
import { camtOf, statementsOn } from '../statementsHarness.ts';
import { until } from '../webhookReceivers.ts';

let payments: PaymentsTest;
let bank: ReturnType<typeof statementsOn>;
before(async () => {
  payments = await startPaymentsTest();
  bank = statementsOn(payments.service.url, payments.service.authorization);
});
after(() => payments?.close());

const PAYEE = { ...FILIPINO, name: 'Josephine Citizen' };
const pesos = (amount: string) => ({ amount, asset: { currency: 'PHP' } });

/** The return of a plan that stands. */
async function returnOf({ planId }: PaymentPlan): Promise<Movement> {
  const { json } = await payments.ask(`/v1/payments/${planId}/movements?limit=100`);
  const found = (json as { data: Movement[] }).data.findLast(
    ({ kind, reverses }) => kind === 'RETURN' && reverses === undefined,
  );
  assert.ok(found);
  return found;
}

/** The movement that the entry of a statement has, once it is another one than `former`. */
async function matchOf(statementId: string, former?: string) {
  let status: string | undefined;
  let movementId: string | undefined;
  await until('the entry with its movement', async () => {
    const [entry] = await bank.entries({ statementId } as never);
    [status, movementId] = [entry?.status, entry?.matches[0]?.movementId];
    return movementId !== undefined && movementId !== former;
  });
  return { status, movementId };
}

test('a certain match follows a return that is told once more, and no second credit takes it', async () => {
  const plan = await swappedOn(payments);
  const { payout } = await paidOn(payments, plan);
  const back = { outcome: 'RETURNED', providerReference: `B ${plan.planId.slice(-8)}`, amount: '20000000' };
  assert.equal((await payments.report(plan, 'CUSTODIAN_PAYOUT', back)).status, 200);
  const on = dayOf(payout);
  const file = { account: 'DE89370400440532013009', openingOn: on, closingOn: on };
  const booking = { amount: '20.00', on, name: 'Josephine Citizen' };
  const first = await bank.imported(
    camtOf({ id: 'first', ...file, bookings: [{ ...booking, reference: back.providerReference }] }),
  );
  const told = await returnOf(plan);
  assert.deepEqual(await matchOf(first.statementId), { status: 'MATCHED', movementId: told.movementId });

  const again = { ...back, returned: { amount: '2000', asset: { currency: 'AUD' } } };
  assert.equal((await payments.report(plan, 'CUSTODIAN_PAYOUT', again)).status, 200);
  // The second file is imported at once: it may come before the entry has moved to the new movement.
  const second = await bank.imported(
    camtOf({ id: 'second', opening: '100020.00', ...file, bookings: [booking] }),
  );
  const [other] = await bank.entries(second);
  assert.notEqual(other?.status, 'MATCHED', 'two credits of the bank are one return');
  const now = await returnOf(plan);
  assert.notEqual(now.movementId, told.movementId);
  assert.deepEqual(await matchOf(first.statementId, told.movementId), {
    status: 'MATCHED',
    movementId: now.movementId,
  });
});

test('what a person has matched follows a return that is told with its amount, with an event', async () => {
  const options = { mode: 'STANDARD', depositAddress: freshAddress() };
  const asked = { amountIn: '73000000', options, corridorId: 'usdc-php-emoney', recipient: PAYEE };
  const plan = await payments.plan(asked);
  const body = await payments.played(plan, 'deposit.exact', 'swap.done');
  const step = body.steps.find(({ type }) => type === 'CUSTODIAN_PAYOUT');
  const due = step?.custodianAction?.amount ?? '';
  const reference = plan.planId.slice(-12);
  const paid = { outcome: 'DONE', providerReference: `P ${reference}`, paid: pesos('560000') };
  assert.equal((await payments.report(plan, 'CUSTODIAN_PAYOUT', paid)).status, 200);
  const half = String(BigInt(due) / 2n);
  const back = { outcome: 'RETURNED', providerReference: `B ${reference}`, amount: half };
  assert.equal((await payments.report(plan, 'CUSTODIAN_PAYOUT', back)).status, 200);
  const told = await returnOf(plan);
  const on = dayOf(told);
  const file = { currency: 'PHP', account: 'DE89370400440532013001', openingOn: on, closingOn: on };
  const booking = { amount: '2799.50', on, reference: back.providerReference, name: 'Josephine Citizen' };
  const { statementId } = await bank.imported(camtOf({ id: 'pesos', ...file, bookings: [booking] }));
  const [entry] = await bank.entries({ statementId } as never);
  assert.ok(entry);
  const { movementId } = told;
  assert.equal((await bank.match(entry.entryId, { movementId, amount: '279950' })).status, 200);

  const again = { ...back, returned: pesos('279950') };
  assert.equal((await payments.report(plan, 'CUSTODIAN_PAYOUT', again)).status, 200);
  const now = await matchOf(statementId, movementId);
  assert.deepEqual(now, { status: 'MATCHED', movementId: (await returnOf(plan)).movementId });
  const { json } = await payments.ask(`/v1/reconciliation/statements/${statementId}/differences`);
  assert.doesNotMatch(JSON.stringify(json), /MOVEMENT_TAKEN_BACK/);
  const types = async () => {
    const events = await payments.ask(`/v1/events?subject=${entry.entryId}`);
    return (events.json as { data: { type: string }[] }).data.map(({ type }) => type);
  };
  await until('the event', async () => (await types()).at(-1) === 'statement_entry.updated');
});
