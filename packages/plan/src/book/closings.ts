import { unitsOf } from '../terms/amount.ts';
import { type Asset, isSameAsset } from '../terms/money.ts';
import type { Closing, CloseReason, Plan } from '../plan/types.ts';

/** All closings of a plan, oldest first. */
export function closingsOf({ closed }: Plan): readonly Closing[] {
  if (closed === undefined) return [];
  const { earlier = [], ...newest } = closed;
  return [...earlier, newest];
}

/** Whether a person has ended the plan although money had moved, or for a reason. */
export function wasClosed({ ended }: Plan): boolean {
  return ended !== undefined && ended.reason !== 'EXPIRED' && ended.reason !== 'CANCELLED';
}

/** How many units of an asset were there, and so were acknowledged, when a person ended a plan for a reason. */
export function acknowledgedAs(plan: Plan, closeReason: CloseReason, asset: Asset): bigint {
  return closingsOf(plan)
    .filter(({ reason }) => reason === closeReason)
    .flatMap(({ acknowledged }) => acknowledged)
    .filter((each) => each.direction === 'IN' && isSameAsset(each.asset, asset))
    .reduce((sum, { amount }) => sum + unitsOf(amount), 0n);
}
