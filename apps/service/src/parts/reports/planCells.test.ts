import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MovementKind, Side } from '@fairway/plan';
import type { PlanSum, PeriodPlan } from '@fairway/store';
import { LEDGER_STATUSES } from '@fairway/wire';
import { tokenNames } from './movementCells.ts';
import { planRow } from './planCells.ts';

const SOURCE = { chainId: 1, address: `0x${'01'.repeat(20)}` } as const;
const TARGET = { chainId: 1, address: `0x${'02'.repeat(20)}` } as const;
const OTHER = { chainId: 1, address: `0x${'03'.repeat(20)}` } as const;
const PLAN: PeriodPlan = {
  ...{ planId: 'plan_1', clientReference: 'A', corridorId: 'c', mode: 'STANDARD', amountIn: 70n },
  ...{
    source: SOURCE,
    target: TARGET,
    moved: [],
    total: [],
    createdAtMs: 0,
    lastBookedAtMs: 99_000,
    metadata: {},
  },
};

function sum(kind: MovementKind, units: bigint, side: Side = 'TARGET', asset?: PlanSum['asset']): PlanSum {
  return { kind, side, units, asset: asset ?? (side === 'SOURCE' ? SOURCE : TARGET), movementCount: 1 };
}

const IN = [sum('DEPOSIT', 70n, 'SOURCE')];
const SWAPPED = [...IN, sum('SWAP_IN', 70n, 'SOURCE'), sum('SWAP_OUT', 100n)];

test('the status of a plan is how far its money has come', () => {
  const cases: [string, readonly PlanSum[]][] = [
    ['NOTHING', [sum('DEPOSIT', 0n, 'SOURCE')]],
    ['NOTHING', [sum('DEPOSIT', 9n, 'SOURCE', OTHER)]],
    ['DEPOSITED', IN],
    ['DEPOSITED', [...IN, sum('REFUND', 20n, 'SOURCE')]],
    ['REFUNDED', [...IN, sum('REFUND', 70n, 'SOURCE')]],
    ['SWAPPED', SWAPPED],
    ['SWAPPED', [...SWAPPED, sum('REFUND', 40n)]],
    ['REFUNDED', [...SWAPPED, sum('REFUND', 100n)]],
    ['PAID_IN_PART', [...SWAPPED, sum('PAYOUT', 95n)]],
    ['PAID', [...SWAPPED, sum('PAYOUT', 100n)]],
    ['PAID', [...SWAPPED, sum('PAYOUT', 95n), sum('DEDUCTION', 5n)]],
    ['PAID', [...SWAPPED, sum('PAYOUT', 40n), sum('REFUND', 60n)]],
    ['RETURNED', [...SWAPPED, sum('PAYOUT', 100n), sum('RETURN', 100n)]],
    ['PAID', [...SWAPPED, sum('PAYOUT', 200n), sum('RETURN', 100n)]],
    ['REFUNDED', [...SWAPPED, sum('PAYOUT', 100n), sum('RETURN', 100n), sum('REFUND', 100n)]],
  ];
  const statusOf = (total: readonly PlanSum[]) => planRow(tokenNames([]))({ ...PLAN, total }).cells.status;
  for (const [status, total] of cases) assert.equal(statusOf(total), status, JSON.stringify(total, amounts));
  assert.deepEqual(new Set(cases.map(([status]) => status)), new Set(LEDGER_STATUSES));
});

/** For JSON, which has no bigints. */
function amounts(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}

test('each amount is of its side and token, and others are counted', () => {
  const moved = [
    ...SWAPPED,
    sum('REFUND', 3n),
    sum('REFUND', 4n, 'SOURCE'),
    sum('DEPOSIT', 9n, 'SOURCE', OTHER),
  ];
  const { cells, amounts: added } = planRow(tokenNames([]))({ ...PLAN, moved, total: moved });
  assert.partialDeepStrictEqual(cells, {
    ...{ plannedAmountIn: 70n, depositedAmount: 70n, swappedInAmount: 70n, refundedInAmount: 4n },
    ...{ swappedOutAmount: 100n, paidOutAmount: 0n, refundedOutAmount: 3n, otherMovements: 1 },
  });
  assert.deepEqual(
    added.map(({ kind, units }) => `${kind} ${units}`),
    moved.map(({ kind, units }) => `${kind} ${units}`),
  );
});

test('a step took from the one before to its own end, where both are known in this order', () => {
  const row = planRow(tokenNames([]));
  const took = (times: Partial<PeriodPlan>) => {
    const { depositSeconds, swapSeconds, payoutSeconds, totalSeconds } = row({ ...PLAN, ...times }).cells;
    return [depositSeconds, swapSeconds, payoutSeconds, totalSeconds];
  };
  const times = { depositedAtMs: 60_999, swappedAtMs: 90_000, paidAtMs: 3_690_000 };
  assert.deepEqual(took(times), [60, 29, 3_600, 3_690]);
  assert.deepEqual(took({ depositedAtMs: 5_000 }), [5, null, null, null]);
  assert.deepEqual(took({ ...times, depositedAtMs: 95_000 }), [95, null, 3_600, 3_690]);
});
