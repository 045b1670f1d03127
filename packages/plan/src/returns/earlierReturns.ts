import { type Amount, amountOf, leastOf, mostOf, unitsOf, ZERO } from '../terms/amount.ts';
import { defined } from '../terms/defined.ts';
import type { Decision } from '../plan/events.ts';
import { netPaidOf, payableOf } from '../book/funds.ts';
import { withMovements } from '../book/ledger.ts';
import { assetsOf, type Money } from '../terms/money.ts';
import type { NewMovement } from '../plan/movement.ts';
import { paymentsOf } from '../book/payoutPayments.ts';
import { begunTurn, lastStep } from '../book/payoutTurn.ts';
import { changed, evidenceOf, mismatch, swapStep, withStep } from '../plan/planSteps.ts';
import type { TimeMs } from '../terms/scalars.ts';
import type { PayingStep, Plan, Return } from '../plan/types.ts';

/**
 * Records money of an earlier attempt to pay that comes back while another attempt is under way. The amount that is
 * due rises by it, and the attempt goes on. Undefined where all that earlier attempts paid is back. `money`: what
 * came back in the currency.
 */
export function recordEarlierReturn(
  plan: Plan,
  told: Omit<Return, 'recordedAtMs'>,
  money: Money | undefined,
  atMs: TimeMs,
): Decision | undefined {
  const step = lastStep(plan);
  if (step === undefined) return undefined;
  const paidBefore = netPaidOf(plan) - underWay(step);
  if (paidBefore <= 0n) return undefined;
  const { amount, stepId, providerReference, occurredAtMs } = told;
  if (amount === undefined)
    return mismatch(
      'Another attempt to pay has begun since: say how much came back (amount, in units of the token).',
    );
  const units = unitsOf(amount);
  if (units > paidBefore)
    return mismatch(
      `The report says that ${units} units came back, ${paidBefore} of earlier payments are not back yet. Give the amount that came back.`,
    );
  const row: NewMovement = {
    kind: 'RETURN',
    side: 'TARGET',
    stepId,
    asset: assetsOf(plan).target,
    actual: amount,
    verification: 'REPORTED',
    ...defined({ paid: money, providerReference, occurredAtMs }),
  };
  const returns = [...plan.returns, { ...told, recordedAtMs: atMs }];
  return changed(withMoreDue(withMovements({ ...plan, returns }, [row], atMs), plan, step, units, atMs));
}

/**
 * The plan with as much more to be paid as came back. Payments that the attempt made before the return belong to no
 * attempt any more. They are neither due nor available for this attempt.
 */
function withMoreDue(next: Plan, before: Plan, step: PayingStep, units: bigint, atMs: TimeMs): Plan {
  const { paid: told, deducted } = paymentsOf(before, step);
  const more = units - unitsOf(told) - unitsOf(deducted);
  const { paid, ...turn } = begunTurn(before, atMs);
  const parts = atLeastZero(unitsOf(paid ?? ZERO) - units);
  const known = atLeastZero(unitsOf(turn.spent) - more);
  const { evidence } = swapStep(before);
  const brought = evidence === undefined ? undefined : unitsOf(evidence.amount);
  // A reorganisation can make the swap bring less than was spent. The difference is deducted from the returned money.
  const due = atLeastZero(
    leastOf([
      unitsOf(step.asset.amount) + more,
      ...(brought === undefined ? [] : [brought - unitsOf(known)]),
      payableOf(next) + underWay(step),
    ]),
  );
  const spent = brought === undefined ? known : amountOf(mostOf([unitsOf(known), brought - unitsOf(due)]));
  const payout = {
    ...turn,
    returns: next.returns.length,
    movements: next.ledger?.length ?? 0,
    spent,
    ...(parts === ZERO ? {} : { paid: parts }),
  };
  return withStep(next, { ...step, asset: { ...step.asset, amount: due }, payout });
}

/** What the transaction of the attempt under way pays. */
function underWay(step: PayingStep): bigint {
  const evidence = evidenceOf(step);
  return evidence === undefined || evidence.status === 'LOST' ? 0n : unitsOf(evidence.amount);
}

function atLeastZero(units: bigint): Amount {
  return units > 0n ? amountOf(units) : ZERO;
}
