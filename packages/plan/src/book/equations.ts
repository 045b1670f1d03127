import { type Amount, amountOf, leastOf, mostOf, unitsIn, unitsOf, ZERO } from '../terms/amount.ts';
import { standingMovements } from './ledger.ts';
import { type Asset, assetsOf, isSameAsset } from '../terms/money.ts';
import type { Movement, MovementKind, Side, UnallocatedReason } from '../plan/movement.ts';
import type { MovementId } from '../terms/scalars.ts';
import type { Closing, Plan } from '../plan/types.ts';

/**
 * Money that is not where the plan wants it. IN: it is there, and nobody asked for it. OUT: it was spent, and no arrival
 * of it is recorded, so that it counts as negative.
 */
export type Unallocated = {
  readonly movementId?: MovementId;
  readonly amount: Amount;
  readonly asset: Asset;
  readonly direction: 'IN' | 'OUT';
  readonly reason: UnallocatedReason;
  /** Whether it was there when a person ended the plan. */
  readonly acknowledged: boolean;
};

/**
 * How much of an asset a plan has that can go back to the payer. `SOURCE` is money of the payer's token, `TARGET`
 * money of the payout token.
 */
export function refundableOf(plan: Plan, asset: Asset): Readonly<Record<Side, bigint>> {
  const [source, target, ...strays] = leftOf(plan);
  const there = (lefts: readonly (Left | undefined)[]) =>
    lefts.reduce((sum, left) => {
      if (left === undefined || !isSameAsset(left.asset, asset)) return sum;
      return sum + left.outstanding + unitsIn(unaskedIn(left));
    }, 0n);
  return { SOURCE: there([source, ...strays]), TARGET: there([target]) };
}

/** The money that is there and that nobody asked for. */
export function unaskedIn({ unallocated }: Pick<Left, 'unallocated'>): readonly Unallocated[] {
  return unallocated.filter(({ direction }) => direction === 'IN');
}

/** Whether the plan has money that can go back to the payer. */
export function hasRefundable(plan: Plan): boolean {
  return leftOf(plan).some(({ asset }) =>
    Object.values(refundableOf(plan, asset)).some((there) => there > 0n),
  );
}

/**
 * How much the plan has still to pay out, according to its ledger, whether or not a payment is due. Money that was there
 * when a person ended it is not paid out.
 *
 * @example
 * ```ts
 * import { payableOf, type Plan } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * const isLeft = payableOf(plan) > 0n; // true after a payment came back
 * ```
 */
export function payableOf(plan: Plan): bigint {
  return leftOf(plan)[1]?.outstanding ?? 0n;
}

/**
 * How much of the payout token arrived and was not paid out, refunded or kept back; below zero, where more left than came.
 * Money that was there when a person ended the plan does not count.
 */
export function openOf(plan: Plan): bigint {
  return leftOf(plan)[1]?.open ?? 0n;
}

/** How much was paid out and did not come back, according to its ledger. */
export function netPaidOf(plan: Plan): bigint {
  const rows = rowsOf(plan, standingMovements(plan), 'TARGET');
  return totalOf(rows, 'PAYOUT') - totalOf(rows, 'RETURN');
}

/**
 * The funds that the equations of all assets leave. Money that was there when a person ended the plan is no
 * longer outstanding, and is marked.
 */
export function leftOf(plan: Plan): readonly Left[] {
  const standing = standingMovements(plan);
  const { closed } = plan;
  if (closed === undefined) return equationsOf(plan, standing);
  const left = equationsOf(plan, withoutGivenBack(plan, standing, closed.movements), standing);
  const then = standingMovements({ ...plan, ledger: (plan.ledger ?? []).slice(0, closed.movements) });
  // Money that was taken back since then is no longer acknowledged. If the same amount came later, it is other money.
  const remaining = then.filter((row) =>
    standing.some((each) => each.movementId === row.movementId || isCompletion(row, each)),
  );
  const known = [then, remaining].map((rows) => equationsOf(plan, rows));
  const entries = known.map((all) => all.flatMap(({ unallocated }) => unallocated));
  return left.map((each, index) => {
    const named = leastOf([each.outstanding, ...known.map((all) => all[index]?.outstanding ?? 0n)]);
    const before = each.arrivals.filter(({ seq }) => seq <= closed.movements);
    return {
      ...each,
      open: each.open - named,
      outstanding: each.outstanding - named,
      unallocated: [
        ...newestOf(before, named, 'LEFT_AT_CLOSE').map(
          (entry): Unallocated => ({
            ...entry,
            reason: 'LEFT_AT_CLOSE',
            acknowledged: true,
          }),
        ),
        ...each.unallocated.flatMap((entry) => withAcknowledged(plan, entry, entries)),
      ],
    };
  });
}

