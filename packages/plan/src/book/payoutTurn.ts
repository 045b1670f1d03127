import { defined } from '@fairway/values';
import { isReturned, lastStep, without, withStep } from '../plan/steps.ts';
import type { PayoutAttempt, PayoutTurn, Plan } from '../plan/types.ts';

/**
 * The id that the custodian gets with the payment that is due or was made last: its guard against paying twice.
 *
 * @example
 * ```ts
 * import { endToEndIdOf, type Plan } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * const id = endToEndIdOf(plan);
 * ```
 */
export function endToEndIdOf(plan: Plan): string {
  return payoutTurn(plan)?.endToEndId ?? plan.endToEndId;
}

/**
 * Which attempt the next payment of a plan is: 1, and one more for each payment that came back. Failed payments do not count,
 * so that a payment has the same number where a restored database has lost such a report.
 *
 * @example
 * ```ts
 * import { paymentAttempt, type Plan } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * const attempt = paymentAttempt(plan); // 1 before anything came back
 * ```
 */
export function paymentAttempt(plan: Plan): number {
  const step = lastStep(plan);
  const ended =
    step.type === 'CUSTODIAN_PAYOUT'
      ? step.attempts.map(({ outcome }) => outcome)
      : step.rounds.map(({ delivery }) => delivery?.status);
  const returned = ended.filter((outcome) => outcome === 'RETURNED').length;
  return 1 + returned + (isReturned(plan) ? 1 : 0);
}

/** The attempt to pay that is under way; the first one, where none was recorded. */
export function begunTurn(plan: Plan): PayoutTurn {
  return payoutTurn(plan) ?? { endToEndId: plan.endToEndId, returns: 0, movements: 0 };
}

function payoutTurn(plan: Plan): PayoutTurn | undefined {
  return lastStep(plan).payout;
}

/** The id of the next payment to an account, and those of the parts that were paid to it before. */
type PaymentIds = { readonly endToEndId: string; readonly earlierIds?: readonly string[] | undefined };

/** The plan with another attempt to pay: what is there then is due, whatever was paid or refunded before. */
export function withTurn(plan: Plan, { endToEndId, earlierIds }: PaymentIds = begunTurn(plan)): Plan {
  const step = lastStep(plan);
  const { submissions, signed, lost } = begunTurn(plan);
  const payout: PayoutTurn = {
    endToEndId,
    ...defined({ earlierIds }),
    returns: plan.returns.length,
    movements: plan.ledger?.length ?? 0,
    ...defined({ submissions, signed, lost }),
  };
  return withStep(plan, { ...step, payout });
}

/**
 * The plan whose rest is asked for with an id of its own, because a part was paid with the one before. Attempts of that
 * part keep the id that they had.
 */
export function withPartId(plan: Plan, fresh: string | undefined): Plan {
  const step = lastStep(plan);
  const ids = idsOf(plan);
  if (fresh === undefined || ids.includes(fresh)) return plan;
  const payout = { ...without(begunTurn(plan), 'nextEndToEndId'), endToEndId: fresh, earlierIds: ids };
  if (step.type === 'CUSTODIAN_PAYOUT')
    return withStep(plan, { ...step, attempts: namedAttempts(plan, step.attempts), payout });
  const delivery = step.delivery && { ...step.delivery, endToEndId: fresh };
  return withStep(plan, { ...step, payout, ...defined({ delivery }) });
}

/** The ids of all parts that the account under way was asked to be paid, oldest first. */
export function idsOf(plan: Plan): readonly string[] {
  return [...(payoutTurn(plan)?.earlierIds ?? []), endToEndIdOf(plan)];
}

/** Attempts to pay with their ids and recipients; those of present ones are the plan's. */
export function namedAttempts(plan: Plan, attempts: readonly PayoutAttempt[]): readonly PayoutAttempt[] {
  const { earlierIds } = payoutTurn(plan) ?? {};
  const now = { endToEndId: endToEndIdOf(plan), ...defined({ earlierIds }), recipient: plan.recipient };
  return attempts.map((attempt) => (attempt.endToEndId === undefined ? { ...now, ...attempt } : attempt));
}
