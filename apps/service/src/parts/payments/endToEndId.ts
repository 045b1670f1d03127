import type { Plan } from '@fairway/plan';
import { nextPayment, type PlanScope } from '@fairway/store';
import type { PaymentParts } from './paymentParts.ts';

/** The id of the next payment of a plan to an account, as `nextPayment` says it. */
export function nextEndToEndId(
  { store }: Pick<PaymentParts, 'store'>,
  scope: PlanScope,
  plan: Plan,
  account: string | undefined,
): string {
  return store.endToEndId(nextPayment(scope, plan, account));
}