/**
 * The movements without deposits that came after the plan was closed and were refunded since. Such deposits come
 * after `named` in the ledger. A refund of the payer's money gives them back first, because the money that was known
 * is settled. Refund and deposit are reduced by the same amount.
 */
function withoutGivenBack(plan: Plan, standing: readonly Movement[], named: number): readonly Movement[] {
  const given = new Map<Movement, bigint>();
  const leftOfRow = (row: Movement) => unitsOf(row.actual) - (given.get(row) ?? 0n);
  const since = standing.filter(({ side, seq }) => side === 'SOURCE' && seq > named);
  for (const refund of since.filter(({ kind }) => kind === 'REFUND')) {
    const fresh = since.filter(
      (row) =>
        row.kind === 'DEPOSIT' &&
        isSameAsset(row.asset, refund.asset) &&
        firstSeqOf(plan, row) < firstSeqOf(plan, refund),
    );
    for (const row of fresh) {
      const part = leastOf([leftOfRow(refund), leftOfRow(row)]);
      for (const each of [refund, row]) given.set(each, (given.get(each) ?? 0n) + part);
    }
  }
  return standing.map((row) => (given.has(row) ? { ...row, actual: amountOf(leftOfRow(row)) } : row));
}

/** Whether a later row is the same payment, of which a report told more. */
function isCompletion(row: Movement, later: Movement): boolean {
  const isSamePayment = row.kind === later.kind && row.providerReference === later.providerReference;
  return isSamePayment && row.providerReference !== undefined && row.actual === later.actual;
}

/**
 * An entry in up to two parts: as much as was there already when the plan was closed, and the rest. `known`: the
 * entries of that time, first by the ledger of that time, then by the part of it that still stands.
 */
function withAcknowledged(
  plan: Plan,
  entry: Unallocated,
  known: readonly (readonly Unallocated[])[],
): Unallocated[] {
  const isSame = (each: Unallocated) =>
    entry.movementId === undefined
      ? each.reason === entry.reason && isSameAsset(each.asset, entry.asset)
      : placeIn(plan, each.movementId) === placeIn(plan, entry.movementId);
  const units = unitsOf(entry.amount);
  const part = leastOf([units, ...known.map((entries) => unitsOf(entries.find(isSame)?.amount ?? ZERO))]);
  // Money that was there when a person ended the plan may have come before the end.
  const reason = entry.reason === 'AFTER_END' ? 'LEFT_AT_CLOSE' : entry.reason;
  const entries = [
    { ...entry, amount: amountOf(units - part) },
    { ...entry, amount: amountOf(part), reason, acknowledged: true },
  ];
  return entries.filter(({ amount }) => amount !== ZERO);
}

/** The place in the ledger of a movement, or of its first report: a return that was told again is the same money. */
function placeIn(plan: Plan, movementId: Unallocated['movementId']): number | undefined {
  const isIt = (row: Movement) => row.movementId === movementId;
  return (standingMovements(plan).find(isIt) ?? plan.ledger?.find(isIt))?.seq;
}

/**
 * What all equations leave of these movements of the plan. `whole`: the same movements, with those that were given
 * back.
 */
function equationsOf(
  plan: Plan,
  standing: readonly Movement[],
  whole: readonly Movement[] = standing,
): readonly Left[] {
  const { source } = assetsOf(plan);
  return [sourceLeft(plan, standing, whole), targetLeft(plan, standing), ...straysOf(source, standing)];
}

/** Whether an asset is not among those before it in a list. */
export function isFirst(asset: Asset, index: number, all: readonly Asset[]): boolean {
  return all.findIndex((each) => isSameAsset(each, asset)) === index;
}

