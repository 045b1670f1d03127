import { collectStep, paymentAttempt, type Plan, type PlanCommand, planStatus } from '@fairway/plan';
import type { EndToEndId, PaymentName } from '../keys/endToEndIds.ts';
import type { PlanScope } from '../plans/planScope.ts';

/** A command as it is asked for: the id of a payment that comes of it may be left to the store. */
export type AskedCommand =
  | PlanCommand
  | Omit<Extract<PlanCommand, { type: 'RECIPIENT_REPLACED' }>, 'endToEndId'>;

/**
 * What the end-to-end id of the next payment of a plan to an account is made of. `account`: its fingerprint; undefined
 * where the recipient has still to choose it. `part`: 1 for the first payment of the attempt.
 *
 * @example
 * ```ts
 * import type { Plan } from '@fairway/plan';
 * import { nextPayment, type PlanScope, type Store } from '@fairway/store';
 *
 * declare const store: Store;
 * declare const scope: PlanScope;
 * declare const plan: Plan;
 * const endToEndId = store.endToEndId(nextPayment(scope, plan, plan.recipient.fingerprint));
 * ```
 */
export function nextPayment(
  { organisationId, environment }: PlanScope,
  plan: Plan,
  account: string | undefined,
  part = 1,
): PaymentName {
  const { clientReference } = plan;
  return { organisationId, environment, clientReference, attempt: paymentAttempt(plan), part, account };
}

/**
 * A command with the id of the payment that comes of it, unless it names one. It counts the parts of the locked plan. The
 * second of two parts that are told at once then names another id than the first.
 */
export function withPaymentId(
  idOf: EndToEndId,
  scope: PlanScope,
  plan: Plan,
  asked: AskedCommand,
): PlanCommand {
  switch (asked.type) {
    case 'PAYOUT_REPORTED':
      return { ...asked, nextEndToEndId: asked.nextEndToEndId ?? idOf(nextPart(scope, plan)) };
    case 'PAYOUT_DONE':
    case 'DELIVERY_REPORTED':
      if (asked.part !== true) return asked;
      return { ...asked, nextEndToEndId: asked.nextEndToEndId ?? idOf(nextPart(scope, plan)) };
    case 'STEP_RETRIED': {
      // After money came back the next payment needs an id of its own.
      if (planStatus(plan) !== 'RETURNED') return asked;
      const { endToEndId = idOf(nextPayment(scope, plan, plan.recipient.fingerprint)) } = asked;
      return { ...asked, endToEndId };
    }
    case 'RECIPIENT_REPLACED': {
      if ('endToEndId' in asked) return asked;
      return { ...asked, endToEndId: idOf(nextPayment(scope, plan, asked.recipient.fingerprint)) };
    }
    default:
      return asked;
  }
}

/** What is left once a part of the payment that is due was made: the account stays, the part is another. */
function nextPart(scope: PlanScope, plan: Plan): PaymentName {
  const last = plan.steps.at(-1);
  const earlierCount = (last !== undefined && 'payout' in last ? last.payout?.earlierIds?.length : 0) ?? 0;
  const { fingerprint } = collectStep(plan)?.destination ?? plan.recipient;
  return nextPayment(scope, plan, fingerprint, earlierCount + 2);
}
