import { unitsOf } from './amount.ts';
import { type Asset, isSameAsset } from './money.ts';
import type { Closing, CloseReason, Plan } from './types.ts';

/** All closings of a plan, oldest first. */
export function closingsOf({ closed }: Plan): readonly Closing[] {
  if (closed === undefined) return [];
  const { earlier = [], ...newest } = closed;
  return [...earlier, newest];
}

/** How many units of an asset were there, and were named, when a plan was closed for a reason. */
export function namedAs(plan: Plan, closeReason: CloseReason, asset: Asset): bigint {
  return closingsOf(plan)
    .filter(({ reason }) => reason === closeReason)
    .flatMap(({ acknowledged }) => acknowledged)
    .filter((each) => each.direction === 'IN' && isSameAsset(each.asset, asset))
    .reduce((sum, { amount }) => sum + unitsOf(amount), 0n);
}