/** What movements come to. `kind`: those of this kind alone. */
export function totalOf(rows: readonly Pick<Movement, 'kind' | 'actual'>[], kind?: MovementKind): bigint {
  return rows.reduce(
    (total, row) => (kind === undefined || row.kind === kind ? total + unitsOf(row.actual) : total),
    0n,
  );
}

/** What one equation leaves: what the plan has still to use, and what nobody asked for. */
type Left = {
  readonly asset: Asset;
  /** What arrived less what left, whether or not the plan goes on. Below zero, where more was spent than came. */
  readonly open: bigint;
  readonly outstanding: bigint;
  /** The movements that brought what is outstanding. */
  readonly arrivals: readonly Movement[];
  readonly unallocated: readonly Unallocated[];
};

function rowsOf(plan: Plan, standing: readonly Movement[], side: Side): readonly Movement[] {
  const { source, target } = assetsOf(plan);
  const asset = side === 'SOURCE' ? source : target;
  return standing.filter((row) => row.side === side && isSameAsset(row.asset, asset));
}

/**
 * What is left of each token other than the plan's. The payout token is among them where it came in without a swap.
 */
function straysOf(source: Asset, standing: readonly Movement[]): Left[] {
  const strays = standing.filter(({ side, asset }) => side === 'SOURCE' && !isSameAsset(asset, source));
  const assets = strays.map(({ asset }) => asset).filter(isFirst);
  return assets.map((asset) => {
    const rows = strays.filter((row) => isSameAsset(row.asset, asset));
    const open = totalOf(rows, 'DEPOSIT') - totalOf(rows, 'REFUND');
    const deposits = rows.filter(({ kind }) => kind === 'DEPOSIT');
    const unallocated = [
      ...newestOf(deposits, mostOf([open]), 'OTHER_TOKEN'),
      // A refund stands although the deposit that it gave back was lost since.
      ...overspent(asset, -open, 'OTHER_TOKEN'),
    ];
    return { asset, open, outstanding: 0n, arrivals: [], unallocated };
  });
}

/**
 * Until the swap is executed the plan has a use for the planned amount, and after that for nothing more. Deposits pay
 * for the plan's own execution alone, and only those that were there by then. Money that another execution spent is
 * listed apart, because nobody knows whose it was. Set off against another deposit it would hide money that is there.
 */
function sourceLeft(plan: Plan, standing: readonly Movement[], whole: readonly Movement[]): Left {
  const asset = assetsOf(plan).source;
  const rows = rowsOf(plan, standing, 'SOURCE');
  const { own, spare } = executionsOf(standing, rows, 'SWAP_IN');
  const [inTime, late] = depositsBy(rows, own);
  const swapped = totalOf(own, 'SWAP_IN');
  const [before] = depositsBy(rowsOf(plan, whole, 'SOURCE'), own);
  const paid = leastOf([swapped, totalOf(before, 'DEPOSIT')]);
  const open = totalOf(rows, 'DEPOSIT') - paid - totalOf(rows, 'REFUND');
  const above = mostOf([totalOf(rows, 'REFUND') - totalOf(rows, 'DEPOSIT')]);
  const missing = swapped - paid + mostOf([-open]) - above;
  const isOver = plan.ended !== undefined || swapped > 0n;
  const outstanding = isOver ? 0n : leastOf([mostOf([open]), unitsOf(plan.amountIn)]);
  const usual = plan.ended === undefined ? 'ABOVE_AMOUNT' : 'AFTER_END';
  const arrivals = [...inTime, ...late];
  return {
    asset,
    open,
    outstanding,
    arrivals,
    unallocated: [
      ...newestOf(arrivals, mostOf([open]) - outstanding, usual),
      ...overspent(asset, missing, 'SWAP_WITHOUT_DEPOSIT'),
      ...overspent(asset, above, 'PAID_ABOVE_DUE'),
      ...spare.map(spentBy),
    ],
  };
}

/** The deposits that an execution can have spent, and those that came in a later block. */
function depositsBy(
  rows: readonly Movement[],
  own: readonly Movement[],
): readonly [readonly Movement[], readonly Movement[]] {
  const deposits = rows.filter(({ kind }) => kind === 'DEPOSIT');
  const last = own.toSorted(inChainOrder).at(-1);
  const isLate = ({ transfer }: Movement) =>
    last !== undefined && (transfer?.blockNumber ?? 0) > (last.transfer?.blockNumber ?? 0);
  return [deposits.filter((row) => !isLate(row)), deposits.filter(isLate)];
}

