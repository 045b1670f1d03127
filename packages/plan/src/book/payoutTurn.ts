import { type Amount, amountOf, isLess, unitsOf, ZERO } from '../terms/amount.ts';
import { defined } from '../terms/defined.ts';
import { isReturned, swapStep, without, withStep } from '../plan/planSteps.ts';
import type { TimeMs } from '../terms/scalars.ts';
import type { PayingStep, PayoutAttempt, PayoutTurn, Plan } from '../plan/types.ts';

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
  if (step === undefined) return 1;
  const ended =
    step.type === 'CUSTODIAN_PAYOUT'
      ? step.attempts.map(({ outcome }) => outcome)
      : step.rounds.map(({ delivery }) => delivery?.status);
  const returned = ended.filter((outcome) => outcome === 'RETURNED').length;
  return 1 + returned + (isReturned(plan) ? 1 : 0);
}

/** The attempt to pay that is under way; the first one, where none was recorded. */
export function begunTurn(plan: Plan, atMs: TimeMs): PayoutTurn {
  const first = { endToEndId: plan.endToEndId, sinceMs: atMs, returns: 0, movements: 0, spent: ZERO };
  return payoutTurn(plan) ?? first;
}

function payoutTurn(plan: Plan): PayoutTurn | undefined {
  return lastStep(plan)?.payout;
}

/** The last step of a plan, which pays the recipient. */
export function lastStep(plan: Plan): PayingStep | undefined {
  const last = plan.steps.at(-1);
  return last?.type === 'CUSTODIAN_PAYOUT' || last?.type === 'SEND_DIGITAL_COLLECT' ? last : undefined;
}

/**
 * How far a step is with the payment, which for a recipient who chooses the account is the delivery.
 *
 * @example
 * ```ts
 * import { payingState, type PayingStep } from '@fairway/plan';
 *
 * declare const step: PayingStep;
 * const isDue = payingState(step) === 'DUE';
 * ```
 */
export function payingState(step: PayingStep): 'EARLY' | 'DUE' | 'PAID' | 'FAILED' {
  if (step.type === 'CUSTODIAN_PAYOUT') return PAYOUT_STATES[step.status];
  return step.delivery === undefined ? 'EARLY' : DELIVERY_STATES[step.delivery.status];
}

const PAYOUT_STATES = { PENDING: 'EARLY', READY: 'DUE', DONE: 'PAID', FAILED: 'FAILED' } as const;

const DELIVERY_STATES = {
  PENDING: 'DUE',
  SENT: 'DUE',
  DELIVERED: 'PAID',
  RETURNED: 'PAID',
  FAILED: 'FAILED',
} as const;

/**
 * The plan with this amount to be paid out. It can be less than the swap brought, because earlier payments or refunds
 * took a part. It is never more, whatever was said to have come back.
 */
export function withDue(
  plan: Plan,
  payable: Amount,
  atMs: TimeMs,
  endToEndId: string = endToEndIdOf(plan),
): Plan {
  const step = lastStep(plan);
  if (step === undefined) return plan;
  const brought = swapStep(plan).evidence?.amount ?? payable;
  const due = isLess(brought, payable) ? brought : payable;
  const spent = amountOf(unitsOf(brought) - unitsOf(due));
  const { earlierIds } = endToEndId === endToEndIdOf(plan) ? (step.payout ?? {}) : {};
  const payout: PayoutTurn = {
    endToEndId,
    ...defined({ earlierIds }),
    sinceMs: atMs,
    returns: plan.returns.length,
    movements: plan.ledger?.length ?? 0,
    spent,
    ...defined({ submissions: step.payout?.submissions }),
  };
  return withStep(plan, { ...step, asset: { ...step.asset, amount: due }, payout });
}

/**
 * The plan whose rest is asked for with an id of its own, because a part was paid with the one before. Attempts of that
 * part keep the id that they had.
 */
export function withPartId(plan: Plan, fresh: string | undefined, atMs: TimeMs): Plan {
  const step = lastStep(plan);
  const ids = idsOf(plan);
  if (step === undefined || fresh === undefined || ids.includes(fresh)) return plan;
  const payout = { ...without(begunTurn(plan, atMs), 'nextEndToEndId'), endToEndId: fresh, earlierIds: ids };
  if (step.type === 'CUSTODIAN_PAYOUT')
    return withStep(plan, { ...step, attempts: namedAttempts(plan, step.attempts), payout });
  const delivery = step.delivery && { ...step.delivery, endToEndId: fresh };
  return withStep(plan, { ...step, payout, ...defined({ delivery }) });
}

/** The ids of all parts that the account under way was asked to be paid, oldest first. */
function idsOf(plan: Plan): readonly string[] {
  return [...(payoutTurn(plan)?.earlierIds ?? []), endToEndIdOf(plan)];
}

/** Attempts to pay with their ids and recipients; those of present ones are the plan's. */
export function namedAttempts(plan: Plan, attempts: readonly PayoutAttempt[]): readonly PayoutAttempt[] {
  const { earlierIds } = payoutTurn(plan) ?? {};
  const now = { endToEndId: endToEndIdOf(plan), ...defined({ earlierIds }), recipient: plan.recipient };
  return attempts.map((attempt) => (attempt.endToEndId === undefined ? { ...now, ...attempt } : attempt));
}

/** What is left to pay of what the swap brought. */
export function dueOf(plan: Plan, brought: Amount): Amount {
  const { spent = ZERO } = payoutTurn(plan) ?? {};
  const left = unitsOf(brought) - unitsOf(spent);
  return left > 0n ? amountOf(left) : ZERO;
}

/** Whether refunds and earlier payments took all that the swap brought. */
export function isNothingDue(plan: Plan): boolean {
  const { asset, payout } = lastStep(plan) ?? {};
  return payout !== undefined && asset?.isFinal === true && asset.amount === ZERO;
}
