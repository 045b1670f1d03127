import assert from 'node:assert/strict';
import type { Movement, PaymentPlan } from '@fairway/wire';
import { freshAddress, type PaymentsTest } from './paymentsHarness.ts';

/** A plan that was paid out. `minor`: in minor units of the currency. */
export type Paid = { readonly plan: PaymentPlan; readonly payout: Movement; readonly minor: bigint };

let plans = 0;

/** A plan that was swapped, and is to be paid out to an Australian account. No other payout of the shared sandbox is of its amount. */
export async function swappedOn(payments: PaymentsTest): Promise<PaymentPlan> {
  plans += 1;
  const options = { mode: 'STANDARD', depositAddress: freshAddress() };
  const plan = await payments.plan({ amountIn: String(61_230_000 + plans * 1_370_000), options });
  return payments.played(plan, 'deposit.exact', 'swap.done');
}

/** A plan that was paid out, and its payout. */
export async function paidOn(payments: PaymentsTest, of?: PaymentPlan): Promise<Paid> {
  const plan = of ?? (await swappedOn(payments));
  await payments.played(plan, 'payout.done');
  const { body } = await payments.service.request(`/v1/payments/${plan.planId}/movements`);
  const payout = (body as { data: Movement[] }).data.find(({ kind }) => kind === 'PAYOUT');
  assert.ok(payout !== undefined);
  return { plan, payout, minor: BigInt(payout.actual) / 10_000n };
}

/** Units of a cent as decimal digits. */
export function decimal(minor: bigint): string {
  const digits = String(minor).padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** The day on which movements of the sandbox happen. */
export const dayOf = ({ occurredAt, recordedAt }: Movement) => (occurredAt ?? recordedAt).slice(0, 10);