/** What an execution spent beside the plan's own, also where both came after the plan's end. */
function spentBy(row: Movement): Unallocated {
  const reason = 'SECOND_EXECUTION';
  return { ...entryOf(row, unitsOf(row.actual), reason), direction: 'OUT', reason };
}

/**
 * Executions, as rows of one kind. `unasked`: those that nobody had asked for. `substitute`: the first of them, where the plan has
 * no other execution, because the chain has lost it or the plan had ended. `spare`: the other ones, also those of the same
 * transaction. `own`: all but the spare ones.
 */
function executionsOf(
  standing: readonly Movement[],
  rows: readonly Movement[],
  kind: 'SWAP_IN' | 'SWAP_OUT',
): Readonly<Record<'unasked' | 'substitute' | 'spare' | 'own', readonly Movement[]>> {
  const swaps = rows.filter((row) => row.kind === kind);
  const unasked = swaps.filter(({ reason }) => reason !== undefined);
  const [first] = unasked.length === swaps.length ? unasked.toSorted(inChainOrder) : [];
  const substitute = unasked.filter(
    (row) => row.transfer?.txHash === first?.transfer?.txHash && !isOfFurtherCall(standing, row),
  );
  const spare = unasked.filter((row) => !substitute.includes(row));
  return { unasked, substitute, spare, own: swaps.filter((row) => !spare.includes(row)) };
}

/**
 * All that was swapped is to be paid out, except what an execution brought that nobody had asked for. That money pays for
 * nothing by itself: a payment above what is due stays one, whatever else is there. There is one exception: the chain
 * has lost the plan's execution, and only executions that nobody asked for are left. Then the money of the first of
 * them covers what was paid out or refunded.
 */
function targetLeft(plan: Plan, standing: readonly Movement[]): Left {
  const asset = assetsOf(plan).target;
  const rows = rowsOf(plan, standing, 'TARGET');
  const swaps = rows.filter(({ kind }) => kind === 'SWAP_OUT');
  const executions = executionsOf(standing, rows, 'SWAP_OUT');
  const { unasked, substitute } = executions;
  const kept = withoutRefunded(plan, executions, rows);
  const apart = totalOf(kept, 'SWAP_OUT');
  const due = dueOf(rows) - apart;
  const cover = due < 0n ? leastOf([-due, totalOf(substitute, 'SWAP_OUT')]) : 0n;
  const open = due + cover;
  const isEnded = plan.ended !== undefined;
  const why = swaps.length > 0 ? 'PAID_ABOVE_DUE' : 'PAID_WITHOUT_SWAP';
  const arrivals = rows.filter((row) => ['SWAP_OUT', 'RETURN'].includes(row.kind) && !unasked.includes(row));
  return {
    asset,
    open: due,
    outstanding: isEnded ? 0n : mostOf([open]),
    arrivals,
    unallocated: [
      ...newestOf(kept, apart - cover, 'SECOND_EXECUTION'),
      ...(isEnded ? newestOf(arrivals, mostOf([open]), 'AFTER_END') : []),
      ...overspent(asset, -open, why),
    ],
  };
}

/** Whether a movement is of a call that a transaction made after another one that had executed instructions already. */
function isOfFurtherCall(standing: readonly Movement[], { transfer }: Movement): boolean {
  return standing.some(
    ({ kind, transfer: call }) =>
      kind === 'SWAP_IN' &&
      call?.logIndex !== undefined &&
      transfer?.logIndex !== undefined &&
      call.txHash === transfer.txHash &&
      call.logIndex <= transfer.logIndex,
  );
}

/** Orders movements as the chain has them, however often a reorganisation had them recorded anew. */
function inChainOrder({ transfer: a }: Movement, { transfer: b }: Movement): number {
  const blocks = (a?.blockNumber ?? 0) - (b?.blockNumber ?? 0);
  return blocks !== 0 ? blocks : (a?.logIndex ?? 0) - (b?.logIndex ?? 0);
}

/**
 * What nobody had asked for and was not refunded: a refund gives that back first, as far as it was there before the
 * refund. A refund gives back nothing that came after it. Money that a person had settled elsewhere goes back last.
 */
