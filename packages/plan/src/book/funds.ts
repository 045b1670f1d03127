import { depositOf } from './deposit.ts';
import { type Amount, amountOf, leastOf, unitsIn, unitsOf, ZERO } from '../terms/amount.ts';
import { isFirst, leftOf, totalOf, type Unallocated, unaskedIn } from './equations.ts';
import { isFinalExecution } from './swap.ts';
import { standingMovements } from './ledger.ts';
import { type Asset, assetsOf, isSameAsset } from '../terms/money.ts';
import type { Movement, MovementKind } from '../plan/movement.ts';
import { payoutOf } from './payout.ts';
import type { Plan } from '../plan/types.ts';

/** Where the money of one asset is. */
export type AssetFunds = {
  readonly asset: Asset;
  readonly expected: Amount;
  readonly received: Amount;
  readonly swapped: { readonly in: Amount; readonly out: Amount };
  /** What has the confirmations of the corridor: in the source token, of what was received; in another payout token, of what was swapped out. */
  readonly settled: Amount;
  readonly paidOut: Amount;
  readonly returned: Amount;
  readonly refunded: Amount;
  readonly deducted: Amount;
  /** What the plan has still to use: to swap or, after the swap, to pay out. */
  readonly outstanding: Amount;
  readonly unallocated: readonly Unallocated[];
};

/**
 * Where all money of a plan is, by asset: the source token, the payout token if it is another one, and other tokens that
 * came. Derived from the ledger alone, except `expected` of a swap to come, and `settled`.
 *
 * @example
 * ```ts
 * import { fundsOf, type Plan } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * const toLookAt = fundsOf(plan).flatMap(({ unallocated }) => unallocated);
 * ```
 */
export function fundsOf(plan: Plan): readonly AssetFunds[] {
  const { source, target } = assetsOf(plan);
  const standing = standingMovements(plan);
  const isOne = isSameAsset(source, target);
  const own = isOne ? [source] : [source, target];
  const assets = [...own, ...standing.map(({ asset }) => asset)].filter(isFirst);
  const left = leftOf(plan);
  return assets.map((asset): AssetFunds => {
    const rows = standing.filter((row) => isSameAsset(row.asset, asset));
    const sum = (kind: MovementKind) => amountOf(totalOf(rows, kind));
    const here = left.filter((each) => isSameAsset(each.asset, asset));
    return {
      asset,
      expected: expectedOf(plan, asset),
      received: sum('DEPOSIT'),
      swapped: { in: sum('SWAP_IN'), out: sum('SWAP_OUT') },
      settled: settledOf(plan, asset, rows),
      paidOut: sum('PAYOUT'),
      returned: sum('RETURN'),
      refunded: sum('REFUND'),
      deducted: sum('DEDUCTION'),
      outstanding: amountOf(here.reduce((total, { outstanding }) => total + outstanding, 0n)),
      unallocated: here.flatMap(({ unallocated }) => unallocated),
    };
  });
}

function expectedOf(plan: Plan, asset: Asset): Amount {
  const { source, target } = assetsOf(plan);
  if (isSameAsset(asset, source)) return plan.amountIn;
  return isSameAsset(asset, target) ? payoutOf(plan).due : ZERO;
}

function settledOf(plan: Plan, asset: Asset, rows: readonly Movement[]): Amount {
  const { source, target } = assetsOf(plan);
  // A plan that only transfers has one token: what was received is what is paid out.
  if (isSameAsset(asset, target) && !isSameAsset(source, target)) {
    const final = rows.filter(({ transfer }) => isFinalExecution(plan, transfer));
    return amountOf(totalOf(final, 'SWAP_OUT'));
  }
  if (!isSameAsset(asset, source)) return ZERO;
  return amountOf(leastOf([totalOf(rows, 'DEPOSIT'), unitsOf(depositOf(plan).confirmed)]));
}

/** Whether money arrives (IN) or leaves (OUT) by a movement. */
const DIRECTIONS: Readonly<Record<MovementKind, 'IN' | 'OUT'>> = {
  DEPOSIT: 'IN',
  SWAP_IN: 'OUT',
  SWAP_OUT: 'IN',
  PAYOUT: 'OUT',
  RETURN: 'IN',
  REFUND: 'OUT',
  DEDUCTION: 'OUT',
};

/**
 * Whether the money of a plan became more (IN) or less (OUT) by a movement. A movement that takes another one back is the
 * opposite of that.
 *
 * @example
 * ```ts
 * import { directionOf, type Plan } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * const arrivals = plan.ledger?.filter((movement) => directionOf(movement) === 'IN');
 * ```
 */
export function directionOf({ kind, reverses }: Pick<Movement, 'kind' | 'reverses'>): 'IN' | 'OUT' {
  return (DIRECTIONS[kind] === 'IN') === (reverses === undefined) ? 'IN' : 'OUT';
}

/**
 * What the equations of the ledger miss, by asset: always an empty list. The ledger is added up again with all
 * movements and their reversals, and must be what `fundsOf` says is outstanding and unallocated.
 *
 * @example
 * ```ts
 * import { imbalanceOf, type Plan } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * if (imbalanceOf(plan).length > 0) throw new Error('The ledger does not add up.');
 * ```
 */
export function imbalanceOf(plan: Plan): readonly { readonly asset: Asset; readonly by: bigint }[] {
  const ledger = plan.ledger ?? [];
  return fundsOf(plan).flatMap((funds) => {
    const { asset } = funds;
    const recorded = ledger
      .filter((row) => isSameAsset(row.asset, asset))
      .map((row) => (directionOf(row) === 'IN' ? unitsOf(row.actual) : -unitsOf(row.actual)));
    const arrived = unitsOf(funds.received) + unitsOf(funds.swapped.out) + unitsOf(funds.returned);
    const left =
      unitsOf(funds.swapped.in) + unitsOf(funds.paidOut) + unitsOf(funds.refunded) + unitsOf(funds.deducted);
    const there = unitsIn(unaskedIn(funds));
    const spent = unitsIn(funds.unallocated) - there;
    const told = unitsOf(funds.outstanding) + there - spent;
    const sum = recorded.reduce((total, units) => total + units, 0n);
    return [sum - told, arrived - left - told].filter((by) => by !== 0n).map((by) => ({ asset, by }));
  });
}
