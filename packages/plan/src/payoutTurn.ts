import { type Amount, amountOf, isLess, unitsOf, ZERO } from './amount.ts';
import { swapStep, withStep } from './planSteps.ts';
import type { TimeMs } from './scalars.ts';
import type { CustodianPayoutStep, PayoutTurn, Plan, SendDigitalCollectStep } from './types.ts';

/** The step that pays the recipient. */
type LastStep = CustodianPayoutStep | SendDigitalCollectStep;

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

function payoutTurn(plan: Plan): PayoutTurn | undefined {
  return lastStep(plan)?.payout;
}

/** The last step of a plan, which pays the recipient. */
export function lastStep(plan: Plan): LastStep | undefined {
  const last = plan.steps.at(-1);
  return last?.type === 'CUSTODIAN_PAYOUT' || last?.type === 'SEND_DIGITAL_COLLECT' ? last : undefined;
}

/**
 * The plan with this amount to be paid out: less than the swap brought, because earlier payments or refunds took a part,
 * and never more, whatever was said to have come back.
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
  const payout: PayoutTurn = {
    endToEndId,
    sinceMs: atMs,
    returns: plan.returns.length,
    movements: plan.ledger?.length ?? 0,
    spent,
  };
  return withStep(plan, { ...step, asset: { ...step.asset, amount: due }, payout });
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
