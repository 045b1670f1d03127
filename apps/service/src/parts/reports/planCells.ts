import type { MovementKind, Side } from '@fairway/plan';
import type { PlannedAsset, PlanSum, PeriodPlan } from '@fairway/store';
import type { LedgerStatus, PlanColumn } from '@fairway/wire';
import { eip55 } from '@fairway/api';
import { amountCells, type Cell, metadataCells, timeCell } from './cells.ts';
import type { TokenNames } from './movementCells.ts';
import type { ReportRow } from './reportRow.ts';

/** Makes the rows of plans. */
export function planRow(names: TokenNames): (plan: PeriodPlan) => ReportRow<PlanColumn> {
  return (plan) => ({
    cells: { ...metadataCells(plan.metadata), ...cellsOf(plan, names) },
    amounts: plan.moved.map(({ asset, kind, units }) => ({ asset, kind, units })),
    tokens: [plan.source, plan.target],
  });
}

function cellsOf(plan: PeriodPlan, names: TokenNames): Record<PlanColumn, Cell> {
  const { source, target } = plan;
  const decimals = (token: PlannedAsset) => names(token.chainId, token.address)?.decimals;
  const [given, got] = [decimals(source), decimals(target)];
  const ofSource = (kind: MovementKind) => sumOf(plan.moved, kind, 'SOURCE', source);
  const ofTarget = (kind: MovementKind) => sumOf(plan.moved, kind, 'TARGET', target);
  return {
    planId: plan.planId,
    clientReference: plan.clientReference,
    corridorId: plan.corridorId,
    mode: plan.mode,
    status: statusOf(plan),
    chainId: source.chainId,
    tokenIn: eip55(source.address),
    symbolIn: names(source.chainId, source.address)?.symbol ?? null,
    ...amountCells('plannedAmountIn', plan.amountIn, given),
    ...amountCells('depositedAmount', ofSource('DEPOSIT'), given),
    ...amountCells('swappedInAmount', ofSource('SWAP_IN'), given),
    ...amountCells('refundedInAmount', ofSource('REFUND'), given),
    tokenOut: eip55(target.address),
    symbolOut: names(target.chainId, target.address)?.symbol ?? null,
    ...amountCells('expectedAmountOut', plan.expected, got),
    ...amountCells('swappedOutAmount', ofTarget('SWAP_OUT'), got),
    ...amountCells('paidOutAmount', ofTarget('PAYOUT'), got),
    ...amountCells('returnedAmount', ofTarget('RETURN'), got),
    ...amountCells('refundedOutAmount', ofTarget('REFUND'), got),
    ...amountCells('deductedAmount', ofTarget('DEDUCTION'), got),
    otherMovements: othersOf(plan),
    createdAt: timeCell(plan.createdAtMs),
    depositedAt: timeCell(plan.depositedAtMs),
    swappedAt: timeCell(plan.swappedAtMs),
    paidAt: timeCell(plan.paidAtMs),
    depositSeconds: secondsCell(plan.createdAtMs, plan.depositedAtMs),
    swapSeconds: secondsCell(plan.depositedAtMs, plan.swappedAtMs),
    payoutSeconds: secondsCell(plan.swappedAtMs, plan.paidAtMs),
    totalSeconds: secondsCell(plan.createdAtMs, plan.paidAtMs),
    recordedAt: timeCell(plan.lastBookedAtMs),
  };
}

/** The sum of the movements of a kind, a side and a token. */
function sumOf(sums: readonly PlanSum[], kind: MovementKind, side: Side, token: PlannedAsset): bigint {
  const found = sums.filter((sum) => sum.kind === kind && sum.side === side && isOf(sum, token));
  return found.reduce((total, { units }) => total + units, 0n);
}

function isOf({ asset }: PlanSum, { chainId, address }: PlannedAsset): boolean {
  return !('currency' in asset) && asset.chainId === chainId && asset.address === address;
}

/** How many movements of the period are in no column of amounts, because they are of another token. */
function othersOf({ moved, source, target }: PeriodPlan): number {
  const others = moved.filter((sum) => !isOf(sum, sum.side === 'SOURCE' ? source : target));
  return others.reduce((count, { movementCount }) => count + movementCount, 0);
}

/** How far the money of a plan has come, by all that was booked until the end of the period. */
function statusOf({ total, source, target }: PeriodPlan): LedgerStatus {
  const ofTarget = (kind: MovementKind) => sumOf(total, kind, 'TARGET', target);
  const [paid, returned] = [ofTarget('PAYOUT'), ofTarget('RETURN')];
  const [brought, refundedOut] = [ofTarget('SWAP_OUT'), ofTarget('REFUND')];
  const left = brought + returned - paid - refundedOut - ofTarget('DEDUCTION');
  if (paid > 0n) {
    if (left <= 0n) return refundedOut > 0n && returned >= paid ? 'REFUNDED' : 'PAID';
    return returned >= paid ? 'RETURNED' : 'PAID_IN_PART';
  }
  if (brought > 0n) return refundedOut > 0n && left <= 0n ? 'REFUNDED' : 'SWAPPED';
  const [deposited, refunded] = [
    sumOf(total, 'DEPOSIT', 'SOURCE', source),
    sumOf(total, 'REFUND', 'SOURCE', source),
  ];
  if (refunded > 0n && refunded >= deposited) return 'REFUNDED';
  return deposited > 0n ? 'DEPOSITED' : 'NOTHING';
}

/** Whole seconds from a time to another; empty where one is not known, or where they were told in another order. */
function secondsCell(fromMs: number | undefined, toMs: number | undefined): Cell {
  if (fromMs === undefined || toMs === undefined || toMs < fromMs) return null;
  return Math.floor((toMs - fromMs) / 1_000);
}
