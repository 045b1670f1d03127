import { unitsOf } from '../terms/amount.ts';
import type { Ruling } from '../plan/commands.ts';
import { netPaidOf } from '../book/equations.ts';
import type { Money } from '../terms/money.ts';
import { restsOn } from '../book/payout.ts';
import { begunTurn, lastStep } from '../book/payoutTurn.ts';
import { changed, mismatch, withStep } from '../plan/steps.ts';
import { withReturn } from './returnedMoney.ts';
import type { TimeMs } from '../terms/scalars.ts';
import type { Plan, Return } from '../plan/types.ts';

/**
 * Records money of an earlier attempt to pay that comes back while another attempt is under way. Undefined where all that earlier attempts paid is back. `money`: what
 * came back in the currency.
 */
export function recordEarlierReturn(
  plan: Plan,
  told: Omit<Return, 'recordedAtMs'>,
  money: Money | undefined,
  atMs: TimeMs,
): Ruling | undefined {
  const paidBefore = netPaidOf(plan) - unitsOf(restsOn(plan));
  if (paidBefore <= 0n) return undefined;
  const { amount } = told;
  if (amount === undefined)
    return mismatch(
      'Another attempt to pay has begun since: say how much came back (amount, in units of the token).',
    );
  const units = unitsOf(amount);
  if (units > paidBefore)
    return mismatch(
      `The report says that ${units} units came back, ${paidBefore} of earlier payments are not back yet. Give the amount that came back.`,
    );
  // As much more is due, and the attempt goes on.
  const next = withReturn(plan, told, money, atMs);
  const payout = { ...begunTurn(plan), returns: next.returns.length };
  return changed(withStep(next, { ...lastStep(next), payout }));
}
