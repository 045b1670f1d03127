import { collectStep, paymentAttempt, type Plan } from '@fairway/plan';
import type { PlanScope } from '@fairway/store';
import type { PaymentParts } from './paymentParts.ts';

/**
 * The id of the next payment of a plan to an account. `account`: its fingerprint; undefined where the recipient has
 * still to choose it. `part`: 1 for the first payment of the attempt.
 */
export function nextEndToEndId(
  { store }: Pick<PaymentParts, 'store'>,
  scope: PlanScope,
  plan: Plan,
  account: string | undefined,
  part = 1,
): string {
  const { clientReference } = plan;
  return store.endToEndId({ ...scope, clientReference, attempt: paymentAttempt(plan), part, account });
}

/** The id of what is left once a part of the payment that is due was made: the account stays, the part is another. */
export function nextPartId(parts: Pick<PaymentParts, 'store'>, scope: PlanScope, plan: Plan): string {
  const last = plan.steps.at(-1);
  const earlierCount = (last !== undefined && 'payout' in last ? last.payout?.earlierIds?.length : 0) ?? 0;
  const { fingerprint } = collectStep(plan)?.destination ?? plan.recipient;
  return nextEndToEndId(parts, scope, plan, fingerprint, earlierCount + 2);
}
