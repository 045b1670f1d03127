import { standingMovements } from '../book/ledger.ts';
import type { Movement } from '../plan/movement.ts';
import { partsOf } from '../book/payoutPayments.ts';
import { begunTurn, lastStep, payingState } from '../book/payoutTurn.ts';
import { isReturned, without, withStep } from '../plan/planSteps.ts';
import type { LostPart, Plan } from '../plan/types.ts';

/**
 * The transactions that had paid a part of what is due and that a reorganisation took back. They may be mined again,
 * so nothing is to be paid in their place.
 *
 * @example
 * ```ts
 * import { lostPartsOf, type Plan } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * const isWaiting = lostPartsOf(plan).length > 0;
 * ```
 */
export function lostPartsOf(plan: Plan): readonly LostPart[] {
  return lastStep(plan)?.payout?.lost ?? [];
}

/**
 * The plan that knows which parts are lost after an event. A later payment by a transaction of the same amount is the
 * lost one, or took its place. A person who says that the payment failed gives up all of them.
 */
export function withLostParts(before: Plan, after: Plan): Plan {
  const step = lastStep(after);
  if (step === undefined) return after;
  const lost = isReturned(after) || payingState(step) === 'FAILED' ? [] : lostAfter(before, after);
  if (lost.length === 0 && step.payout?.lost === undefined) return after;
  const turn = without(begunTurn(after, after.updatedAtMs), 'lost');
  return withStep(after, { ...step, payout: lost.length === 0 ? turn : { ...turn, lost } });
}

function lostAfter(before: Plan, after: Plan): readonly LostPart[] {
  const [known, standing] = [standingMovements(before), standingMovements(after)];
  const isIn = (rows: readonly Movement[], { movementId }: Movement) =>
    rows.some((row) => row.movementId === movementId);
  const lost = [...lostPartsOf(before)];
  for (const part of partsOf(before))
    if (part.transfer !== undefined && !isIn(standing, part))
      lost.push({ txHash: part.transfer.txHash, amount: part.actual });
  if (lost.length === 0) return lost;
  for (const row of standing) {
    if (row.kind !== 'PAYOUT' || row.transfer === undefined || isIn(known, row)) continue;
    const place = lost.findIndex(({ amount }) => amount === row.actual);
    if (place !== -1) lost.splice(place, 1);
  }
  return lost;
}