function withoutRefunded(
  plan: Plan,
  { spare, unasked }: Pick<ReturnType<typeof executionsOf>, 'spare' | 'unasked'>,
  rows: readonly Movement[],
): readonly Movement[] {
  const given: { readonly row: Movement; readonly seq: number; readonly units: bigint }[] = [];
  const seqOf = (row: Movement) => firstSeqOf(plan, row);
  const givenBefore = (end: number) => sumUnits(given.filter(({ seq }) => seq < end));
  const dueBefore = (end: number) =>
    dueOf(rows.filter((row) => seqOf(row) < end && !unasked.includes(row))) + givenBefore(end);
  const refunds = rows.filter(({ kind }) => kind === 'REFUND');
  for (const refund of refunds.toSorted((a, b) => seqOf(a) - seqOf(b))) {
    const seq = seqOf(refund);
    let rest = unitsOf(refund.actual);
    const give = (row: Movement, most: bigint) => {
      const left = unitsOf(row.actual) - sumUnits(given.filter((each) => each.row === row));
      const units = leastOf([most, left]);
      given.push({ row, seq, units });
      rest -= units;
    };
    const settled = settledBefore(plan, seq);
    const there = spare.filter((row) => seqOf(row) < seq);
    for (const row of there.filter((each) => seqOf(each) > settled)) give(row, rest);
    const free = settled === 0 ? 0n : mostOf([dueBefore(seq) - mostOf([dueBefore(settled + 1)])]);
    for (const row of there.filter((each) => seqOf(each) <= settled)) give(row, mostOf([rest - free]));
  }
  return unasked.map((row) => {
    const units = sumUnits(given.filter((each) => each.row === row));
    return units === 0n ? row : { ...row, actual: amountOf(unitsOf(row.actual) - units) };
  });
}

function sumUnits(parts: readonly { readonly units: bigint }[]): bigint {
  return parts.reduce((sum, { units }) => sum + units, 0n);
}

/** The last movement that was there when a person settled what was left in another way than by a refund; 0 where nobody did. */
function settledBefore(plan: Plan, seq: number): number {
  const closing = closingsOf(plan).findLast(({ movements }) => movements < seq);
  return closing === undefined || closing.reason === 'REFUNDED' ? 0 : closing.movements;
}

/** What arrived of the payout token less what left. */
function dueOf(rows: readonly Movement[]): bigint {
  const taken = totalOf(rows, 'PAYOUT') + totalOf(rows, 'REFUND') + totalOf(rows, 'DEDUCTION');
  return totalOf(rows, 'SWAP_OUT') + totalOf(rows, 'RETURN') - taken;
}

/** When the ledger first had a movement, which a reorganisation can take back and have recorded once more. */
function firstSeqOf(plan: Plan, { kind, transfer, seq }: Movement): number {
  const first = plan.ledger?.find(
    (row) => row.kind === kind && transfer !== undefined && row.transfer?.txHash === transfer.txHash,
  );
  return first?.seq ?? seq;
}

/** What was spent without an arrival; nothing, where that is not more than nothing. */
function overspent(asset: Asset, units: bigint, reason: UnallocatedReason): Unallocated[] {
  if (units <= 0n) return [];
  return [{ amount: amountOf(units), asset, direction: 'OUT', reason, acknowledged: false }];
}

/** Entries of the newest arrivals that make up an amount: what came first is what the plan has used. */
function newestOf(arrivals: readonly Movement[], units: bigint, usual: UnallocatedReason): Unallocated[] {
  let rest = units;
  return arrivals.toReversed().flatMap((row) => {
    const part = leastOf([rest, unitsOf(row.actual)]);
    rest -= part;
    return part === 0n ? [] : [entryOf(row, part, usual)];
  });
}

function entryOf(row: Movement, units: bigint, usual: UnallocatedReason): Unallocated {
  const { movementId, asset, reason = usual } = row;
  return { movementId, amount: amountOf(units), asset, direction: 'IN', reason, acknowledged: false };
}

/** All closings of a plan, oldest first. */
export function closingsOf({ closed }: Plan): readonly Closing[] {
  if (closed === undefined) return [];
  const { earlier = [], ...newest } = closed;
  return [...earlier, newest];
}
